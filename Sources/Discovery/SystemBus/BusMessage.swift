/// A message of D-Bus, as far as simple calls need it. The other programs of the bus may send anything.
package struct BusMessage: Equatable {
  /// A value of a body.
  package enum Value: Equatable {
    case text(String)
    case number(Int)
    case truth(Bool)
  }

  /// An argument of a call.
  package enum Argument: Equatable {
    case text(String)
    case int32(Int32)
    case uint16(UInt16)
    case uint32(UInt32)
  }

  enum Kind: UInt8 {
    case call = 1
    case answer, error, signal
  }

  let kind: Kind
  /// The number of the call that this answers.
  let answers: UInt32?
  /// The name of an error, such as "org.freedesktop.DBus.Error.AccessDenied".
  let errorName: String?
  /// The name of the method or signal.
  let member: String?
  /// The first value of the body; nil if there is none, or it is of another type.
  let value: Value?

  /// The longest message that is read, in bytes.
  static let maximumBytes = 65_536

  // MARK: - Writing

  /// Makes a call.
  static func call(
    _ member: String, of interface: String, at path: String, in destination: String, arguments: [Argument] = [], serial: UInt32
  ) -> [UInt8] {
    var body = Writer()
    for argument in arguments { body.argument(argument) }
    var message = Writer()
    // Little-endian, a call, "do not start the destination", version 1.
    message.bytes = [UInt8(ascii: "l"), Kind.call.rawValue, 0x2, 1]
    message.number(UInt32(body.bytes.count))
    message.number(serial)
    var fields = Writer()
    for (code, type, text) in [(1, "o", path), (6, "s", destination), (2, "s", interface), (3, "s", member)] as [(UInt8, _, _)]
    {
      fields.align(8)
      fields.bytes.append(code)
      fields.signature(type)
      fields.text(text)
    }
    if !arguments.isEmpty {
      fields.align(8)
      fields.bytes.append(8)
      fields.signature("g")
      fields.signature(arguments.map(\.type).joined())
    }
    message.number(UInt32(fields.bytes.count))
    // The fields begin at a multiple of eight, so that their own alignment holds.
    message.bytes += fields.bytes
    message.align(8)
    return message.bytes + body.bytes
  }

  private struct Writer {
    var bytes: [UInt8] = []

    mutating func align(_ size: Int) {
      while bytes.count % size != 0 { bytes.append(0) }
    }

    mutating func number(_ number: UInt32) {
      align(4)
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func text(_ text: String) {
      number(UInt32(text.utf8.count))
      bytes += Array(text.utf8) + [0]
    }

    mutating func argument(_ argument: Argument) {
      switch argument {
      case .text(let text): self.text(text)
      case .int32(let number): self.number(UInt32(bitPattern: number))
      case .uint32(let number): self.number(number)
      case .uint16(let number):
        align(2)
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
      }
    }

    mutating func signature(_ text: String) {
      bytes += [UInt8(text.utf8.count)] + Array(text.utf8) + [0]
    }
  }

  // MARK: - Reading

  /// Takes the first message from received bytes; nil when more bytes are needed.
  ///
  /// - Throws: ``Malformed`` when the bytes are not D-Bus, or the message is too long.
  static func take(from bytes: inout [UInt8]) throws(Malformed) -> BusMessage? {
    guard bytes.count >= 16 else { return nil }
    guard let isLittle = [UInt8(ascii: "l"): true, UInt8(ascii: "B"): false][bytes[0]] else { throw Malformed() }
    var reader = Reader(bytes: bytes[...], isLittle: isLittle)
    reader.offset = 4
    guard let bodyLength = reader.number(), let _ = reader.number(), let fieldsLength = reader.number(),
      bodyLength <= maximumBytes, fieldsLength <= maximumBytes
    else { throw Malformed() }
    let body = (16 + Int(fieldsLength) + 7) & ~7
    let end = body + Int(bodyLength)
    guard bytes.count >= end else { return nil }
    defer { bytes.removeSubrange(..<end) }
    return BusMessage(kind: bytes[1], fields: bytes[..<(16 + Int(fieldsLength))], body: bytes[body..<end], isLittle)
  }

  struct Malformed: Error {}

  private init(kind: UInt8, fields: ArraySlice<UInt8>, body: ArraySlice<UInt8>, _ isLittle: Bool) {
    // Other kinds are to be ignored, as signals are.
    self.kind = Kind(rawValue: kind) ?? .signal
    var reader = Reader(bytes: fields, isLittle: isLittle)
    reader.offset = 16
    var (answers, errorName, member, signature): (UInt32?, String?, String?, String?)
    while reader.align(8), let code = reader.byte(), let type = reader.signature(), let value = reader.value(type) {
      switch (code, value) {
      case (3, .text(let name)): member = name
      case (4, .text(let name)): errorName = name
      case (5, .number(let serial)): answers = UInt32(exactly: serial)
      case (8, .text(let text)): signature = text
      default: break
      }
    }
    self.answers = answers
    self.errorName = errorName
    self.member = member
    var content = Reader(bytes: ArraySlice(Array(body)), isLittle: isLittle)
    value = signature.flatMap(\.first).flatMap { content.value(String($0)) }
  }

  private struct Reader {
    let bytes: ArraySlice<UInt8>
    let isLittle: Bool
    var offset = 0

    mutating func align(_ size: Int) -> Bool {
      offset = (offset + size - 1) / size * size
      return offset < bytes.count
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
      guard count >= 0, count <= bytes.count - offset else { return nil }
      defer { offset += count }
      return bytes[(bytes.startIndex + offset)..<(bytes.startIndex + offset + count)]
    }

    mutating func byte() -> UInt8? { take(1)?.first }

    mutating func number() -> UInt32? {
      guard align(4), let four = take(4) else { return nil }
      let number = four.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      return isLittle ? number.byteSwapped : number
    }

    mutating func signature() -> String? {
      guard let length = byte(), let text = take(Int(length)), byte() == 0 else { return nil }
      return String(validating: text, as: UTF8.self)
    }

    mutating func value(_ type: String) -> Value? {
      switch type {
      case "s", "o":
        guard let length = number(), let text = take(Int(length)), byte() == 0 else { return nil }
        return String(validating: text, as: UTF8.self).map(Value.text)
      case "g": return signature().map(Value.text)
      case "u": return number().map { .number(Int($0)) }
      case "i": return number().map { .number(Int(Int32(bitPattern: $0))) }
      case "b": return number().map { .truth($0 != 0) }
      default: return nil
      }
    }
  }
}

extension BusMessage.Argument {
  /// The type in a signature.
  fileprivate var type: String {
    switch self {
    case .text: "s"
    case .int32: "i"
    case .uint16: "q"
    case .uint32: "u"
    }
  }
}
