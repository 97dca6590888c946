import FramedSecurity
import Testing
import TwentyFour

@testable import Rooms

/// The tokens that let pages into a room with a passcode.
struct WebAdmissionTests {
  private let phone = Peer(address: Origin(rawValue: "10.0.0.2"), isTrusted: false, isWeb: true)
  private let owner = WebAdmission.Owner(room: RoomMessageTests.room, player: PlayerID(rawValue: 2))

  private let holder = ConnectionID(rawValue: 7)

  private func hello(_ text: String?, name: String = "Bob", spectates: Bool = false) -> RoomMessage.Hello {
    RoomMessage.Hello(name: name, admission: text, spectates: spectates)
  }

  /// The reason why a peer may not come in; nil if it may.
  private func refusal(
    _ admission: inout WebAdmission, _ text: String?, of peer: Peer? = nil, at now: Duration = .zero,
    hello: RoomMessage.Hello? = nil, isOwnerIn: Bool = false
  ) -> RoomReason.Code? {
    do throws(RoomReason) {
      try admission.check(hello ?? self.hello(text), from: peer ?? phone, at: now, isOwnerIn: isOwnerIn)
      return nil
    } catch {
      return error.code
    }
  }

  private func shown(_ admission: inout WebAdmission, at now: Duration = .zero) throws -> AdmissionToken {
    let token = admission.refresh(at: now)
    return try #require(token)
  }

  private func pass(_ admission: inout WebAdmission, _ owner: WebAdmission.Owner) throws -> AdmissionToken {
    let name = owner.player == nil ? nil : try PlayerName("Bob")
    let pass = admission.pass(for: owner, called: name, over: holder, phone)
    return try #require(pass)
  }

  private func seconds(_ count: Int) -> Duration { .seconds(count) }

  @Test func `a token lets one page in, and another one is shown then`() throws {
    var admission = WebAdmission(isOn: true)
    let token = try shown(&admission, at: .zero)
    #expect(admission.refresh(at: .zero) == nil)
    #expect(refusal(&admission, token.text) == nil)
    // A check uses nothing up: the page may be refused for another reason, and try again.
    #expect(refusal(&admission, token.text) == nil)
    #expect(admission.refresh(at: .zero) == nil)
    _ = admission.use(hello(token.text))
    #expect(refusal(&admission, token.text) == .admission)
    let next = try shown(&admission, at: .zero)
    #expect(next != token && next.text.utf8.count == 26)
    #expect(refusal(&admission, next.text) == nil)
  }

  @Test func `nothing else lets a page in`() throws {
    var admission = WebAdmission(isOn: true)
    let token = try shown(&admission, at: .zero)
    for text in [nil, "", "471123", String(token.text.dropLast()), token.text + "a", AdmissionToken.random().text] {
      #expect(refusal(&admission, text) == .admission, "\(text ?? "none")")
      _ = admission.use(hello(text))
    }
    #expect(refusal(&admission, token.text) == nil)
    // Native peers prove the passcode, and a room without tokens has none.
    #expect(refusal(&admission, token.text, of: Peer(address: phone.address, isTrusted: false)) == .passcode)
    var off = WebAdmission()
    #expect(
      off.refresh(at: .zero) == nil && off.nextDeadline == nil && off.pass(for: owner, called: nil, over: holder, phone) == nil)
    #expect(refusal(&off, token.text) == .passcode)
  }

  @Test func `a token is shown for five minutes, and good for ten`() throws {
    var admission = WebAdmission(isOn: true)
    let first = try shown(&admission, at: seconds(7))
    #expect(admission.nextDeadline == seconds(307))
    #expect(admission.refresh(at: seconds(306)) == nil)
    let second = try shown(&admission, at: seconds(307))
    #expect(refusal(&admission, first.text, at: seconds(606)) == nil)
    #expect(refusal(&admission, first.text, at: seconds(607)) == .admission)
    #expect(refusal(&admission, second.text, at: seconds(607)) == nil)
    #expect(refusal(&admission, second.text, at: seconds(907)) == .admission)
  }

  @Test func `however long nobody comes, only the latest tokens are good`() throws {
    var admission = WebAdmission(isOn: true)
    var tokens: [AdmissionToken] = []
    for number in 0..<20 { tokens.append(try shown(&admission, at: seconds(300 * number))) }
    let now = seconds(300 * 19)
    #expect(tokens.suffix(3).map { refusal(&admission, $0.text, at: now) } == [.admission, nil, nil])
  }

  @Test func `a token that is used while another one is shown changes nothing on the screen`() throws {
    var admission = WebAdmission(isOn: true)
    let first = try shown(&admission, at: .zero)
    let second = try shown(&admission, at: seconds(300))
    _ = admission.use(hello(first.text))
    #expect(admission.refresh(at: seconds(301)) == nil)
    #expect(refusal(&admission, second.text, at: seconds(301)) == nil)
  }

  @Test func `guesses of one address are looked at ten times a second, and others come in meanwhile`() throws {
    var admission = WebAdmission(isOn: true)
    let token = try shown(&admission, at: .zero)
    let codes = (0..<200).map { _ in refusal(&admission, AdmissionToken.random().text) }
    #expect(codes.count { $0 == .admission } == 100 && codes.last == .tooFast)
    #expect(refusal(&admission, token.text) == .tooFast)
    let other = Peer(address: Origin(rawValue: "10.0.0.3"), isTrusted: false, isWeb: true)
    #expect(refusal(&admission, token.text, of: other) == nil)
    #expect(refusal(&admission, token.text, at: seconds(1)) == nil)
  }

  @Test func `what is given back is good again for the rest of its time, and is not shown again`() throws {
    var admission = WebAdmission(isOn: true)
    let token = try shown(&admission)
    let taken = admission.use(hello(token.text))
    let used = try #require(taken)
    #expect(used.former == nil)
    #expect(try shown(&admission, at: seconds(1)) != token)
    admission.restore(used)
    #expect(admission.refresh(at: seconds(2)) == nil)
    #expect(refusal(&admission, token.text, at: seconds(599)) == nil)
    #expect(refusal(&admission, token.text, at: seconds(600)) == .admission)
  }

  // MARK: Coming in again

  @Test func `whoever was in comes in again once, and not after being removed`() throws {
    var admission = WebAdmission(isOn: true)
    _ = admission.refresh(at: .zero)
    let first = try pass(&admission, owner)
    #expect(refusal(&admission, first.text, at: .seconds(100_000)) == nil)
    _ = admission.use(hello(first.text))
    #expect(refusal(&admission, first.text, at: .seconds(100_001)) == .admission)
    // The screen shows the same as before.
    let other = WebAdmission.Owner(room: RoomMessageTests.room, player: nil)
    let (mine, theirs) = (try pass(&admission, owner), try pass(&admission, other))
    admission.revokePasses(of: owner)
    #expect(refusal(&admission, mine.text, at: .seconds(100_002)) == .admission)
    #expect(refusal(&admission, nil, at: .seconds(100_002), hello: hello(theirs.text, spectates: true)) == nil)
    #expect(admission.pass(for: owner, called: nil, over: holder, Peer(address: phone.address)) == nil)
  }

  @Test func `a pass brings back its owner only, and never while the owner is in`() throws {
    var admission = WebAdmission(isOn: true)
    let mine = try pass(&admission, owner)
    let board = try pass(&admission, .init(room: RoomMessageTests.room, player: nil))
    func code(_ hello: RoomMessage.Hello, isOwnerIn: Bool = false) -> RoomReason.Code? {
      refusal(&admission, nil, hello: hello, isOwnerIn: isOwnerIn)
    }
    #expect(code(hello(mine.text)) == nil)
    #expect(code(hello(mine.text), isOwnerIn: true) == .admission)
    #expect(code(hello(mine.text, name: "Cy")) == .admission)
    #expect(code(hello(mine.text, spectates: true)) == .admission)
    #expect(code(hello(board.text, name: "Television", spectates: true)) == nil)
    #expect(code(hello(board.text)) == .admission)
    #expect(admission.owner(of: hello(mine.text)) == owner && admission.owner(of: hello("471123")) == nil)
    #expect(admission.use(hello(mine.text))?.former == holder)
  }

  @Test func `an address that comes again and again takes no pass from others`() throws {
    var admission = WebAdmission(isOn: true)
    let honest = try pass(&admission, owner)
    let busy = Peer(address: Origin(rawValue: "10.0.0.66"), isTrusted: false, isWeb: true)
    let name = try PlayerName("Bob")
    let passes = (0..<1_000).map { _ in admission.pass(for: owner, called: name, over: holder, busy) }
    #expect(admission.passes.count == WebAdmission.passLimit)
    #expect(refusal(&admission, honest.text) == nil)
    #expect(refusal(&admission, passes.last??.text, at: .seconds(1)) == nil)
    #expect(refusal(&admission, passes[0]?.text, at: .seconds(1)) == .admission)
  }

  @Test func `a token shows itself to nobody who prints it`() {
    let token = AdmissionToken.random()
    #expect("\(token)" == "an admission token" && String(reflecting: token) == "an admission token")
    var dumped = ""
    dump(HostEffect.show(token), to: &dumped)
    #expect(!dumped.contains(token.text))
  }
}
