import _BonjourishMulticastDNS

/// A datagram: what is read from it is written and read again as the same.
package enum MessageCase {
  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    guard let message = try? DNSMessage(parsing: bytes) else { return }
    let written = message.written()
    // Names that were pointers inside data of other types are written out.
    guard written.count <= DNSMessage.maximumBytes else { return }
    let again: DNSMessage
    do throws(DNSMessageError) {
      again = try DNSMessage(parsing: written)
    } catch {
      throw Violation("what was read is written as what cannot be read: \(error)")
    }
    try Violation.unless(again == message, "what was read is written as something else:\n\(message)\n\(again)")
    try Violation.unless(again.written() == written, "the same message is written in two ways")
  }
}
