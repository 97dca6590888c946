import Discovery
import FoundationEssentials

/// Values as JSON on one line: sorted keys, slashes as they are, and nothing that would disturb a terminal.
package enum JSONLine {
  package static func text(of value: some Encodable) -> String {
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

  /// Invisible characters occur within strings only, where JSON has an escape for them that means the same.
  private static func escaped(_ json: String) -> String {
    guard !json.unicodeScalars.allSatisfy(\.isVisible) else { return json }
    return json.unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.isVisible {
        result.unicodeScalars.append(scalar)
      } else {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          let digits = String(unit, radix: 16)
          result += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
        }
      }
    }
  }
}
