/// Reads values as they are marshalled. Every function returns nil for bytes that are not valid.
struct BusReader {
  private let bytes: ArraySlice<UInt8>
  private let isLittle: Bool
  /// The offset from the start of the message, or of the body, which has the same alignment.
  private(set) var offset = 0
  /// How deep arrays, structures and variants may still be nested (D-Bus specification, "Valid Signatures").
  private var depth = 64

  init(_ bytes: ArraySlice<UInt8>, isLittle: Bool, at offset: Int = 0) {
    self.bytes = bytes
    self.isLittle = isLittle
    self.offset = offset
  }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func value(_ type: BusType) -> BusValue? {
    if case .basic(let code) = type { return basic(code) }
    guard depth > 0 else { return nil }
    depth -= 1
    defer { depth += 1 }
    return container(type)
  }

  private mutating func container(_ type: BusType) -> BusValue? {
    switch type {
    case .basic(let code):
      return basic(code)
    case .variant:
      guard let text = signature(), let types = BusType.all(in: text), types.count == 1 else { return nil }
      return value(types[0]).map { .variant($0) }
    case .array(let element):
      return array(of: element)
    case .structure(let types):
      guard align(8) else { return nil }
      var members: [BusValue] = []
      for type in types {
        guard let member = value(type) else { return nil }
        members.append(member)
      }
      return .structure(members)
    case .entry(let key, let type):
      guard align(8), let key = basic(key), let value = value(type) else { return nil }
      return .entry(key, value)
    }
  }

  private mutating func array(of element: BusType) -> BusValue? {
    guard let length = number(4), align(element.alignment), length <= bytes.count - offset else { return nil }
    if element == .basic(UInt8(ascii: "y")) { return take(Int(length)).map { .bytes(Array($0)) } }
    let end = offset + Int(length)
    var elements: [BusValue] = []
    while offset < end {
      guard let one = value(element) else { return nil }
      elements.append(one)
    }
    return offset == end ? .array(of: element.text, elements) : nil
  }

  private mutating func basic(_ code: UInt8) -> BusValue? {
    switch code {
    case UInt8(ascii: "y"): return take(1)?.first.map { .byte($0) }
    case UInt8(ascii: "b"):
      guard let number = number(4), number < 2 else { return nil }
      return .truth(number == 1)
    case UInt8(ascii: "n"): return number(2).map { .int16(Int16(truncatingIfNeeded: $0)) }
    case UInt8(ascii: "q"): return number(2).map { .uint16(UInt16(truncatingIfNeeded: $0)) }
    case UInt8(ascii: "i"): return number(4).map { .int32(Int32(truncatingIfNeeded: $0)) }
    case UInt8(ascii: "u"): return number(4).map { .uint32(UInt32(truncatingIfNeeded: $0)) }
    case UInt8(ascii: "h"): return number(4).map { .descriptor(UInt32(truncatingIfNeeded: $0)) }
    case UInt8(ascii: "x"): return number(8).map { .int64(Int64(bitPattern: $0)) }
    case UInt8(ascii: "t"): return number(8).map { .uint64($0) }
    case UInt8(ascii: "d"): return number(8).map { .double($0) }
    case UInt8(ascii: "s"): return text().map { .text($0) }
    case UInt8(ascii: "o"): return text().map { .path($0) }
    case UInt8(ascii: "g"): return signature().map { .signature($0) }
    default: return nil
    }
  }

  private mutating func text() -> String? {
    guard let length = number(4), length < bytes.count else { return nil }
    return terminated(Int(length))
  }

  private mutating func signature() -> String? {
    guard let length = take(1)?.first else { return nil }
    return terminated(Int(length))
  }

  private mutating func terminated(_ length: Int) -> String? {
    guard let text = take(length), take(1)?.first == 0, !text.contains(0) else { return nil }
    return String(validating: text, as: UTF8.self)
  }

  private mutating func number(_ size: Int) -> UInt64? {
    guard align(size), let some = take(size) else { return nil }
    return isLittle ? some.reversed().reduce(0) { $0 << 8 | UInt64($1) } : some.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Skips padding.
  mutating func align(_ size: Int) -> Bool {
    let next = (offset + size - 1) / size * size
    guard next <= bytes.count else { return false }
    offset = next
    return true
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= bytes.count - offset else { return nil }
    defer { offset += count }
    return bytes[(bytes.startIndex + offset)..<(bytes.startIndex + offset + count)]
  }
}
