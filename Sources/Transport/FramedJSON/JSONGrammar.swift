import FramedCoding
import _BonjourishBase

/// The grammar of JSON (RFC 8259), which bytes from the network must keep before they are decoded.
///
/// So the decoder never sees invalid JSON, nor more levels of nesting than the stack has room for.
enum JSONGrammar {
  /// - Throws: `invalidUTF8`, `malformed`, `truncated` or `tooDeep`, each with the position.
  static func check(_ bytes: [UInt8], maximumDepth: Int) throws(MessageError) {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw MessageError(.invalidUTF8, at: error.byteOffsets.lowerBound, expected: "UTF-8")
    }
    do throws(JSONReader.Flaw) {
      try JSONReader.check(bytes, maximumDepth: maximumDepth)
    } catch  where error.isTooDeep {
      throw MessageError(.tooDeep, at: error.position, expected: "arrays and objects nested at most \(maximumDepth) deep")
    } catch {
      let code: MessageError.Code = error.position < bytes.count ? .malformed : .truncated
      throw MessageError(code, at: error.position, expected: error.expected)
    }
  }
}
