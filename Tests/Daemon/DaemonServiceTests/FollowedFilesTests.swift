#if Daemon
import CBonjourishLinux
import Foundation
import TestSupport
import Testing
import _BonjourishDaemonConfiguration
import _BonjourishDaemonService
import _BonjourishDiscovery
import _BonjourishEventLoop

/// Files that are followed. Sendable: used on its loop only, but for what is watched.
private final class Follower: @unchecked Sendable {
  let loop: EventLoop
  let folder: TemporaryFolder
  /// The names of the service groups, and of the hosts, after each change.
  private let servicesBox = Locked<[[String]]>([])
  private let hostsBox = Locked<[[String]]>([])
  private let logBox = Locked<[String]>([])
  var services: [[String]] { servicesBox.withLock { $0 } }
  var hosts: [[String]] { hostsBox.withLock { $0 } }
  var log: [String] { logBox.withLock { $0 } }
  private var files: FollowedFiles?

  init(_ folder: TemporaryFolder) async throws {
    loop = try EventLoop(name: "test")
    self.folder = folder
    await run { follower in
      follower.files = FollowedFiles(
        ServiceFolder(path: folder.path), on: follower.loop,
        FollowedFiles.Handlers(
          services: { [unowned follower] services in
            follower.servicesBox.withLock { $0.append(services.values.map(\.name).sorted()) }
          },
          hosts: { [unowned follower] hosts in follower.hostsBox.withLock { $0.append(hosts.map(\.name.text)) } },
          log: { [unowned follower] message in follower.logBox.withLock { $0.append(message.text) } }))
    }
  }

  func run<Value: Sendable>(_ body: @escaping @Sendable (Follower) -> Value) async -> Value {
    await withCheckedContinuation { continuation in loop.execute { continuation.resume(returning: body(self)) } }
  }

  func reload() async { await run { $0.files?.reload() } }

  func until(_ condition: @escaping @Sendable (Follower) -> Bool) async {
    while !condition(self) { await Task.yield() }
  }

  func stop() async {
    await run { follower in
      follower.files?.stop()
      follower.files = nil
    }
    await loop.shutdown()
  }
}

@Suite(.timeLimit(.minutes(2))) struct FollowedFilesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func makeServices() throws {
    try FileManager.default.createDirectory(atPath: folder.path + "/services", withIntermediateDirectories: false)
  }

  private func write(_ name: String, to file: String) throws {
    let text = ServiceFolderTests.ssh.replacing("%h &amp; Co. &#x41;<![CDATA[<x>]]>", with: name)
    try text.write(toFile: folder.path + "/services/" + file, atomically: true, encoding: .utf8)
  }

  @Test func `files are read at the start, and when they are made, changed and removed`() async throws {
    try makeServices()
    try write("one", to: "a.service")
    let follower = try await Follower(folder)
    await follower.until { $0.services == [["one"]] }
    try write("two", to: "b.service")
    await follower.until { $0.services.last == ["one", "two"] }
    try write("three", to: "a.service")
    await follower.until { $0.services.last == ["three", "two"] }
    try FileManager.default.removeItem(atPath: folder.path + "/services/b.service")
    await follower.until { $0.services.last == ["three"] }
    try "10.77.0.9 printer.local".write(toFile: folder.path + "/hosts", atomically: false, encoding: .utf8)
    await follower.until { $0.hosts.last == ["printer.local"] }
    try "nonsense".write(toFile: folder.path + "/hosts", atomically: false, encoding: .utf8)
    await follower.until { $0.log.contains { $0.contains("/hosts:1:") } }
    // What was published stays.
    #expect(follower.hosts == [["printer.local"]])
    let log = follower.log
    for text in ["Loading service file", "changed, reloading.", "vanished, removing services.", "Files changed, reloading."] {
      #expect(log.contains { $0.contains(text) }, "\(text) in \(log)")
    }
    await follower.stop()
  }

  @Test func `a folder that is made later is followed`() async throws {
    let follower = try await Follower(folder)
    try makeServices()
    try write("one", to: "a.service")
    await follower.until { $0.services == [["one"]] }
    try write("two", to: "a.service")
    await follower.until { $0.services.last == ["two"] }
    await follower.stop()
  }

  @Test func `without a change somebody is told after a reload only`() async throws {
    try makeServices()
    try write("one", to: "a.service")
    let follower = try await Follower(folder)
    await follower.until { $0.services == [["one"]] }
    try write("one", to: "a.service")
    await follower.until { $0.log.count { $0 == "Files changed, reloading." } > 0 }
    try write("two", to: "a.service")
    await follower.until { $0.services.count > 1 }
    #expect(follower.services == [["one"], ["two"]])
    #expect(follower.hosts.isEmpty)
    await follower.reload()
    await follower.until { $0.services.count > 2 && !$0.hosts.isEmpty }
    #expect(follower.services == [["one"], ["two"], ["two"]] && follower.hosts == [[]])
    await follower.stop()
  }

  /// Reading from address 0 of a process is an error, EIO.
  @Test func `a file that cannot be read for now stays published, and is read again`() async throws {
    try makeServices()
    try write("one", to: "a.service")
    try write("other", to: "b.service")
    let elsewhere = try TemporaryFolder()
    let follower = try await Follower(folder)
    await follower.until { $0.services == [["one", "other"]] }
    // The folder in which the file itself is made and replaced is not watched.
    try FileManager.default.createSymbolicLink(atPath: elsewhere.path + "/file", withDestinationPath: "/proc/self/mem")
    let file = folder.path + "/services/a.service"
    try FileManager.default.createSymbolicLink(atPath: file + ".new", withDestinationPath: elsewhere.path + "/file")
    try systemCall("rename") { rename(file + ".new", file) }
    await follower.until { $0.log.contains { $0.contains("a.service: it cannot be read") } }
    let text = ServiceFolderTests.ssh.replacing("%h &amp; Co. &#x41;<![CDATA[<x>]]>", with: "two")
    try text.write(toFile: elsewhere.path + "/new", atomically: false, encoding: .utf8)
    try systemCall("rename") { rename(elsewhere.path + "/new", elsewhere.path + "/file") }
    await follower.until { $0.services.count > 1 }
    #expect(follower.services == [["one", "other"], ["other", "two"]])
    #expect(!follower.log.contains { $0.contains("vanished") })
    await follower.stop()
  }

  @Test func `a broken file is told once, and what it published is withdrawn`() async throws {
    try makeServices()
    try write("one", to: "a.service")
    let follower = try await Follower(folder)
    await follower.until { $0.services == [["one"]] }
    try "<".write(toFile: folder.path + "/services/a.service", atomically: true, encoding: .utf8)
    await follower.until { $0.services.last == [] }
    await follower.reload()
    try write("two", to: "b.service")
    await follower.until { $0.services.last == ["two"] }
    #expect(follower.log.count { $0.contains("a.service:1:") } == 1)
    #expect(follower.log.contains { $0.contains("a.service cannot be used, removing services.") })
    #expect(!follower.log.contains { $0.contains("vanished") })
    await follower.stop()
  }
}
#endif
