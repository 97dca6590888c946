import Foundation
import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishPrivateFiles

@testable import Bonjourish

private let web: ServiceType = "_http._tcp"

@Suite(.timeLimit(.minutes(1))) struct NameStoreTests {
  let backend: FakeBackend
  let time = ManualTime()

  init() throws {
    backend = try FakeBackend()
  }

  private func bonjour(_ store: NameStore, log: @escaping @Sendable (LogMessage) -> Void = { _ in }) -> Bonjour {
    Bonjour(backend: backend, time: time.clock, names: NameKeeper(store, log: log))
  }

  private static func wishes(_ commands: [FakeBackend.Command]) -> [Registration] {
    commands.compactMap { if case .publish(let wish) = $0 { wish } else { nil } }
  }

  /// Publishes a service; other hosts have the first names. Returns the names that were asked for and had.
  private func publish(
    _ name: InstanceName, on bonjour: Bonjour, _ policy: ConflictPolicy = .rename, getting: InstanceName
  ) async throws -> [InstanceName] {
    let count = Self.wishes(backend.commands).count
    async let had = bonjour.withPublishedServices([.init(name, type: web, port: 80, onConflict: policy)]) { await $0[0].name }
    // A former `Bonjour` may close the backend at any time.
    await backend.commands { Self.wishes($0).count == count + 1 }
    let wish = try #require(Self.wishes(backend.commands).last)
    if wish.name != getting { await backend.sayToPublishers(.renamed(from: wish.name, to: getting)) }
    await backend.sayToPublishers(.established(getting))
    return [wish.name, try await had]
  }

  @Test func `a name after a conflict is asked for at once the next time`() async throws {
    let folder = try TemporaryFolder()
    let store = NameStore.folder(folder.path)
    #expect(try await publish("Ada", on: bonjour(store), getting: "Ada #2") == ["Ada", "Ada #2"])
    #expect(try await publish("Ada", on: bonjour(store), getting: "Ada #2") == ["Ada #2", "Ada #2"])
    #expect(try await publish("ada", on: bonjour(store), getting: "Ada #3") == ["Ada #2", "Ada #3"])
    #expect(try await publish("Ada", on: bonjour(store), .fail, getting: "Ada") == ["Ada", "Ada"])
    #expect(try await publish("Bob", on: bonjour(store), getting: "Bob") == ["Bob", "Bob"])
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files == ["ada._http._tcp.local"])
    let path = "\(folder.path)/\(files[0])"
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "Ada #3\n")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func `a name of the program's own is not kept`() async throws {
    let folder = try TemporaryFolder()
    let store = NameStore.folder(folder.path)
    _ = try await publish("Ada", on: bonjour(store), getting: "Ada #2")
    #expect(try await publish("Ada", on: bonjour(store), getting: "Ada") == ["Ada #2", "Ada"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func `a renaming at the start is the first event also when the name was kept`() async throws {
    let store = NameStore(load: { _ in "Ada #2" }, store: { _, _ in })
    async let event = bonjour(store).withPublishedService(named: "Ada", type: web, port: 80) { service in
      var events = service.events.makeAsyncIterator()
      return try await events.next()
    }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("Ada #2"))
    #expect(try await event == .renamed(from: "Ada", to: "Ada #2"))
  }

  @Test func `errors of a store are logged and stop nothing`() async throws {
    struct Broken: Error {}
    let messages = Locked<[LogMessage]>([])
    let bonjour = bonjour(
      NameStore(load: { _ in throw Broken() }, store: { _, _ in throw Broken() }),
      log: { message in messages.withLock { $0.append(message) } })
    #expect(try await publish("Ada", on: bonjour, getting: "Ada #2") == ["Ada", "Ada #2"])
    #expect(messages.withLock { $0.map(\.level) } == [.warning, .warning])
  }

  @Test(arguments: ["", "Ada", "Ada #2", "\n", "Ada\nBob\n", String(repeating: "x", count: 64) + "\n"])
  func `a file with something else is no name`(text: String) async throws {
    let folder = try TemporaryFolder()
    let file = NameFile(of: ServiceInstance("Ada", type: web), in: folder.path)
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/ada._http._tcp.local"))
    #expect(try file.read() == nil)
    try file.write("Ada #4")
    #expect(try file.read() == "Ada #4")
    try file.remove()
    try file.remove()
    #expect(try file.read() == nil)
  }

  @Test func `a file is not read or written through a link`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/ada._http._tcp.local"
    try Data("Eve\n".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/target"))
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder.path)/target")
    let file = NameFile(of: ServiceInstance("Ada", type: web), in: folder.path)
    #expect(throws: PrivateFileError.self) { try file.read() }
    #expect(throws: PrivateFileError.self) { try file.write("Ada #2") }
    #expect(try String(contentsOfFile: "\(folder.path)/target", encoding: .utf8) == "Eve\n")
  }

  @Test func `file names are safe and differ`() throws {
    let names = [
      "..", "a/b", "a%2fb", "é", ".x", "A B", String(repeating: "é", count: 31), String(repeating: "é", count: 30) + "x",
    ]
    let files = try names.map { NameFile.fileName(of: ServiceInstance(try InstanceName($0), type: web)) }
    #expect(Set(files).count == names.count)
    #expect(files.allSatisfy { !$0.contains("/") && !$0.hasPrefix(".") && $0.utf8.count <= 200 })
    #expect(files[5] == "a%20b._http._tcp.local")
  }

  @Test func `a name is kept for its type and domain`() async throws {
    let asked = Locked<[ServiceInstance]>([])
    let store = NameStore(
      load: { requested in
        asked.withLock { $0.append(requested) }
        return nil
      }, store: { _, _ in })
    let service = Bonjour.Service("Ada", type: web, domain: "office.example", port: 80)
    async let done: Void = bonjour(store).withPublishedServices([service]) { _ in }
    await backend.commands { $0.count == 1 }
    await backend.sayToPublishers(.established("Ada"))
    try await done
    #expect(asked.withLock { $0 } == [ServiceInstance("Ada", type: web, domain: "office.example")])
  }

  /// Files outlive versions.
  @Test(arguments: [
    ("a.b", "a.b._http._tcp.local"), ("..", "%2e.._http._tcp.local"), ("Z@[`{09/", "z%40%5b%60%7b09%2f._http._tcp.local"),
    (String(repeating: "é", count: 30) + "xxx", String(repeating: "%c3%a9", count: 30) + "xxx._http._tcp.local"),
    (String(repeating: "é", count: 31), String(repeating: "%c3%a9", count: 30) + "-7a85e03de44427a1"),
  ])
  func `the file of a name stays the same`(name: String, file: String) throws {
    #expect(NameFile.fileName(of: ServiceInstance(try InstanceName(name), type: web)) == file)
  }
}
