import Foundation
import TestSupport
import Testing

@testable import _BonjourishConsole

/// Completion scripts, run by the shells for which they are.
@Suite(.timeLimit(.minutes(1)))
struct CompletionTests {
  enum Verb: String { case look, tell }
  static let way = Option.optional("way", "WAY", .oneOf(["left": 1, "right": 2]), default: 0, "it's \"this\" [way]: $HOME `x`")
  static let tags = Option.repeated("tag", "TAG", .text, "a tag")
  static let file = Option.optional("file", "FILE", .file, "a file")
  static let interface = Option.optional("interface", "IF", .interface, "an interface")
  static let loud = Option.flag("loud", "be loud")
  static let kind = Operand.required("KIND", .oneOf(["cat": 1, "dog": 2]), "a kind")
  static let place = Operand.optional("PLACE", .text(.words(["here", "home"])), "a place")
  static let rest = Operand.repeated("MORE", .oneOf(["one": 1, "other": 2]), "more")

  static let group = CommandGroup(
    "my-tool", summary: "Does things.",
    commands: [
      Verb.look: Command(
        "my-tool look", summary: "Looks (or not).", operands: [kind, place], options: [way, tags, file, interface, loud]),
      .tell: Command("my-tool tell", summary: "Tells \"it\".", operands: [rest], options: [loud]),
    ])
  static let form = Command("my-tool", summary: "", options: [Option.flag("other", "do something else")])
  static let single = Command(
    "my-tool", summary: "Does one thing.", operands: [kind], options: [way, file],
    manual: Manual(sections: [.init("OTHER", form: form, "The other way.")]))

  private func script(_ shell: HelpForm, isGroup: Bool) -> String {
    shell.text(of: isGroup ? ProgramTable(Self.group) : ProgramTable(Self.single))
  }

  /// What bash offers after Tab at the end of a line. An equals sign separates words, as in bash.
  private func offered(_ line: String, isGroup: Bool = true) throws -> [String] {
    var words: [String] = []
    for word in line.split(separator: " ", omittingEmptySubsequences: false) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      words += parts.count == 2 ? [parts[0], "="] + (parts[1].isEmpty ? [] : [parts[1]]) : parts
    }
    let typed = words.map(\.quotedForShell).joined(separator: " ")
    let program = """
      \(script(.bash, isGroup: isGroup))
      COMP_WORDS=(\(typed)) COMP_CWORD=\(words.count - 1)
      _my_tool
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let (code, output, errors) = try ChildProcess.run("/bin/bash", ["-u", "-c", program])
    #expect(code == 0 && errors.isEmpty, "\(String(decoding: errors, as: UTF8.self))")
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(arguments: [
    ("my-tool ", ["look", "tell", "help", "completions", "--help", "--version"]),
    ("my-tool l", ["look"]),
    ("my-tool look ", ["cat", "dog"]),
    ("my-tool look d", ["dog"]),
    ("my-tool look cat h", ["here", "home"]),
    ("my-tool look --loud --tag x cat h", ["here", "home"]),
    ("my-tool look --tag=x cat h", ["here", "home"]),
    ("my-tool look -- cat h", ["here", "home"]),
    ("my-tool look cat here ", []),
    ("my-tool look --w", ["--way"]),
    ("my-tool look --way ", ["left", "right"]),
    ("my-tool look --way r", ["right"]),
    ("my-tool look --way=", ["left", "right"]),
    ("my-tool look --way=r", ["right"]),
    ("my-tool look --way left --way", []),
    ("my-tool look --tag x --tag", ["--tag"]),
    ("my-tool look --tag ", []),
    ("my-tool look --interface l", ["lo"]),
    ("my-tool look --file /etc/passw", ["/etc/passwd", "/etc/passwd-"]),
    ("my-tool look -- --l", []),
    ("my-tool tell ", ["one", "other"]),
    ("my-tool tell one one o", ["one", "other"]),
    ("my-tool tell --way ", ["one", "other"]),
    ("my-tool tell --l", ["--loud"]),
    ("my-tool nothing ", []),
    ("my-tool help ", ["look", "tell", "completions"]),
    ("my-tool completions z", ["zsh"]),
  ])
  func `bash offers what can come next`(line: String, words: [String]) throws {
    #expect(Set(try offered(line)).subtracting(["/etc/passwd-"]) == Set(words).subtracting(["/etc/passwd-"]))
  }

  @Test(arguments: [
    ("my-tool ", ["cat", "dog"]), ("my-tool --", ["--way", "--file", "--other", "--help", "--version"]),
    ("my-tool --way=l", ["left"]), ("my-tool --other --w", ["--way"]),
  ])
  func `bash offers the options of all forms of a program without commands`(line: String, words: [String]) throws {
    #expect(try offered(line, isGroup: false) == words)
  }

  @Test(arguments: ["/bin/bash", "/usr/bin/zsh", "/usr/bin/fish"], [true, false])
  func `the script is valid`(shell: String, isGroup: Bool) throws {
    guard FileManager.default.isExecutableFile(atPath: shell) else { return }
    let folder = try TemporaryFolder()
    let path = folder.path + "/script"
    let form = try #require(HelpForm(rawValue: String(shell.split(separator: "/").last!)))
    try script(form, isGroup: isGroup).write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try ChildProcess.run(shell, ["-n", path]).code == 0)
  }

  @Test func `zsh gets each option, its value and its help`() {
    let text = script(.zsh, isGroup: true)
    #expect(text.contains(#"'--way=[it'\''s "this" \[way\]\: $HOME `x`]:WAY:(left right)'"#))
    #expect(text.contains("'*--tag=[a tag]:TAG: '"))
    #expect(text.contains("'--file=[a file]:FILE:_files'"))
    #expect(text.contains("'::PLACE:(here home)'"))
    #expect(text.contains("'*:MORE:(one other)'"))
  }

  @Test func `fish gets each option, its value and its help`() {
    let text = script(.fish, isGroup: true)
    #expect(text.contains(#" -l way -r -f -a 'left right' -d 'it\'s "this" [way]: $HOME `x`'"#))
    #expect(text.contains("-n '__fish_seen_subcommand_from look' -l tag -r -f -d 'a tag'"))
    #expect(text.contains("-n '__fish_seen_subcommand_from look' -l file -r -F -d 'a file'"))
    #expect(text.contains("-n '__fish_seen_subcommand_from look; and not __fish_seen_argument -l loud' -l loud -d 'be loud'"))
  }

  @Test(arguments: [
    ("my-tool look --way ", ["left", "right"]), ("my-tool look --way=l", ["--way=left"]),
    ("my-tool look --file /etc/passw", ["/etc/passwd"]), ("my-tool look --lou", ["--loud"]), ("my-tool look --loud --lou", []),
    ("my-tool l", ["look"]),
  ])
  func `fish offers what can come next, and finds no fault in the script`(line: String, words: [String]) throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/fish") else { return }
    let program = script(.fish, isGroup: true) + "\ncomplete -C '\(line)'"
    let (code, output, errors) = try ChildProcess.run("/usr/bin/fish", ["--no-config", "-c", program])
    #expect(code == 0 && errors.isEmpty, "\(String(decoding: errors, as: UTF8.self))")
    let offered = String(decoding: output, as: UTF8.self).split(separator: "\n").map { $0.split(separator: "\t")[0] }
    #expect(Set(offered.map(String.init)).subtracting(["/etc/passwd-"]) == Set(words))
  }
}
