import FoundationEssentials
import _BonjourishBase

/// Writes values as one line of JSON. Keys are sorted. Slashes are not escaped; characters that a terminal would interpret
/// are.
public enum JSONLine {
  /// The JSON text of a value. The value's `encode(to:)` must not throw.
  public static func text(of value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    do {
      return escaped(String(decoding: try encoder.encode(value), as: UTF8.self))
    } catch {
      preconditionFailure("\(type(of: value)) cannot be written as JSON: \(error)")
    }
  }

  /// Escapes invisible characters. They occur only within strings, where JSON has an equivalent escape.
  private static func escaped(_ json: String) -> String {
    guard !json.unicodeScalars.allSatisfy(\.isSafeToDisplay) else { return json }
    return json.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.isSafeToDisplay {
        result.unicodeScalars.append(scalar)
      } else {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          result += "\\u\(unit.hexadecimal)"
        }
      }
    }
  }
}
