import CSQLite

/// A prepared statement of a ``Database``; values are passed only as parameters.
///
/// Owns the C statement and frees it. Like its database, it is used on one thread.
final class Statement {
  private let statement: OpaquePointer
  private let database: Database
  private let text: String

  init(_ text: String, in database: Database) throws(ResultError) {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(database.connection, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw database.error("Reading or writing") }
    self.statement = statement
    self.database = database
    self.text = text
  }

  deinit { sqlite3_finalize(statement) }

  /// A parameter.
  enum Value {
    case text(String)
    case integer(Int)
    case null

    static func optional(_ number: Int?) -> Value { number.map(Value.integer) ?? .null }
  }

  /// Runs the statement with its parameters, in order, and calls a closure with each row of the result.
  func run(_ parameters: [Value] = [], _ row: (Row) throws(ResultError) -> Void = { _ in }) throws(ResultError) {
    precondition(
      Int(sqlite3_bind_parameter_count(statement)) == parameters.count, "parameters must match the statement: \(text)")
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, parameter) in zip(Int32(1)..., parameters) {
      guard bind(parameter, at: index) == SQLITE_OK else { throw database.error("Reading or writing") }
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try row(Row(statement: statement))
      case SQLITE_DONE: return
      default: throw database.error("Reading or writing")
      }
    }
  }

  private func bind(_ value: Value, at index: Int32) -> Int32 {
    switch value {
    case .text(let text): sqlite_bind_copied_text(statement, index, text, Int32(text.utf8.count))
    case .integer(let number): sqlite3_bind_int64(statement, index, Int64(number))
    case .null: sqlite3_bind_null(statement, index)
    }
  }

  /// A row, valid during the call of the closure.
  struct Row {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }

    func optionalInteger(_ column: Int32) -> Int? {
      sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : integer(column)
    }

    /// A text; it may contain anything, even zero bytes.
    func text(_ column: Int32) -> String {
      guard let bytes = sqlite3_column_text(statement, column) else { return "" }
      let count = Int(sqlite3_column_bytes(statement, column))
      return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
  }
}
