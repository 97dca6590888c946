import CBonjourishLinux
import Foundation
import TestSupport
import Testing

@testable import bonjourish_cli

/// The program itself; what it does on a network is tested on a private LAN.
@Suite(.timeLimit(.minutes(2)))
struct ProgramTests {
  private func path() throws -> String {
    let paths = ["bonjourish", "bonjourish-cli"].map(RunningProgram.path)
    return try #require(paths.first { FileManager.default.fileExists(atPath: $0) })
  }

  private func run(_ arguments: [String], environment: [String: String] = [:]) throws -> (
    code: Int32, output: String, errors: String
  ) {
    let result = try ChildProcess.run(try path(), arguments, environment: environment)
    return (result.code, String(decoding: result.output, as: UTF8.self), String(decoding: result.errors, as: UTF8.self))
  }

  /// What keeps a command line that should be refused from reaching a network, or lasting.
  private static let harmless = ["--backend", "builtin", "--interface", "lo"]

  @Test(arguments: [
    (["brwose"], "bonjourish: unknown command 'brwose'; did you mean browse?"),
    (["browse"], "bonjourish browse: TYPE is missing; give a service type, such as http, or --all"),
    (
      ["browse", "http", "--all", "--for", "0"] + harmless,
      "bonjourish browse: --all and TYPE exclude each other; give one of them"
    ),
    (
      ["browse", "http", "--json", "--plain", "--for", "0"] + harmless,
      "bonjourish browse: --plain and --json exclude each other; give one of them"
    ),
    (["browse", "http", "--onec"] + harmless, "bonjourish browse: unknown option --onec; did you mean --once?"),
    (
      ["browse", "http", "--for", "0", "--backend", "auto"] + harmless, "bonjourish browse: --backend is given more than once"
    ),
    (
      ["browse", "http", "--once", "--for", "0"] + harmless,
      "bonjourish browse: --for and --once exclude each other; give one of them"
    ),
    (
      ["browse", "http", "--own", "--no-own", "--for", "0"] + harmless,
      "bonjourish browse: --own and --no-own exclude each other; give one of them"
    ),
    (
      ["browse", "http", "--sort", "name"] + harmless,
      "bonjourish browse: --sort needs an end; give --once, --for or --count too"
    ),
    (
      ["browse", "http", "_http._tcp", "--for", "0"] + harmless,
      "bonjourish browse: the type _http._tcp is given more than once; give it once"
    ),
    (
      ["browse", "http", "--for", "0", "--filter", "name"] + harmless,
      "bonjourish browse: --filter must be KEY=GLOB, such as name=Ada*, or KEY, not 'name'"
    ),
    (
      ["browse", "http", "--hints", "--for", "0", "--interface", "lo", "--backend", "avahi"],
      "bonjourish browse: --hints needs the built-in engine"
    ),
    (
      ["publish"] + harmless,
      "bonjourish publish: NAME is missing; give NAME, TYPE and PORT of a service, --file FILE, or --host"
    ),
    (["publish", "Ada"] + harmless, "bonjourish publish: TYPE is missing; give a service type"),
    (["publish", "Ada", "http"] + harmless, "bonjourish publish: PORT is missing; give the port"),
    (["publish", "--host", "x"] + harmless, "bonjourish publish: --host without a service needs its addresses"),
    (
      ["publish", "--host", "x", "--address", "10.0.0.1", "--no-rename"] + harmless,
      "bonjourish publish: --no-rename is about a service"
    ),
    (["publish", "A", "http", "1", "--address", "10.0.0.1"] + harmless, "bonjourish publish: --address is about another host"),
    (
      ["publish", "--host", "x", "--address", "ten"] + harmless, "bonjourish publish: --address must be an IPv4 or IPv6 address"
    ),
    (
      ["publish", "A", "http", "1", "--file", "x"] + harmless, "bonjourish publish: --file says what to publish; leave out NAME"
    ),
    (["publish", "--host", "x", "--file", "x"] + harmless, "bonjourish publish: --file and --host exclude each other"),
    (
      ["publish", "A", "http", "1", "k=v", "--txt-file", "/dev/null"] + harmless,
      "bonjourish publish: --txt-file is the whole TXT record"
    ),
    (
      ["publish", "A", "http", "1", "--host", "bad host"] + harmless,
      "bonjourish: host name \"bad host.local\": it has a space"
    ),
    (["publish", "A", "http", "1", "a=1", "A=2"] + harmless, "bonjourish: TXT key \"A\": it is given twice"),
    (["publish", "bad\u{FFFD}", "http", "1"] + harmless, "bonjourish publish: NAME is not UTF-8"),
    (["publish", "A", "http", "1", "--until", "7"] + harmless, "bonjourish publish: --until must be pid:N"),
    (["publish", "A", "http", "1", "--until", "fd:77"] + harmless, "bonjourish: --until fd:77: this descriptor is not open"),
    (["publish", "--file", "/dev/null"] + harmless, "bonjourish: /dev/null: the file is not valid JSON"),
    (["query", "--for", "0"] + harmless, "bonjourish query: NAME is missing; give the name of the records"),
    (["query", "--raw", "--backend", "avahi"], "bonjourish query: --raw listens with sockets of its own"),
    (["query", "--raw", "--timeout", "1"] + harmless, "bonjourish query: --raw and --timeout exclude each other"),
    (["query", "x.example", "--raw"] + harmless, "bonjourish: asking for x.example: the built-in engine uses multicast DNS"),
    (["doctor", "--interface", "nosuch"], "bonjourish: there is no network interface \"nosuch\""),
    (
      ["browse", "http", "--shard", "3", "--for", "0"] + harmless,
      "bonjourish: --shard needs a directory; give --directory URL or --directory-context NAME too"
    ),
    (["browse", "http", "--once", "--interface", "nosuch"], "bonjourish: there is no network interface \"nosuch\""),
    (["browse", "ht tp", "--for", "0"] + harmless, "bonjourish: service type \"_ht tp._tcp\""),
    (["reflect"], "bonjourish reflect: --between is missing; give --between IF,IF"),
    (["reflect", "--between", "lo"], "bonjourish: services are reflected between two interfaces or more; name them"),
    (["reflect", "--between", "lo,lo"], "bonjourish: the interface lo is named twice"),
    (["reflect", "--between", "lo,nosuch"], "bonjourish: lo leads to this machine alone"),
    (["reflect", "--between", "nosuch,lo"], "bonjourish: this machine has no interface nosuch"),
    (["reflect", "--between", "eth*,lo"], "bonjourish reflect: --between 'eth*': not the name of an interface"),
    (["reflect", "--between", "a,b", "--type", "ht tp"], "bonjourish: service type \"_ht tp._tcp\""),
    (["reflect", "--between", "a,b", "--deny", "name="], "bonjourish reflect: --deny name=: the pattern is missing"),
  ])
  func `a wrong command line is refused`(arguments: [String], message: String) throws {
    let (code, output, errors) = try run(arguments)
    #expect(code == 64 && output == "")
    #expect(errors.hasPrefix(message) && errors.split(separator: "\n").count == 1, "\(errors)")
  }

  @Test func `a wrong backend in the environment is refused`() throws {
    let (code, _, errors) = try run(
      ["browse", "http", "--for", "0", "--interface", "lo"], environment: ["BONJOURISH_BACKEND": "buildin"])
    #expect(code == 64)
    #expect(errors.contains("BONJOURISH_BACKEND is \"buildin\", which is no backend; set it to auto, avahi or builtin"))
    let hints = try run(
      ["browse", "http", "--hints", "--for", "0", "--interface", "lo"], environment: ["BONJOURISH_BACKEND": "avahi"])
    #expect(hints.code == 64 && hints.errors.contains("--hints needs the built-in engine"))
  }

  @Test func `a directory that is not there ends looking once, and publishing, with a reason`() throws {
    // Nobody listens at port 1.
    let nowhere = ["--no-local", "--directory", "nats://127.0.0.1:1"]
    let reason = "bonjourish: using the directory at nats://127.0.0.1:1: no server answers there"
    for json in [[], ["--json"]] {
      let once = try run(["browse", "http", "--once"] + nowhere + json)
      #expect(once.code == 69 && once.errors == reason + "\n", "\(once)")
      #expect(!once.output.contains("settled") && once.output.isEmpty == json.isEmpty, "\(once)")
    }
    let published = try run(["publish", "A", "http", "1", "--for", "0.2"] + nowhere)
    #expect(published.code == 69 && published.output == "")
    #expect(published.errors.hasPrefix("bonjourish: nothing was published before the time of --for was over"), "\(published)")
  }

  @Test func `what discovery has done is shown also by a command that fails`() throws {
    let failing = ["browse", "http", "--once", "--stats", "--no-local", "--directory", "nats://127.0.0.1:1"]
    let (code, output, errors) = try run(failing)
    #expect(code == 69 && output.isEmpty)
    #expect(errors.contains("bonjourish: operations: ") && errors.hasSuffix("no server answers there\n"), "\(errors)")
    let json = try run(failing + ["--json"])
    #expect(json.code == 69 && json.output.contains(#""event":"stats""#), "\(json.output)")
  }

  @Test func `with --verbose the backend, where it is reached and details are told, and otherwise not`() async throws {
    let arguments = ["browse", "nobody-has", "--json"] + Self.harmless
    let verbose = try RunningProgram(try path(), arguments + ["--verbose"])
    #expect(await verbose.line() == #"{"event":"backend","name":"builtin","schema":1}"#)
    let reach = try #require(await verbose.line(with: #""event":"reach""#))
    #expect(reach.contains(#""interface":"lo""#))
    #expect(await verbose.errorLine(with: "mDNS on lo over ipv4") == "bonjourish: mDNS on lo over ipv4")
    verbose.signal(SIGINT)
    #expect(await verbose.exitCode() == 0)
    let quiet = try run(arguments + ["--for", "0.2"])
    #expect(quiet.code == 1 && !quiet.output.contains("backend") && !quiet.output.contains("reach"), "\(quiet.output)")
    #expect(!quiet.errors.contains("mDNS on lo over ipv4"), "\(quiet.errors)")
  }

  @Test func `datagrams of a name are shown as they come, also those of this machine`() async throws {
    let (name, other) = ("raw-\(getpid()).local", "json-\(getpid()).local")
    let lines = try RunningProgram(try path(), ["query", name, "A", "--raw", "--interface", "lo"])
    let json = try RunningProgram(try path(), ["query", other, "--raw", "--interface", "lo", "--json"])
    let head = try #require(await lines.line())
    #expect(head.contains(" lo > ") && head.hasSuffix(":5353 query, \(name.utf8.count + 18) bytes"), "\(head)")
    #expect(await lines.line() == "  question \(name). IN A QM")
    let record = try #require(await json.line())
    #expect(try JSONSchema.ofBonjourish().faults(in: record, as: "query") == [])
    #expect(record.contains(#""questions":[{"class":1,"name":"\#(other)","type":"ANY","unicast":false}]"#), "\(record)")
    for program in [lines, json] {
      program.signal(SIGINT)
      #expect(await program.exitCode() == 0)
    }
  }

  @Test func `an examination is told finding by finding, and the exit code says whether discovery works`() async throws {
    let words = ["doctor", "--interface", "lo", "--backend", "builtin"]
    let (program, text) = (try RunningProgram(try path(), words + ["--json"]), try RunningProgram(try path(), words))
    let lines = await program.restOfOutput()
    let schema = try JSONSchema.ofBonjourish()
    #expect(lines.flatMap { schema.faults(in: $0, as: "doctor") } == [])
    #expect(lines.dropLast().allSatisfy { $0.contains(#""event":"finding""#) })
    let summary = try #require(lines.last)
    let works = summary.contains(#""works":true"#)
    #expect(summary.contains(#""event":"summary""#) && works != summary.contains(#""works":false"#), "\(summary)")
    #expect(await program.exitCode() == (works ? 0 : 1))
    #expect(await !text.restOfOutput().isEmpty)
    let isFailing = await text.restOfErrors().contains { $0.hasPrefix("bonjourish: discovery does not work here: ") }
    #expect(await text.exitCode() == (isFailing ? 1 : 0))
  }

  @Test func `what nobody answers is a no, with the reason`() throws {
    let (code, _, errors) = try run(["lookup", "nobody-\(getpid())", "--timeout", "0.2", "--stats"] + Self.harmless)
    #expect(code == 1 && errors.contains("bonjourish: backend: builtin\n"), "\(errors)")
    let reason = "bonjourish: looking up the addresses of nobody-\(getpid()).local: no host answered within 0.2 seconds"
    #expect(errors.contains(reason), "\(errors)")
  }

  @Test func `a time that is too short to publish is told`() throws {
    for json in [[], ["--json"]] {
      let (code, output, errors) = try run(["publish", "A", "http", "1", "--for", "0.1"] + Self.harmless + json)
      #expect(code == 69 && output == "", "\(output)")
      #expect(errors.hasPrefix("bonjourish: nothing was published before the time of --for was over"), "\(errors)")
    }
  }

  @Test func `a file that cannot be read, and a process that is gone, have their exit codes`() throws {
    let missing = try run(["publish", "--file", "/nowhere/services.json"] + Self.harmless)
    #expect(missing.code == 74 && missing.errors.contains("reading /nowhere/services.json: No such file"), "\(missing.errors)")
    // The largest number that a process can have is below.
    let gone = try run(["publish", "A", "http", "1", "--until", "pid:4194305"] + Self.harmless)
    #expect(gone.code == 69 && gone.errors.contains("there is no process 4194305"), "\(gone.errors)")
  }

  @Test func `help explains each command`() throws {
    for verb in Verb.allCases.map(\.rawValue) {
      let (code, output, _) = try run(["help", verb])
      #expect(code == 0 && output.contains("usage: bonjourish \(verb)"))
      #expect(try run([verb, "--help"]).output == output)
      #expect(try run(["help"]).output.contains("  \(verb) "))
    }
  }

  @Test func `the manual page explains each command`() throws {
    let (code, output, _) = try run(["--help=man"])
    #expect(code == 0)
    for verb in Verb.allCases.map(\.rawValue) { #expect(output.contains("\n.TP\n\\fB\(verb)\\fR")) }
    #expect(output.contains("\n.SH EXIT STATUS\n") && output.contains("\n.SH PLAIN OUTPUT\n"))
  }

  @Test func `bash completes types`() throws {
    let script = try run(["completions", "bash"]).output
    let program = script + "\nCOMP_WORDS=(bonjourish browse --once ipp) COMP_CWORD=3; _bonjourish; echo \"${COMPREPLY[@]}\""
    let (code, output, _) = try ChildProcess.run("/bin/bash", ["-u", "-c", program])
    #expect(code == 0 && String(decoding: output, as: UTF8.self) == "ipp ipps\n")
  }
}
