/// Values that keep their number as long as they are there; numbers that came free are given out again.
struct Slots<Value> {
  private var values: [Value?] = []
  private var free: [Int] = []

  private(set) var count = 0

  /// The numbers in use, from the lowest.
  var indices: [Int] { values.indices.filter { values[$0] != nil } }

  mutating func insert(_ value: Value) -> Int {
    count += 1
    guard let slot = free.popLast() else {
      values.append(value)
      return values.count - 1
    }
    values[slot] = value
    return slot
  }

  @discardableResult
  mutating func remove(_ slot: Int) -> Value {
    guard let value = values[slot] else { preconditionFailure("slot \(slot) is removed twice") }
    values[slot] = nil
    free.append(slot)
    count -= 1
    return value
  }

  func contains(_ slot: Int) -> Bool { slot < values.count && values[slot] != nil }

  subscript(slot: Int) -> Value {
    get { values[slot]! }
    _modify { yield &values[slot]! }
  }
}

extension Slots: Sendable where Value: Sendable {}
