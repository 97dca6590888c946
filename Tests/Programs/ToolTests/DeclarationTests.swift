import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscoveryOptions

@testable import _BonjourishConsole
@testable import bonjourish_cli

/// What `bonjourish` declares: commands, options and their values, and what it knows of types.
struct DeclarationTests {
  @Test func `all that the program tells about itself is as it is kept`() throws {
    var text = "# help\n\(Commands.all.help)\n"
    for verb in Verb.allCases { text += "# help \(verb)\n\(Commands.command(verb).help)\n" }
    for form in [HelpForm.man, .bash] { text += "# \(form)\n\(form.text(of: ProgramTable(Commands.all)))\n" }
    text += "# man, of reflect\n\(HelpForm.man.text(of: ProgramTable(Commands.reflect)))\n# types\n"
    for type in KnownType.all { text += "\(type.name) \(type.transport.rawValue) \(type.title)\n" }
    try Transcript("bonjourish").compare(
      text.replacing(Version.date, with: "DATE").replacing("bonjourish \(Version.current)", with: "bonjourish VERSION"))
  }

  @Test(arguments: [
    (["publish", "A", "http"], "", 1, 65_535), (["browse", "http"], "--for", 0, 31_536_000),
    (["publish", "A", "http", "1"], "--for", 0, 31_536_000), (["query", "x.local", "--watch"], "--for", 0, 31_536_000),
    (["browse", "http"], "--count", 1, 1_000_000), (["browse", "http"], "--shard", 0, 63),
    (["publish", "A", "http", "1"], "--replicas", 1, 5),
  ])
  func `numbers have bounds`(words: [String], option: String, least: Int, most: Int) {
    func isFit(_ number: Int) -> Bool {
      (try? Commands.all.parse(words + [option.isEmpty ? "\(number)" : "\(option)=\(number)"])) != nil
    }
    #expect([least - 1, least, most, most + 1].map(isFit) == [false, true, true, false])
  }

  @Test func `a timeout is between a millisecond and an hour`() {
    let times = ["0.0009", "0.001", "3600", "3600.001"]
    #expect(times.map { (try? Commands.all.parse(["lookup", "x", "--timeout", $0])) != nil } == [false, true, true, false])
  }

  @Test func `at most 32 types are named`() {
    func isFit(_ count: Int) -> Bool { (try? Commands.all.parse(["browse"] + (0..<count).map { "type-\($0)" })) != nil }
    #expect([0, 1, 32, 33].map(isFit) == [true, true, true, false])
  }

  @Test(arguments: [("4", "ipv4"), ("IPv4", "ipv4"), ("6", "ipv6"), ("ipv6", "ipv6"), ("5", nil), ("", nil)])
  func `a family is a number or a name`(text: String, family: String?) {
    let arguments = try? Commands.lookUp.arguments(of: ["x", "--family", text])
    #expect((arguments?[Commands.family]).map { "\($0)" } == family)
  }

  @Test func `only browsing names a shard, and types are not in a directory`() throws {
    let browse = try Commands.browse.arguments(of: ["http", "--shard", "3"])
    #expect(throws: Failure(.usage, "--shard needs a directory; give --directory URL or --directory-context NAME too")) {
      try browse.network(of: .browse)
    }
    #expect(try browse.network(of: .resolve).region == nil)
    let types = try Commands.types.arguments(of: ["--family", "4", "--interface", "eth0", "--backend", "builtin"])
    for verb in [Verb.types, .domains] {
      let network = try types.network(of: verb)
      #expect(network.region == nil && network.interfaces == InterfaceSelection(included: ["eth0"], families: [.ipv4]))
      #expect(network.backend == .builtin)
    }
  }
}
