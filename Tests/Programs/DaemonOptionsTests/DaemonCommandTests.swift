import TestSupport
import Testing

@testable import _BonjourishConsole
@testable import _BonjourishDaemonOptions

struct DaemonCommandTests {
  @Test(arguments: [
    (["-D"], ["--daemonize"]), (["-s", "--debug"], ["--syslog", "--debug"]), (["-Ds"], ["--daemonize", "--syslog"]),
    (["-f", "x", "-s"], ["--file", "x", "--syslog"]), (["-fx"], ["--file", "x"]),
    (["-sf", "-k"], ["--syslog", "--file", "-k"]),
    (["-k"], ["--kill"]), (["-r"], ["--reload"]), (["-c"], ["--check"]), (["-V"], ["--version"]), (["-h"], ["--help"]),
    (["--file", "-s", "-s"], ["--file", "-s", "--syslog"]), (["--file=-s"], ["--file=-s"]), (["-f"], ["--file"]),
    (["-x"], ["-x"]), (["-sx"], ["-sx"]), (["-"], ["-"]), (["--", "-s"], ["--", "-s"]), ([], []),
  ])
  func `short options have long forms`(arguments: [String], expanded: [String]) {
    #expect(ShortOptions.expanded(arguments) == expanded)
  }

  private func command(_ arguments: String...) throws -> DaemonCommand {
    guard case .arguments(let arguments) = try DaemonCommand.command.parse(ShortOptions.expanded(arguments)) else {
      throw UsageError(command: "", message: "text")
    }
    return DaemonCommand(arguments)
  }

  @Test func `without options it serves, as root as long as it needs to`() throws {
    let command = try command()
    #expect(command.action == .run && command.file == "/etc/avahi/avahi-daemon.conf")
    #expect(command.dropsRoot && command.setsLimits)
    #expect(!command.daemonizes && !command.usesSystemLog && !command.isDebugging)
  }

  @Test func `each option has its effect`() throws {
    let command = try command(
      "-D", "-f", "a.conf", "--debug", "--no-drop-root", "--no-rlimits", "--no-chroot", "--no-proc-title")
    #expect(command.daemonizes && command.usesSystemLog && command.isDebugging && command.file == "a.conf")
    #expect(!command.dropsRoot && !command.setsLimits)
    #expect(try self.command("-s").usesSystemLog)
    #expect(try self.command("-c").action == .check)
    #expect(try self.command("-k").action == .kill)
    #expect(try self.command("--reload").action == .reload)
  }

  @Test func `what excludes each other, and operands, are errors`() {
    #expect(throws: UsageError.self) { try command("-k", "-r") }
    #expect(throws: UsageError.self) { try command("x") }
    #expect(throws: UsageError.self) { try command("-x") }
    #expect(throws: UsageError.self) { try command("-f") }
  }

  @Test func `help, the manual page for administrators and completions are as they are kept`() throws {
    let table = ProgramTable(DaemonCommand.command)
    var text = "# help\n\(DaemonCommand.command.help)\n"
    for form in [HelpForm.man, .bash] { text += "# \(form)\n\(form.text(of: table))\n" }
    try Transcript("bonjourishd").compare(
      text.replacing(Version.date, with: "DATE").replacing("bonjourishd \(Version.current)", with: "bonjourishd VERSION"))
  }
}
