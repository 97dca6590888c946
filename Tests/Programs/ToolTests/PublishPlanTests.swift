import Bonjourish
import Foundation
import TestSupport
import Testing

@testable import _BonjourishConsole
@testable import bonjourish_cli

/// What the command line of `publish` says.
struct PublishPlanTests {
  private func plan(_ arguments: [String]) async throws -> PublishPlan {
    guard case .arguments(let given) = try Commands.publish.parse(arguments) else { throw CancellationError() }
    return try await PublishPlan(given)
  }

  @Test func `a service has what was given, and else what is usual`() async throws {
    let plain = try await plan(["Ada", "http", "8080"])
    #expect(plain.services == [Bonjour.Service("Ada", type: "_http._tcp", port: 8080)])
    #expect(plain.hosts.isEmpty && plain.records.isEmpty && !plain.isEmpty)
    let full = try await plan([
      "--subtype", "_printer", "--subtype", "_x", "--no-rename", "--host", "labels", "--address", "10.0.0.9", "--address",
      "2001:db8::9", "Ada", "_ipp._tcp", "631", "path=/a=b", "empty=", "flag",
    ])
    let service = try #require(full.services.first)
    #expect(full.services.count == 1 && full.hosts.isEmpty)
    #expect(service.subtypes == ["_printer", "_x"] && service.conflictPolicy == .fail && service.domain == .local)
    #expect(service.host?.name == "labels.local")
    #expect(service.host?.addresses.map(\.description) == ["10.0.0.9", "2001:db8::9"])
    #expect(service.txt == ["path": "/a=b", "empty": "", "flag": .flag])
    #expect(try await plan(["--host", "a.b.local", "Ada", "http", "1"]).services.first?.host?.name == "a.b.local")
  }

  @Test func `what others may not understand is published only if that is asked for`() async throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/services.json"
    let json = #"{"services": [{"name": "Ada", "type": "_http._tcp", "port": 80, "txt": ["a=1", "A"], "host": "b c.local"}]}"#
    try Data(json.utf8).write(to: URL(filePath: file))
    let doubled = ["Ada", "http", "80", "a=1", "b", "A=2"]
    let error = await #expect(throws: DiscoveryError.self) { try await plan(doubled) }
    #expect(error?.code == .invalidTXTRecord && error?.message.contains("TXT key \"A\": it is given twice") == true)
    let txt = try await plan(doubled + ["--allow-odd"]).services.first?.txt
    #expect(txt?.strings == ["a=1", "b", "A=2"].map { Array($0.utf8) })
    await #expect(throws: Failure.self) { try await plan(["--file", file]) }
    let service = try await plan(["--file", file, "--allow-odd"]).services.first
    #expect(service?.host?.name == "b c.local" && service?.txt.strings == ["a=1", "A"].map { Array($0.utf8) })
    let odd = ["--allow-odd", "--host", "a b", "bad\u{FFFD}", "http", "80", "x=\u{FFFD}"]
    #expect(try await plan(odd).services.first?.host?.name == "a b.local")
    // What is impossible stays so.
    await #expect(throws: DiscoveryError.self) { try await plan(["--allow-odd", "Ada", "http", "80", "=1"]) }
  }

  @Test func `a host may be published alone`() async throws {
    let plan = try await plan(["--host", "labels", "--address", "10.0.0.9"])
    #expect(plan.hosts.map(\.name) == ["labels.local"] && plan.services.isEmpty && plan.records.isEmpty)
    #expect(plan.hosts.first?.addresses.map(\.description) == ["10.0.0.9"])
  }

  @Test func `each line of a file is one string of the TXT record`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/txt"
    try Data(Array("path=/\nflag\nbin=".utf8) + [0xFF, 0x0A]).write(to: URL(filePath: path))
    let plan = try await plan(["--txt-file", path, "Ada", "http", "80"])
    let strings = [Array("path=/".utf8), Array("flag".utf8), Array("bin=".utf8) + [0xFF]]
    #expect(plan.services.first?.txt.strings == strings)
  }

  @Test func `a file says what to publish, and its errors are those of the command line`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/services.json"
    try Data(#"{"services": [{"name": "Ada", "type": "_http._tcp", "port": 80}]}"#.utf8).write(to: URL(filePath: path))
    #expect(try await plan(["--file", path]).services.map(\.name) == ["Ada"])
    try Data("{".utf8).write(to: URL(filePath: path))
    let failure = await #expect(throws: Failure.self) { try await plan(["--file", path]) }
    #expect(failure?.code == .usage && failure?.message.contains(path) == true)
  }

  @Test(
    arguments: [
      ([], "NAME is missing"), (["", "http", "80"], "NAME must not be"), (["Ada"], "TYPE is missing"),
      (["Ada", "http"], "PORT is missing"),
      (["--address", "10.0.0.9"], "--address is about another host"), (["--host", "x"], "needs its addresses"),
      (["--host", "x", "--address", "10.0.0.300"], "must be an IPv4 or IPv6 address, not '10.0.0.300'"),
      (["--host", "x", "--address", "::1", "--subtype", "_s"], "--subtype is about a service"),
      (["--host", "x", "--address", "::1", "--no-rename"], "--no-rename is about a service"),
      (["--host", "x", "--address", "::1", "--txt-file", "/dev/null"], "--txt-file is about a service"),
      (["--host", "x", "--address", "::1", "--domain", "local"], "--domain is about a service"),
      (["--txt-file", "/dev/null", "Ada", "http", "80", "a=b"], "--txt-file is the whole TXT record"),
      (["--file", "/dev/null", "Ada"], "--file says what to publish"), (["A\u{FFFD}", "http", "80"], "NAME is not UTF-8"),
      (["--host", "\u{FFFD}", "Ada", "http", "80"], "--host is not UTF-8"),
      (["--subtype", "_\u{FFFD}", "Ada", "http", "80"], "--subtype is not UTF-8"),
      (["Ada", "http", "80", "a=\u{FFFD}"], "KEY=VALUE is not UTF-8"),
    ] as [([String], String)])
  func `what does not belong together is refused with a reason`(arguments: [String], reason: String) async throws {
    let error = await #expect(throws: UsageError.self) { try await plan(arguments) }
    #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
  }

  @Test(
    arguments: [
      (["Ada", "http", "80", "a=1", "a=2"], DiscoveryError.Code.invalidTXTRecord, "TXT key \"a\": it is given twice"),
      (["Ada", "http", "80", "=1"], .invalidTXTRecord, ""), (["Ada", "no type", "80"], .invalidServiceType, ""),
      (["--domain", "a..b", "Ada", "http", "80"], .invalidDomain, "empty label"),
      (["--host", "a b", "Ada", "http", "80"], .invalidDomain, "host name \"a b.local\": it has a space or a sign"),
    ] as [([String], DiscoveryError.Code, String)])
  func `an invalid value is refused with a reason`(arguments: [String], code: DiscoveryError.Code, reason: String) async throws
  {
    let error = await #expect(throws: DiscoveryError.self) { try await plan(arguments) }
    #expect(error?.code == code && error?.exitCode(of: .publish) == .usage)
    #expect(reason.isEmpty || error?.message.contains(reason) == true, "\(String(describing: error))")
  }
}
