import Foundation
import TestSupport
import Testing
import TwentyFour

@testable import Screens

struct RememberedNameTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func file() throws -> RememberedName {
    try #require(RememberedName { $0 == "XDG_CONFIG_HOME" ? folder.path : nil })
  }

  @Test func `a name is written and read again`() throws {
    let file = try file()
    #expect(try file.read() == nil)
    try file.write(Evening.name("李雷"))
    try file.write(Evening.name("Ada"))
    #expect(try file.read() == Evening.name("Ada"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/bonjourish") == ["name"])
    // Nobody else has to know it.
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/bonjourish")
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test(arguments: ["", "\n", "a\u{202E}b", String(repeating: "x", count: 5_000)])
  func `a file without a valid name is an error`(text: String)
    throws
  {
    let file = try file()
    try file.write(Evening.name("Ada"))
    try Data(text.utf8).write(to: URL(filePath: file.path))
    #expect(throws: RememberedName.Problem.self) { try file.read() }
    try Data([0xFF]).write(to: URL(filePath: file.path))
    #expect(throws: RememberedName.Problem(path: file.path, reason: "not UTF-8")) { try file.read() }
  }

  @Test func `a place that cannot be written is an error`() throws {
    let file = try #require(RememberedName { $0 == "XDG_CONFIG_HOME" ? "/proc/nowhere" : nil })
    #expect(throws: RememberedName.Problem.self) { try file.write(Evening.name("Ada")) }
  }

  @Test func `the file is where the XDG specification says`() {
    #expect(RememberedName { ["HOME": "/home/ada"][$0] }?.path == "/home/ada/.config/bonjourish/name")
    #expect(
      RememberedName { ["HOME": "/home/ada", "XDG_CONFIG_HOME": "relative"][$0] }?.path == "/home/ada/.config/bonjourish/name")
    #expect(RememberedName { ["HOME": "/home/ada", "XDG_CONFIG_HOME": "/etc/ada"][$0] }?.path == "/etc/ada/bonjourish/name")
    #expect(RememberedName { _ in nil } == nil)
  }
}
