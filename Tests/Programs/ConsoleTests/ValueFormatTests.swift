import Testing
import _BonjourishBase

@testable import _BonjourishConsole

/// The values of options and operands.
struct ValueFormatTests {
  private func value<Value>(_ text: String, _ format: ValueFormat<Value>) -> Value? {
    try? format.value(of: "--x", text)
  }

  private func problem<Value>(_ text: String, _ format: ValueFormat<Value>) -> String? {
    do throws(Problem) {
      _ = try format.value(of: "--x", text)
      return nil
    } catch {
      return error.message
    }
  }

  @Test(arguments: [
    ("1", Duration.seconds(1)), ("0.5", .milliseconds(500)), ("2.5", .milliseconds(2_500)), ("2.50", .milliseconds(2_500)),
    ("0.49", nil),
    ("2.51", nil), ("1e0", nil), ("0x1", nil), ("-1", nil), ("1.5.5", nil), (" 1", nil), ("1/", nil), ("1:", nil),
  ]) func `seconds are a number within bounds`(text: String, duration: Duration?) {
    #expect(value(text, .seconds(in: 0.5...2.5)) == duration)
  }

  @Test(arguments: [("3", 3), ("5", 5), ("2", nil), ("6", nil), ("4.0", nil), ("x", nil)])
  func `a whole number is within bounds`(
    text: String, number: Int?
  ) {
    #expect(value(text, .integer(in: 3...5)) == number)
  }

  @Test func `what is expected is told`() {
    #expect(problem("6", .integer(in: 3...5)) == "--x must be a whole number from 3 to 5, not '6'")
    #expect(problem("2", .integer(in: 3...Int.max)) == "--x must be a whole number of at least 3, not '2'")
    #expect(problem("9", .seconds(in: 0.5...2)) == "--x must be a number of seconds from 0.5 to 2, not '9'")
    #expect(problem("a", .range(in: 2...9)) == "--x must be MIN:MAX, such as 2:16, from 2 to 9, not 'a'")
    #expect(problem("", .text) == "--x must not be empty" && problem("", .secret()) == "--x must not be empty")
    #expect(
      problem("ada", .hostPort) == "--x must be a host and a port, such as ada.local:4242 or [fe80::1%eth0]:4242, not 'ada'")
    #expect(problem("a:b", .hostPort(default: 7))?.hasPrefix("--x must be a host with or without a port") == true)
    // The words are there already.
    #expect(problem("m", .oneOf(["man": 1, "map": 2])) == "--x must be man or map, not 'm'")
    #expect(problem("x", .oneOf(["man": 1])) == "--x must be man, not 'x'")
  }

  @Test func `a host may lack its port where there is a usual one`() {
    #expect(value("ada", .hostPort(default: 7))?.description == "ada:7" && value("ada:8", .hostPort(default: 7))?.port == 8)
    #expect(value("ada:8", .hostPort)?.host == "ada")
  }

  @Test func `what a shell offers belongs to the format`() {
    #expect(ValueFormat.file.completion == .files && ValueFormat.interface.completion == .interfaces)
    #expect(ValueFormat<String>.text.completion == .nothing && ValueFormat.secret().completion == .nothing)
    #expect(HelpForm.format.completion == .words(["man", "bash", "fish", "zsh"]))
  }

  @Test func `secrets are told by a condition`() {
    #expect(ValueFormat.secret().isSecret("a") && !ValueFormat<String>.text.isSecret("a"))
    let format = ValueFormat.secret { $0.hasPrefix("x") }
    #expect(format.isSecret("xa") && !format.isSecret("a"))
    #expect(Option<HostPort>.required("x", "X", .hostPort, "").entry.isSecret("a:1") == false)
  }

  @Test(arguments: [("7", true), ("0", true), ("-1", false), ("x", false), ("99999999999999999999", false)])
  func `a seed repeats its numbers`(text: String, isSeed: Bool) throws {
    let command = Command("try", summary: "", options: [Option.seed])
    guard isSeed else {
      #expect(throws: UsageError.self) { try command.arguments(of: ["--seed", text]) }
      return
    }
    var numbers = try command.arguments(of: ["--seed", text])[Option.seed]
    var expected = SeededGenerator(seed: UInt64(text) ?? 0)
    #expect((0..<3).map { _ in numbers.next() } == (0..<3).map { _ in expected.next() })
  }

  @Test func `without a seed the numbers are others each time`() {
    var (one, other) = (SeededNumbers(seed: 1), SeededNumbers(seed: 2))
    #expect(one.next() != other.next())
  }

  @Test func `a command has no help where a line is typed`() {
    let command = Command("try", summary: "", operands: [Operand.repeated("WORD", .text, "")])
    #expect(throws: UsageError(command: "try", message: "there is no help here")) { try command.arguments(of: ["--help"]) }
  }

  @Test(arguments: [
    (["--x", "a", "--", "-b"], ["-b"]), (["--", "--x", "a"], ["--x", "a"]), (["-", "--x=a"], ["-"]),
    (["--x", "--", "a"], ["a"]),
  ]) func `operands and options are told apart`(arguments: [String], operands: [String]) throws {
    let words = Operand.repeated("WORD", .text, "")
    let command = Command("try", summary: "", operands: [words], options: [Option.optional("x", "X", .text, "")])
    #expect(try command.arguments(of: arguments)[words] == operands)
  }

  @Test func `terms and meanings are in two columns, and long ones wrapped`() {
    let rows = [("--a", "short"), (String(repeating: "b", count: 24), "fits"), (String(repeating: "c", count: 25), "is alone")]
    #expect(
      HelpTable(rows: rows).text == """
          --a                       short
          bbbbbbbbbbbbbbbbbbbbbbbb  fits
          ccccccccccccccccccccccccc
                                    is alone
        """)
    // 80 characters with the indent of 2, the column of 3 and the gap of 2: 73 are left.
    let meaning = String(repeating: "x", count: 36) + " " + String(repeating: "y", count: 36)
    #expect(HelpTable(rows: [("--a", meaning)]).text == "  --a  \(meaning)")
    #expect(HelpTable(rows: [("--a", meaning + "y")]).text.split(separator: "\n").count == 2)
  }
}
