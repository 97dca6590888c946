import CICU

/// The calls of libicu. The only place that knows its C functions.
enum ICU {
  /// ICU's checker. It is only read, so any thread may use it.
  private nonisolated(unsafe) static let checker: OpaquePointer? = icu_open_spoof_checker()

  /// The text in Normalization Form KC: with one form of each letter, without ligatures and full-width forms.
  static func compatibilityComposed(_ text: String) -> String {
    converted(text) { icu_nfkc($0, $1, $2, $3) }
  }

  /// The skeleton of a text: texts that look alike have the same (UTS 39, section 4).
  static func skeleton(_ text: String) -> String {
    guard let checker else { preconditionFailure("libicu must have its data about confusable characters") }
    return converted(text) { icu_skeleton(checker, $0, $1, $2, $3) }
  }

  /// A text that cannot be converted stays as it is.
  private static func converted(
    _ text: String,
    _ convert: (UnsafePointer<UInt16>?, Int32, UnsafeMutablePointer<UInt16>?, Int32) -> Int32
  ) -> String {
    let units = Array(text.utf16)
    // One character becomes 18 at most (U+FDFA in NFKC).
    var result = [UInt16](repeating: 0, count: 18 * units.count + 16)
    let count = units.withUnsafeBufferPointer { units in
      result.withUnsafeMutableBufferPointer { result in
        convert(units.baseAddress, Int32(units.count), result.baseAddress, Int32(result.count))
      }
    }
    guard count >= 0 else { return text }
    return String(decoding: result[..<Int(count)], as: UTF16.self)
  }
}
