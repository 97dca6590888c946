extension LinkState {
  /// Takes in a datagram. What is no message, or no message for us, is dropped without a word.
  mutating func receive(
    _ bytes: [UInt8], from source: MulticastSource, to reception: MulticastEngine.Reception, _ turn: inout Turn
  ) {
    if source.port == MulticastEngine.port, ownAddresses.contains(source.address), echoes.take(bytes, at: turn.now) { return }
    let message: DNSMessage
    do throws(DNSMessageError) {
      message = try DNSMessage(parsing: bytes)
    } catch {
      return
    }
    receive(message, from: source, to: reception, &turn)
  }

  /// Takes in a message that is not an echo of our own.
  mutating func receive(
    _ message: DNSMessage, from source: MulticastSource, to reception: MulticastEngine.Reception, _ turn: inout Turn
  ) {
    let isOurs = ownAddresses.contains(source.address)
    if message.isResponse {
      // RFC 6762 §6: responses come from port 5353; and to us alone only if we asked for that, which we never do.
      guard source.port == MulticastEngine.port, reception == .multicast else { return }
      takeIn(message.answers, from: source.address, isOurs: isOurs, &turn)
      takeIn(message.authorities, from: source.address, isOurs: isOurs, &turn)
      takeIn(message.additionals, from: source.address, isOurs: isOurs, &turn)
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
  private mutating func takeIn(_ records: [DNSRecord], from source: DNSAddress, isOurs: Bool, _ turn: inout Turn) {
    for record in records {
      compare(record, fromThisHost: isOurs, &turn)
      learn(record, from: source, &turn)
    }
  }
}
