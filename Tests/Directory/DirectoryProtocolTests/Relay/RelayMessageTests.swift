import Testing
import _BonjourishDirectoryProtocol

@Suite struct RelayMessageTests {
  private static let id = RelayNumber(high: 0x0123_4567_89AB_CDEF, low: 0x0011_2233_4455_6677)

  private func read(_ bytes: [UInt8]) -> RelayMessage? { RelayMessage(reading: bytes.span) }

  @Test func `a number is text of 32 digits, and nothing else is`() {
    #expect(Self.id.text == "0123456789abcdef0011223344556677")
    #expect(RelayNumber(Self.id.text) == Self.id)
    #expect(RelayNumber(high: 0, low: 1).text == "00000000000000000000000000000001")
    #expect(RelayNumber(RelayNumber(high: 0, low: 1).text) == RelayNumber(high: 0, low: 1))
    for wrong in [
      "", "0123456789ABCDEF0011223344556677", "0123456789abcdef001122334455667", "+123456789abcdef0011223344556677",
    ] {
      #expect(RelayNumber(wrong) == nil)
    }
    #expect(Self.id.bytes.prefix(3) == [0x01, 0x23, 0x45] && Self.id.bytes.count == 16)
    #expect(RelayNumber.random() != RelayNumber.random())
  }

  @Test func `a message is read as it was written`() {
    for kind in [RelayMessage.Kind.dial, .accept, .data, .finish, .reset] {
      let message = RelayMessage(
        kind, isFromDialer: kind == .dial, of: Self.id, flags: kind == .data ? [.wantsAnswer, .hasGap] : [],
        reason: kind == .reset ? .silent : nil, offset: 1 << 60, acknowledged: 77, limit: .max,
        address: kind == .dial || kind == .accept ? RelayNumber(high: 5, low: 6) : nil)
      #expect(read(message.bytes()) == message)
      #expect(message.bytes().count == message.size)
    }
  }

  /// After CVE-2021-21404 (Syncthing): a negative length from a relay.
  @Test func `what breaks the format is refused`() {
    let data = RelayMessage(.data, isFromDialer: true, of: Self.id).bytes()
    #expect(read(data.dropLast()) == nil)
    #expect(read([2] + data.dropFirst()) == nil)
    #expect(read([1, 9] + data.dropFirst(2)) == nil)
    // A reason without a reset.
    #expect(read([1, 3, 0, 1] + data.dropFirst(4)) == nil)
    #expect(read([1, 5, 0, 0] + data.dropFirst(4)) == nil)
    #expect(read([1, 5, 0, 9] + data.dropFirst(4)) == nil)
    let most = [UInt8](repeating: 0, count: RelayMessage.maximumPayload)
    #expect(read(data + most) != nil)
    #expect(read(data + most + [0]) == nil)
    // Only data have bytes.
    #expect(read(RelayMessage(.finish, isFromDialer: true, of: Self.id).bytes() + [0]) == nil)
    #expect(read(RelayMessage(.dial, isFromDialer: true, of: Self.id).bytes() + [0]) == nil)
  }

  @Test func `dials are limited to a number at once, and then to some each second`() {
    var limiter = DialLimiter()
    let now = ContinuousClock.now
    #expect((0..<200).filter { _ in limiter.permit(at: now) }.count == DialLimiter.burst)
    #expect((0..<200).filter { _ in limiter.permit(at: now + .seconds(1)) }.count == 50)
    #expect((0..<200).filter { _ in limiter.permit(at: now + .seconds(100)) }.count == DialLimiter.burst)
  }
}
