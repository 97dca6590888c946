/// A value of D-Bus.
package indirect enum BusValue: Hashable, Sendable {
  case byte(UInt8)
  case truth(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  /// The bits of a floating-point number.
  case double(UInt64)
  case text(String)
  /// The path of an object.
  case path(String)
  case signature(String)
  /// The number of a descriptor that came with the message.
  case descriptor(UInt32)
  /// An array of bytes.
  case bytes([UInt8])
  /// An array of values of another type, which is given for the array without elements.
  case array(of: String, [BusValue])
  case structure([BusValue])
  /// An entry of a dictionary, which is an array of entries.
  case entry(BusValue, BusValue)
  case variant(BusValue)

  /// The type, as in a signature.
  package var type: String {
    switch self {
    case .byte: "y"
    case .truth: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .text: "s"
    case .path: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .bytes: "ay"
    case .array(let element, _): "a" + element
    case .structure(let members): "(" + members.map(\.type).joined() + ")"
    case .entry(let key, let value): "{" + key.type + value.type + "}"
    case .variant: "v"
    }
  }
}

extension BusValue {
  /// An integer of any size that fits.
  package var number: Int? {
    switch self {
    case .byte(let number): Int(number)
    case .int16(let number): Int(number)
    case .uint16(let number): Int(number)
    case .int32(let number): Int(number)
    case .uint32(let number): Int(number)
    case .int64(let number): Int(exactly: number)
    case .uint64(let number): Int(exactly: number)
    default: nil
    }
  }
}
