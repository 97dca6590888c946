extension LinkState {
  /// Takes in a datagram. What is no message, or no message for us, is dropped without a word.
  mutating func receive(
    _ bytes: [UInt8], from source: MulticastSource, to reception: MulticastEngine.Reception, _ turn: inout Turn
  ) {
    let isOurs = ownAddresses.contains(source.address)
    if isOurs, source.port == MulticastEngine.port, echoes.take(bytes, at: turn.now) { return }
    let message: DNSMessage
    do throws(DNSMessageError) {
      message = try DNSMessage(parsing: bytes)
    } catch {
      return
    }
    if message.isResponse {
      // RFC 6762 §6: responses come from port 5353; and to us alone only if we asked for that, which we never do.
      guard source.port == MulticastEngine.port, reception == .multicast else { return }
      for section in [message.answers, message.authorities, message.additionals] {
        for record in section {
          compare(record, fromThisHost: isOurs, &turn)
          learn(record, from: source.address, &turn)
        }
      }
    } else {
      // RFC 6762 §5.5: a query to us alone is answered only if it comes from the link.
      guard reception == .multicast || isOnLink(source.address) else { return }
      if source.port == MulticastEngine.port {
        breakTies(message, fromThisHost: isOurs, &turn)
        if reception == .multicast { overhear(message, from: source, at: turn.now) }
      }
      answer(message, from: source, to: reception, &turn)
    }
  }
}
