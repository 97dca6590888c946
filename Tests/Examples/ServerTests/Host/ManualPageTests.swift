import TestSupport
import Testing

@testable import _BonjourishConsole
@testable import twentyfour_host

/// What the programs of the game say of themselves.
struct ManualPageTests {
  /// A text without what each release changes.
  private func lasting(_ text: String) -> String {
    text.replacing(Version.date, with: "DATE").replacing(Version.current, with: "VERSION")
  }

  @Test func `the manual page of the host and the help of each of its modes are as they are kept`() throws {
    var text = HelpForm.man.text(of: ProgramTable(RoomMode.command))
    let modes: [(String, Command)] = [
      ("a room", RoomMode.command), ("a server", DedicatedMode.command), ("results", LeaderboardMode.command),
      ("results of several servers", JoinedResultsMode.command), ("administration", AdminMode.command),
    ]
    for (title, command) in modes { text += "\n# \(title)\n\n\(command.help)\n" }
    try Transcript("twentyfour-host").compare(lasting(text))
  }

  @Test func `the manual page and the help of the player's program are as they are kept`() async throws {
    var text = ""
    for form in ["--help=man", "--help"] {
      let program = try RunningProgram("twentyfour-join", [form])
      text += await program.restOfOutput().joined(separator: "\n") + "\n"
      #expect(await program.exitCode() == 0)
    }
    try Transcript("twentyfour-join").compare(lasting(text))
  }
}
