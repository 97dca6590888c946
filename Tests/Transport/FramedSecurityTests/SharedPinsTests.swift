import CBonjourishLinux
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop
import _BonjourishPrivateFiles

@testable import FramedSecurity

/// Several programs, or several stores of one program, with one file of keys.
@Suite(.timeLimit(.minutes(1))) struct SharedPinsTests {
  private let folder: TemporaryFolder
  private let host: Identity
  private let guest: Identity

  init() throws {
    folder = try TemporaryFolder()
    host = try Identity.ephemeral()
    guest = try Identity.ephemeral()
  }

  private var path: String { "\(folder.path)/pins" }

  private func write(_ text: String) throws {
    try PrivateFile(path, maximumSize: 10_000).write(Array(text.utf8))
  }

  // MARK: - Stores

  @Test func `what one store changes the other sees at once`() throws {
    let (one, other) = (try PinStore(at: path), try PinStore(at: path))
    #expect(try other.keys().isEmpty)
    try one.pin(host.fingerprint, for: "a")
    #expect(other.key(of: "a") == host.fingerprint && other.contains(host.fingerprint))
    try other.pin(guest.fingerprint, for: "b")
    #expect(try one.keys() == ["a": host.fingerprint, "b": guest.fingerprint])
    try other.replace(host.fingerprint, with: guest.fingerprint, for: "a")
    #expect(one.key(of: "a") == guest.fingerprint && !one.contains(host.fingerprint))
    try one.forget(key: guest.fingerprint)
    #expect(try other.keys().isEmpty && other.key(of: "a") == nil && !other.contains(guest.fingerprint))
    // Again and again, however fast.
    for number in 0..<40 {
      let (writer, reader) = number % 2 == 0 ? (one, other) : (other, one)
      let key = number % 3 == 0 ? host.fingerprint : guest.fingerprint
      try writer.pin(key, for: "c")
      #expect(reader.key(of: "c") == key)
      try writer.forget("c")
      #expect(!reader.contains(key))
    }
  }

  @Test func `a file that is removed has no keys, and one that is broken knows nobody`() throws {
    let store = try PinStore(at: path)
    try store.pin(host.fingerprint, for: "a")
    try write("nothing of ours\n")
    let error = #expect(throws: TransportError.self) { try store.keys() }
    #expect(error?.code == .unusablePins && error?.message.contains(path) == true)
    // Nobody is let in for it, and no other key is accepted in its place.
    #expect(!store.contains(host.fingerprint) && store.key(of: "a") == host.fingerprint)
    #expect(throws: TransportError.self) { try store.pin(guest.fingerprint, for: "a") }
    try write("\(guest.fingerprint) b\n")
    #expect(try store.keys() == ["b": guest.fingerprint])
    unlink(path)
    #expect(try store.keys().isEmpty && !store.contains(guest.fingerprint))
  }

  @Test func `a file that has not changed is not read`() async throws {
    let store = try PinStore(at: path)
    try store.pin(host.fingerprint, for: "a")
    // Right after a change another one could look the same, so it is read until some time has passed.
    try await until { store.contains(host.fingerprint) && store.update == nil }
    for _ in 0..<100 { #expect(store.update == nil && store.contains(host.fingerprint)) }
    try PinStore(at: path).pin(guest.fingerprint, for: "b")
    #expect(store.update != nil && store.contains(guest.fingerprint))
  }

  @Test func `a file that is not there is not read, and one may have up to a mebibyte`() throws {
    #expect(try PinStore(at: path).update == nil)
    // Lines of 578 bytes, and two shorter ones.
    let key = "\(host.fingerprint)"
    func line(_ number: Int, _ count: Int) -> String {
      "\(key) " + "\(number)".padding(to: count - key.utf8.count - 2) + "\n"
    }
    let lines = (0..<1_813).map { line($0, 578) } + [line(5_000, 331), line(5_001, 331)]
    let text = lines.joined()
    #expect(text.utf8.count == 1_048_576)
    let file = PrivateFile(path, maximumSize: 2_000_000)
    try file.write(Array(text.utf8))
    #expect(try PinStore(at: path).keys().count == 1_815)
    try file.write(Array((text + "\n").utf8))
    let error = #expect(throws: TransportError.self) { try PinStore(at: path) }
    #expect(error?.code == .unusablePins)
  }

  @Test func `a store without a file is always current`() throws {
    let store = PinStore()
    try store.pin(host.fingerprint, for: "a")
    #expect(try store.update == nil && store.keys() == ["a": host.fingerprint])
  }

  // MARK: - Connections

  private func security(_ passcode: Passcode?, _ hosts: PinStore) -> ConnectionSecurity {
    .passcode(passcode, or: .known(hosts, name: "Ada's room"), identity: guest)
  }

  @Test func `a guest whom another program forgets is asked for the passcode at the next connection`() async throws {
    let (running, administrator) = (try PinStore(at: path), try PinStore(at: path))
    let hosts = PinStore()
    let listening = ListenerSecurity.passcode(PasscodeGuard("471123"), or: .known(running), identity: host)
    try await withListener(listening) { listener in
      // A guest's key is kept before the guest is delivered.
      async let served: Void = listener.serve { _ in }
      for _ in 0..<5 {
        #expect(await listener.refusal(security("471123", hosts)) == nil)
        try await until { running.contains(guest.fingerprint) }
        #expect(await listener.refusal(security(nil, hosts)) == nil)
        #expect(try administrator.keys() == ["\(guest.fingerprint)": guest.fingerprint])
        try administrator.forget(key: guest.fingerprint)
        #expect(await listener.refusal(security(nil, hosts))?.code == .keyForgotten)
        // And whom it adds is let in.
        try administrator.pin(guest.fingerprint, for: "Bob")
        #expect(await listener.refusal(security(nil, hosts)) == nil)
        try administrator.forget("Bob")
      }
      await listener.close()
      await served
    }
  }

  @Test func `while the file of guests is broken all are asked for the passcode, and the log says so`() async throws {
    let guests = try PinStore(at: path)
    let hosts = PinStore()
    let messages = Locked<[LogMessage]>([])
    let listening = ListenerSecurity.passcode(PasscodeGuard("471123"), or: .known(guests), identity: host)
    let listener = try await Listener.bind(interface: "lo", limits: .untimed, security: listening) { message in
      messages.withLock { $0.append(message) }
    }
    async let served: Void = listener.serve { _ in }
    #expect(await listener.refusal(security("471123", hosts)) == nil)
    try await until { guests.contains(guest.fingerprint) }
    #expect(await listener.refusal(security(nil, hosts)) == nil)
    try write("nothing of ours\n")
    #expect(await listener.refusal(security(nil, hosts))?.code == .keyForgotten)
    #expect(await listener.refusal(security("471123", hosts)) == nil)
    let told = try #require(messages.withLock { $0.first { $0.text.contains("everybody is asked for the passcode") } })
    #expect(told.level == .warning && told.source == "FramedSecurity" && told.text.contains(path))
    try write("\(guest.fingerprint) Bob\n")
    #expect(await listener.refusal(security(nil, hosts)) == nil)
    await listener.close()
    await served
  }

  @Test func `a client goes by the keys that another program has changed`() async throws {
    let (client, other) = (try PinStore(at: path), try PinStore(at: path))
    let firstUse = ConnectionSecurity.firstUse(client, name: "a")
    let paired = ConnectionSecurity.passcode("471123", or: .known(client, name: "a"), identity: guest)
    let listening = ListenerSecurity.passcode(PasscodeGuard("471123"), admitsOthers: true, identity: host)
    try await withListener(listening) { listener in
      try other.pin(guest.fingerprint, for: "a")
      #expect(await listener.refusal(firstUse)?.code == .keyChanged)
      #expect(await listener.refusal(paired)?.code == .keyChanged)
      try other.replace(guest.fingerprint, with: host.fingerprint, for: "a")
      #expect(await listener.refusal(firstUse) == nil)
      #expect(await listener.refusal(paired) == nil)
      try other.forget("a")
      #expect(await listener.refusal(firstUse) == nil)
      #expect(other.key(of: "a") == host.fingerprint)
      // Without the file nothing is accepted in silence.
      try write("nothing of ours\n")
      for security in [firstUse, paired] {
        let error = await listener.refusal(security)
        #expect(error?.code == .unusablePins && error?.isPermanent == true)
      }
    }
  }
}

extension String {
  /// The text with letters behind it.
  fileprivate func padding(to count: Int) -> String { self + String(repeating: "a", count: count - utf8.count) }
}
