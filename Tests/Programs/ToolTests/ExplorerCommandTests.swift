import Bonjourish
import Foundation
import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDiscoveryOptions
import _BonjourishTerminal

@testable import _BonjourishConsole
@testable import _BonjourishExplorer
@testable import bonjourish_cli

/// The command of what is seen, as the command line understands it.
struct ExplorerCommandTests {
  /// The arguments of a line, as a shell hands them over.
  private func parse(_ line: String) throws -> (verb: Verb, arguments: Arguments) {
    let words = try ShellWords.words(of: line)
    #expect(words.first == "bonjourish")
    guard case .command(let verb, let arguments) = try Commands.all.parse(Array(words.dropFirst())) else {
      throw CancellationError()
    }
    return (verb, arguments)
  }

  private func explorer(_ words: [String], isUnicode: Bool = true) throws -> Explorer {
    let arguments = try Commands.browse.arguments(of: words)
    var settings = ExplorerSettings(
      arguments, sought: try SoughtType.all(in: arguments), resolves: arguments[Commands.resolve], isSelective: false,
      region: try arguments.network(of: .browse).region)
    settings.isUnicode = isUnicode
    return Explorer(settings)
  }

  @Test(arguments: [
    (["--all"], "bonjourish browse --all"), (["http"], "bonjourish browse http"),
    (["_foo-bar._udp"], "bonjourish browse _foo-bar._udp"),
    (["_printer._sub._http._tcp"], "bonjourish browse _printer._sub._http._tcp"),
    (
      ["ipp", "ssh", "--filter", "name=Off*", "--sort", "host", "--interface", "eth0"],
      "bonjourish browse ipp ssh --filter 'name=Off*' --sort host --interface eth0"
    ),
    (
      ["http", "--own", "--resolve", "--interface", "!eth*", "--family", "ipv4", "--backend", "builtin"],
      "bonjourish browse http --own --resolve --interface '!eth*' --family 4 --backend builtin"
    ),
    (
      ["http", "--directory", "tls://me:secret@a.example,nats://b:4222", "--region", "eu", "--no-local", "--shard", "3"],
      "bonjourish browse http --shard 3 --directory tls://a.example,nats://b:4222 --region eu --no-local"
    ),
  ])
  func `the command of a list has the options that it was asked for with, and no password`(words: [String], line: String) throws
  {
    let explorer = try explorer(words)
    #expect(explorer.command == line)
    let parsed = try parse(line)
    #expect(parsed.verb == .browse)
    #expect(try self.explorer(Array(ShellWords.words(of: line).dropFirst(2))).command == line)
  }

  @Test(arguments: ["sh", "bash", "zsh", "fish"]) func `a name that is shown is the same word to each shell`(shell: String)
    throws
  {
    let path = "/usr/bin/\(shell)"
    guard FileManager.default.isExecutableFile(atPath: path) else { return }
    var generator = SeededGenerator(seed: 22)
    let signs = Array("ab7 '\"\\$`!*?=-~#;&|<>(){}李é\u{301}\u{0D4E}".unicodeScalars)
    var words = ["'\u{301}$(touch PWNED)'\u{301}", "a\\'(touch PWNED)\\'", "=ls", "%self", "~", "^", "\u{0D4E}'"]
    for _ in 0..<300 {
      let scalars = (0..<generator.number(in: 1..<12)).map { _ in signs[generator.number(in: 0..<signs.count)] }
      words.append(String(String.UnicodeScalarView(scalars)))
    }
    words = words.filter { $0.escapedForDisplay == $0 }
    let folder = try TemporaryFolder()
    let script = "cd '\(folder.path)'\n" + words.map { "printf '%s\\n' \(ShellWords.quoted($0))\n" }.joined()
    let options = ["zsh": ["-f"], "fish": ["--no-config"]][shell] ?? []
    let result = try ChildProcess.run(
      path, options + ["-c", script], environment: ["LC_ALL": "C.UTF-8", "HOME": folder.path, "PATH": "/usr/bin:/bin"])
    #expect(result.code == 0 && result.errors == [], "\(String(decoding: result.errors, as: UTF8.self))")
    #expect(
      result.output.split(separator: 10, omittingEmptySubsequences: false).dropLast().map { Array($0) }
        == words.map { Array($0.utf8) })
    #expect(try !folder.contents().contains("PWNED"))
  }

  @Test func `a shell reads the words, however they are written`() throws {
    var generator = SeededGenerator(seed: 21)
    let signs = Array("ab7 '\"\\$`!*?=-~#;&|<>()李éü\u{202E}\n👩")
    var script = "set +H\n"
    var expected: [UInt8] = []
    for step in 0..<200 {
      let words = (0..<generator.number(in: 1..<6)).map { _ in
        String((0..<generator.number(in: 0..<12)).map { _ in signs[generator.number(in: 0..<signs.count)] })
      }
      let isUnicode = step % 2 == 0
      let lines = ShellWords.lines(["printf", #"%s\0"#] + words, isUnicode: isUnicode, columns: 10 + step % 60)
      if !isUnicode { #expect(lines.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } }) }
      script += lines.joined(separator: "\n") + "\n"
      for word in words { expected += Array(word.utf8) + [0] }
    }
    let result = try ChildProcess.run("/bin/bash", ["-c", script], environment: ["LC_ALL": "C"])
    #expect(result.code == 0 && result.errors == [])
    #expect(result.output == expected)
  }

  @Test(arguments: [
    (["--all", "--interface", "lo", "--backend", "builtin"], "bonjourish doctor --interface lo --backend builtin"),
    (["http", "--interface", "!eth9", "--family", "4"], "bonjourish doctor"), (["http"], "bonjourish doctor"),
  ])
  func `the command of the doctor's report examines what the report is about`(words: [String], line: String) throws {
    var explorer = try explorer(words)
    _ = explorer.handle(.key(.text("D")), at: .zero)
    #expect(explorer.command == line)
    #expect(try parse(line).verb == .doctor)
  }

  @Test func `whatever is filtered, sorted and selected, the command is understood`() throws {
    var generator = SeededGenerator(seed: 8)
    let signs = Array("ab '\"\\$`!*?=-~#;&|<>()李é\u{1B}\u{202E}")
    for step in 0..<600 {
      var explorer = try explorer(
        step % 2 == 0 ? ["--all", "--interface", "eth*"] : ["http", "--domain", "example.org"], isUnicode: step % 3 > 0)
      let text = String((0..<generator.number(in: 1..<12)).map { _ in signs[generator.number(in: 0..<signs.count)] })
      let types = ["_http._tcp", "_x._udp", "_sleep-proxy._udp", "_we\u{202E} ird._tcp", "_printer._tcp"]
      let type = try ServiceType(types[generator.number(in: 0..<types.count)])
      guard let name = InstanceName(received: text) else { continue }
      let domain = try DomainName(generator.once(in: 3) ? "example.org" : "local")
      let service = DiscoveredService(instance: ServiceInstance(name, type: type, domain: domain), links: [])
      _ = explorer.handle(.changed(.found(service), of: type), at: .zero)
      let keys: [Key] = [.text("4"), .text("s"), .enter]
      for key in keys { _ = explorer.handle(.key(key), at: .zero) }
      let command = explorer.command
      let parsed = try parse(command)
      #expect(
        command.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && !command.unicodeScalars.contains("\u{202E}"), "\(command)")
      if parsed.verb == .resolve {
        #expect(parsed.arguments[Commands.name] == name.text)
        #expect(try ServiceType(shorthand: parsed.arguments[Commands.type]) == type)
        #expect(try parsed.arguments.domain() == domain)
      } else {
        let filters = parsed.arguments[Commands.filters]
        #expect(filters.count == 1 && filters.allSatisfy { $0.matches(service) }, "\(command)")
      }
      _ = explorer.handle(.key(.escape), at: .zero)
      _ = explorer.handle(.key(.text("/")), at: .zero)
      _ = explorer.handle(.key(.paste(text)), at: .zero)
      _ = explorer.handle(.key(.enter), at: .zero)
      let list = try parse(explorer.command)
      #expect(list.verb == .browse)
      let matching = explorer.shown.map(\.instance)
      let conditions = list.arguments[Commands.filters]
      #expect((conditions.allSatisfy { $0.matches(service) } ? [service.instance] : []) == matching, "\(explorer.command)")
    }
  }

  @Test func `all known types come back from their short names`() throws {
    for known in KnownType.all {
      let type = try ServiceType("_\(known.name).\(known.transport.rawValue)")
      var explorer = try explorer(["--all"])
      let service = DiscoveredService(instance: ServiceInstance("a", type: type), links: [])
      _ = explorer.handle(.changed(.found(service), of: type), at: .zero)
      let parsed = try parse(ShellWords.line(explorer.words(for: service.instance)))
      #expect(try ServiceType(shorthand: parsed.arguments[Commands.type]) == type)
    }
  }

  @Test(arguments: [
    ("tls://user:password@host", "tls://host"), ("nats://token@h:4222", "nats://h:4222"), ("nats://h", "nats://h"),
    ("a:b@c", "c"), ("tls://a@b@c", "tls://c"),
  ])
  func `no password of a directory is shown`(url: String, shown: String) {
    #expect(Arguments.withoutUser(url) == shown)
  }

  @Test(arguments: [
    ("x", "TYPE is missing"), ("x http", "PORT is missing"), ("x http 0", "PORT"), ("x http 80 =a", "TXT"),
    ("x ht_tp 80", "service type"),
    ("--help http 80 a=1 a=2", "given twice"),
  ])
  func `what is typed to publish is refused as publish refuses it`(line: String, reason: String) async throws {
    do {
      _ = try await PublishPlan(try Commands.publish.arguments(of: ["--"] + ShellWords.words(of: line)))
      Issue.record("\(line) was accepted")
    } catch {
      let text = (error as? DiscoveryError)?.message ?? "\(error)"
      #expect(text.contains(reason), "\(text)")
    }
  }

  @Test func `a line to publish has no options`() async throws {
    let plan = try await PublishPlan(try Commands.publish.arguments(of: ["--"] + ShellWords.words(of: "--for http 80 path=/")))
    #expect(plan.services.map(\.name) == ["--for"] && plan.services[0].port == 80)
  }
}
