/// A complete type of a signature (D-Bus specification, "Type system").
indirect enum BusType: Hashable {
  case basic(UInt8)
  case variant
  case array(BusType)
  case structure([BusType])
  case entry(UInt8, BusType)

  /// The largest depth of arrays, and of structures.
  private static let maximumDepth = 32
  /// The longest signature in bytes.
  static let maximumBytes = 255

  /// The alignment in bytes of a value of this type.
  var alignment: Int {
    switch self {
    case .basic(let code): Self.alignment(of: code)
    case .variant: 1
    case .array: 4
    case .structure, .entry: 8
    }
  }

  private static func alignment(of code: UInt8) -> Int {
    switch code {
    case UInt8(ascii: "y"), UInt8(ascii: "g"): 1
    case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
    case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"): 8
    default: 4
    }
  }

  /// The type as in a signature.
  var text: String {
    switch self {
    case .basic(let code): String(Unicode.Scalar(code))
    case .variant: "v"
    case .array(let element): "a" + element.text
    case .structure(let members): "(" + members.map(\.text).joined() + ")"
    case .entry(let key, let value): "{" + String(Unicode.Scalar(key)) + value.text + "}"
    }
  }

  /// The types of a signature; nil when it is not valid.
  static func all(in signature: String) -> [BusType]? {
    guard signature.utf8.count <= maximumBytes else { return nil }
    var rest = Array(signature.utf8)[...]
    var types: [BusType] = []
    while !rest.isEmpty {
      guard let type = take(from: &rest, arrays: 0, structures: 0) else { return nil }
      types.append(type)
    }
    return types
  }

  private static func take(from rest: inout ArraySlice<UInt8>, arrays: Int, structures: Int) -> BusType? {
    guard arrays <= maximumDepth, structures <= maximumDepth, let code = rest.popFirst() else { return nil }
    switch code {
    case UInt8(ascii: "v"):
      return .variant
    case UInt8(ascii: "a"):
      guard rest.first == UInt8(ascii: "{") else {
        return take(from: &rest, arrays: arrays + 1, structures: structures).map { .array($0) }
      }
      rest.removeFirst()
      guard let key = rest.popFirst(), isBasic(key),
        let value = take(from: &rest, arrays: arrays + 1, structures: structures + 1), rest.popFirst() == UInt8(ascii: "}")
      else { return nil }
      return .array(.entry(key, value))
    case UInt8(ascii: "("):
      var members: [BusType] = []
      while let next = rest.first, next != UInt8(ascii: ")") {
        guard let member = take(from: &rest, arrays: arrays, structures: structures + 1) else { return nil }
        members.append(member)
      }
      guard !members.isEmpty, rest.popFirst() != nil else { return nil }
      return .structure(members)
    default:
      return isBasic(code) ? .basic(code) : nil
    }
  }

  private static func isBasic(_ code: UInt8) -> Bool { "ybnqiuxtdsogh".utf8.contains(code) }
}
