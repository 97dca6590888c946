import Foundation
import TestSupport
import Testing

@testable import _BonjourishConsole

struct ManualTests {
  static let (once, span) = (
    Option.flag("once", "stop when it's done"), Option.optional("for", "SECONDS", .seconds(in: 0...9), "stop after this time")
  )
  static let all = Option.repeated("all", "KEY=GLOB", .text, "select with * and `x`")
  static let name = Operand.required("NAME", .text, "the name")
  enum Verb: String { case look, tell }
  static let group = CommandGroup(
    "my-tool", version: "2", summary: "Does things.",
    commands: [
      Verb.look: Command(
        "my-tool look", summary: "Looks.", operands: [name], options: [once, span, all], exclusive: [[once, span]],
        examples: [.init("my-tool look \"Ada's\" 'a\\b'", "look for Ada")]),
      .tell: Command("my-tool tell", summary: "Tells.", options: [span]),
    ],
    manual: Manual(
      description: "First `--x` and *NAME*.\n\n'second'\n.third", commands: ["look": "More about it."],
      options: ["once": "This is\nwell known."],
      sections: [.init("OUTPUT", "## lines\n\n`one`, `two`\n: A word\nor two.\n\n    $ my-tool ~ 'x'\n    . y")],
      environment: ["HOME": "The home."], files: ["/etc/x": "A file."], exitStatus: [.done: "Success."],
      diagnostics: "Warnings too.", seeAlso: ["other(1)", "third-one(8)"], notes: [.init("CAVEATS", "None.")]))

  private let page = HelpForm.man.text(of: ProgramTable(group))

  @Test func `a page has its sections in order`() {
    let titles = page.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map { String($0.dropFirst(4)) }
    #expect(
      titles == [
        "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "OUTPUT", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES",
        "DIAGNOSTICS", "SEE ALSO", "CAVEATS",
      ])
    #expect(page.hasPrefix(".TH MY-TOOL 1 "))
  }

  @Test(arguments: [
    "my\\-tool \\- does things",
    "\\fBmy\\-tool look\\fR [\\fB\\-\\-once\\fR | \\fB\\-\\-for\\fR \\fISECONDS\\fR] "
      + "[\\fB\\-\\-all\\fR \\fIKEY\\fR=\\fIGLOB\\fR ...] \\fINAME\\fR",
    "First \\fB\\-\\-x\\fR and \\fINAME\\fR.\n.PP\n\\&'second' .third",
    ".TP\n\\fBlook\\fR \\fINAME\\fR\nLooks.\n.RS\n.TP\n\\fINAME\\fR\nThe name.\n.PP\nMore about it.\n.RE",
    ".TP\n\\fB\\-\\-once\\fR\nStop when it's done. (look)\n.RS\n.PP\nThis is well known.\n.RE",
    ".TP\n\\fB\\-\\-for\\fR \\fISECONDS\\fR\nStop after this time.\n",
    "Select with * and \\`x\\`. It may be given several times. (look)",
    ".SS lines\n.TP\n\\fBone\\fR, \\fBtwo\\fR\nA word or two.\n.PP\n.nf\n.RS 4\n$ my\\-tool \\(ti \\(aqx\\(aq\n\\&. y\n.RE\n.fi",
    "Look for Ada:\n.PP\n.nf\n.RS 4\n$ my\\-tool look \\(dqAda\\(aqs\\(dq \\(aqa\\eb\\(aq\n",
    "to do.\n.PP\nWarnings too.",
    "\\fBother\\fR(1),\n\\fBthird\\-one\\fR(8)",
  ])
  func `a page is made from what the program declares`(part: String) {
    #expect(page.contains(part), "\(page)")
  }

  @Test func `a whole page, and the scripts of all shells, are as they are kept`() throws {
    let single = Command(
      "my-tool", version: "2", summary: "does one thing",
      operands: [Self.name, Operand.optional("PORT", .integer(in: 1...9), "a port")],
      options: [
        Option.required("kind", "KIND", .oneOf(["cat": 1, "dog": 2]), "a kind"), Self.all,
        Option.optional("if", "IF", .interface, "where"),
        Option.optional("file", "FILE", .file, "it's a \\ file"),
      ],
      manual: Manual(
        section: 8,
        sections: [
          .init(
            "SERVER", form: Command("my-tool serve", summary: "Serves.", options: [Self.span]), chosenBy: "serve", "With it:")
        ]))
    var text = ""
    for table in [ProgramTable(Self.group), ProgramTable(single)] {
      for form in HelpForm.allCases { text += "# \(form)\n\(form.text(of: table).replacing(Version.date, with: "DATE"))\n" }
    }
    try Transcript("manual").compare(text)
  }

  @Test func `an option is in the synopsis once, with those that exclude the same ones`() {
    let (file, host, port) = (
      Option.optional("file", "FILE", .text, "a file"), Option.optional("host", "HOST", .text, "a host"),
      Option.flag("port", "a port")
    )
    let command = Command(
      "my-tool", summary: "", options: [host, port, file, Self.once, Self.span],
      exclusive: [[file, host], [file, port], [Self.once, Self.span]])
    let page = HelpForm.man.text(of: ProgramTable(command))
    let options = ["[\\fB\\-\\-host\\fR \\fIHOST\\fR] [\\fB\\-\\-port\\fR] [\\fB\\-\\-file\\fR \\fIFILE\\fR]"]
    #expect(page.contains("\\fBmy\\-tool\\fR \(options[0]) [\\fB\\-\\-once\\fR | \\fB\\-\\-for\\fR"), "\(page)")
  }

  @Test func `another form of a program has its own section`() {
    let form = Command(
      "my-tool", summary: "", options: [Option.flag("serve", "be a server"), Self.span, Option.flag("once", "another meaning")])
    let command = Command(
      "my-tool", summary: "Plays.", options: [Self.once, Self.span],
      manual: Manual(sections: [.init("SERVER", form: form, "With `--serve`:")]))
    let page = HelpForm.man.text(of: ProgramTable(command))
    #expect(page.contains("\\fBmy\\-tool\\fR [\\fB\\-\\-serve\\fR]"))
    let section = page.split(separator: ".SH SERVER\n").last.map(String.init) ?? ""
    #expect(
      section.hasPrefix(
        "With \\fB\\-\\-serve\\fR:\n.TP\n\\fB\\-\\-once\\fR\nAnother meaning.\n.TP\n\\fB\\-\\-serve\\fR\nBe a server.\n"))
    #expect(!section.contains("SECONDS"))
  }

  @Test func `mandoc has nothing against a page`() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/mandoc") else { return }
    let folder = try TemporaryFolder()
    let path = folder.path + "/my-tool.1"
    try (page + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    let (code, output, _) = try ChildProcess.run("/usr/bin/mandoc", ["-T", "lint", "-W", "warning", path])
    #expect(code == 0 && output.isEmpty, "\(String(decoding: output, as: UTF8.self))")
  }
}
