import Foundation
import TestSupport
import Testing

@testable import _BonjourishConsole

/// Completion of what the program itself writes, such as names from the network: in the shells themselves, on terminals, with names that
/// want to be run.
@Suite(.timeLimit(.minutes(3)))
struct OwnCompletionTests {
  private enum Verb: String { case find }

  private static let group = CommandGroup(
    "my-tool", summary: "Does things.",
    commands: [
      Verb.find: Command(
        "my-tool find", summary: "Finds.",
        operands: [
          Operand.required("NAME", .text(.own("--names")), "a name"),
          Operand.required("KIND", .text(.words(["cat", "cow", "dog"])), "a kind"),
        ],
        options: [
          Option.optional("way", "WAY", .text, "a way"), Option.optional("of", "NAME", .text(.own("--names")), "another name"),
        ])
    ])

  /// A name, and what is typed of it before Tab.
  private struct Case: Encodable {
    let name: String
    let typed: String
  }

  private static let names = [
    "plain", "Ada's pages", "say \"hi\"", "$(touch PWNED)", "`touch PWNED`", "x; touch PWNED", "a & touch PWNED",
    "a|touch PWNED",
    "a > PWNED", "<(touch PWNED)", "${PATH}", "$HOME", "a\\b", "a\\", "back\\ slash", "*", "?[a-z]", "~root", "=ls", "#hash",
    "!!", "a!b",
    "%x", "@x", "{a,b}", "AA:BB:CC", "key=value", "日本 ☕", "Büro", "a  b", " lead", "trail ", "'", "\"", "$'\\n'", "(x)", "^a^b",
    "e\u{301}",
  ]

  /// What is typed of a name: nothing, or its beginning, bare or within quotation marks.
  private static func cases(_ name: String, in shell: String) -> [Case] {
    // fish leaves it out: see `FishCompletion`.
    if shell == "fish", name.hasPrefix("~") { return [] }
    var cases = [Case(name: name, typed: "")]
    let first = String(name.prefix(1))
    if first.utf8.allSatisfy({ ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }) {
      cases.append(Case(name: name, typed: first))
      // Bash offers no name with an exclamation mark there: see `BashCompletion`.
      if !(shell == "bash" && name.contains("!")) { cases += ["'", "\""].map { Case(name: name, typed: $0 + first) } }
    }
    switch name {
    case "Ada's pages": cases += [#"Ada\'s\ p"#, #""Ada's p"#].map { Case(name: name, typed: $0) }
    case "AA:BB:CC": cases += ["AA:B", "AA:", "'AA:B"].map { Case(name: name, typed: $0) }
    case "key=value": cases.append(Case(name: name, typed: "key=v"))
    default: break
    }
    return cases
  }

  /// Types lines into a shell, each with Tab and then a word more, and notes what the program was called with: folder, cases, shell.
  private static let typist = #"""
    import json, os, pty, select, sys
    folder, cases, shell = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
    os.chdir(folder)
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(shell[0], shell)
    heard = b""
    def hear(text):
        global heard
        while text not in heard:
            # Only what goes wrong takes so long.
            ready, _, _ = select.select([terminal], [], [], 30)
            data = os.read(terminal, 65536) if ready else b""
            if not data:
                sys.exit("%r did not come, but %r" % (text, heard[-2000:]))
            heard += data
        heard = heard[heard.index(text) + len(text):]
    hear(b"READY>")
    for case in cases:
        with open("names", "w") as file:
            file.write("other\n" if case["typed"] else "")
            file.write(case["name"] + "\n")
        os.write(terminal, ("my-tool find " + case["typed"] + "\t dog\r").encode())
        hear(b"CALLED")
        with open("words", "rb") as file:
            print(json.dumps([word.decode() for word in file.read().split(b"\0")[:-1]]))
        hear(b"READY>")
    os.write(terminal, b"exit\r")
    """#

  private static let program = #"""
    #!/bin/sh
    if [ "$1" = --names ]; then exec cat "$FOLDER/names"; fi
    printf '%s\0' "$@" >"$FOLDER/words"
    echo CALL"ED"
    """#

  @Test(arguments: ["bash", "zsh", "fish"]) func `a name is inserted as it is, and nothing in it is run`(shell: String)
    async throws
  {
    let path = "/usr/bin/\(shell)"
    guard FileManager.default.isExecutableFile(atPath: path) else { return }
    let folder = try TemporaryFolder()
    let form = try #require(HelpForm(rawValue: shell))
    func write(_ text: String, to name: String) throws {
      try text.write(toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
    }
    try write(Self.program, to: "my-tool")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path + "/my-tool")
    try write(form.text(of: ProgramTable(Self.group)), to: "script")
    let command: [String]
    switch shell {
    case "bash":
      try write("PS1='READY''>'\nHISTFILE=\nsource ./script\n", to: "rc")
      command = [path, "--noprofile", "--rcfile", "rc", "-i"]
    case "zsh":
      try write("PS1='READY''>'\nautoload -U compinit\ncompinit -u -D\nsource ./script\n", to: ".zshrc")
      command = [path, "-d", "-i"]
    default:
      let start = "source script; function fish_prompt; echo -n READY; echo '>'; end"
      command = [path, "--no-config", "-i", "-C", start]
    }
    let cases = Self.names.flatMap { Self.cases($0, in: shell) }
    let list = String(decoding: try JSONEncoder().encode(cases), as: UTF8.self)
    let (place, words) = (folder.path, ["-B", "-c", Self.typist, folder.path, list] + command)
    let environment = [
      "FOLDER": place, "PATH": "\(place):/usr/bin:/bin", "HOME": place, "ZDOTDIR": place, "LC_ALL": "C.UTF-8",
      "TERM": shell == "fish" ? "xterm" : "dumb", "XDG_CONFIG_HOME": place, "XDG_DATA_HOME": place,
    ]
    let (code, output, errors) = try await blocking {
      try ChildProcess.run("/usr/bin/python3", words, environment: environment)
    }
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
    #expect(code == 0, "\(String(decoding: errors, as: UTF8.self))")
    for (one, line) in zip(cases, lines) {
      let words = try JSONDecoder().decode([String].self, from: Data(line.utf8))
      #expect(words == ["find", one.name, "dog"], "typed: \(one.typed)")
    }
    #expect(lines.count == cases.count)
    #expect(try !folder.contents().contains("PWNED"))
  }

  @Test(arguments: [
    ("my-tool find AA:BB c", ["cat", "cow"]), (#"my-tool find "a b" c"#, ["cat", "cow"]),
    (#"my-tool find a\ b c"#, ["cat", "cow"]),
    ("my-tool find --way x AA:BB c", ["cat", "cow"]), ("my-tool find --way=x 'a b' d", ["dog"]),
    ("my-tool find x --w", ["--way"]),
    ("my-tool find x d dog c", []), ("my-tool fi", ["find"]),
  ])
  func `bash knows the place of a word after names with colons and spaces`(line: String, words: [String]) throws {
    let script = HelpForm.bash.text(of: ProgramTable(Self.group))
    let typed = line.quotedForShell
    let program = """
      \(script)
      COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:' COMP_LINE=\(typed) COMP_POINT=\(line.count) COMP_WORDS=(x) COMP_CWORD=0
      _my_tool
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let (code, output, errors) = try ChildProcess.run("/bin/bash", ["-u", "-c", program])
    #expect(code == 0 && errors.isEmpty, "\(String(decoding: errors, as: UTF8.self))")
    #expect(String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init) == words)
  }

  @Test(arguments: [
    ("my-tool find x c", ["cat", "cow"]), ("my-tool find --way x 'a b' d", ["dog"]), ("my-tool find --way=x y d", ["dog"]),
    ("my-tool find x dog c", []),
  ])
  func `fish knows the place of a word`(line: String, words: [String]) throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/fish") else { return }
    let program = HelpForm.fish.text(of: ProgramTable(Self.group)) + "\ncomplete -C \(line.quotedForShell)"
    let (code, output, errors) = try ChildProcess.run("/usr/bin/fish", ["--no-config", "-c", program])
    #expect(code == 0 && errors.isEmpty, "\(String(decoding: errors, as: UTF8.self))")
    #expect(
      String(decoding: output, as: UTF8.self).split(separator: "\n").map { $0.split(separator: "\t")[0] }
        == words.map { $0[...] })
  }
}
