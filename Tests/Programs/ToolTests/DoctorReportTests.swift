import Testing
import _BonjourishDoctor
import _BonjourishJSONOutput
import _BonjourishTerminal

@testable import bonjourish_cli

/// The report of `doctor`.
struct DoctorReportTests {
  private static let warning = Finding(
    .containerNetwork, .warning, on: ["eth0"], seen: "it is a container's network, which is told in more words than a line has",
    because: "multicast does not leave it, so that nobody else is heard, however long one waits",
    remedies: [
      .advice("use another network, one that lets multicast pass, if there is such a network here"),
      .command("docker run --network host \u{1B}"), .example("ip link"),
    ])
  private static let problem = Finding(.containerNetwork, .problem, seen: "a", because: "b", remedies: [])
  private static let note = Finding(.containerNetwork, .information, seen: "c", because: "d", remedies: [])

  private func report(_ findings: [Finding] = [], _ trial: Report.Trial = .others) -> Report {
    Report(findings: findings, healthy: ["an interface"], unseen: ["the firewall"], trial: trial)
  }

  @Test func `findings are told with what they mean and what to do, in lines that fit, and commands unbroken`() {
    #expect(
      ReportText(report([Self.note, Self.warning]), width: 60).lines == [
        "warning      it is a container's network, which is told in",
        "             more words than a line has [container-network]",
        "             multicast does not leave it, so that nobody",
        "             else is heard, however long one waits",
        "             - use another network, one that lets multicast",
        "               pass, if there is such a network here",
        "               # docker run --network host \\u{1B}", "               e.g. ip link",
        "note         c [container-network]", "             d", "ok           an interface",
        "?            not seen: the firewall", "", "Discovery works here: 1 warning, 1 note.",
      ])
  }

  @Test func `where there is a problem the report ends with what was seen`() {
    let text = ReportText(report([Self.problem, Self.problem, Self.warning, Self.note]))
    #expect(text.counts == "2 problems, 1 warning, 1 note")
    #expect(
      text.lines.first == "problem      a [container-network]" && text.lines.last == "?            not seen: the firewall")
  }

  @Test(arguments: [
    (Report.Trial.others, "Discovery works here."), (.unsteady, "Others answer now and then, because packets are lost."),
    (.alone, "Nothing was found that keeps discovery from working here, and nobody else was heard."),
    (
      .none(reason: "there is no backend"),
      "Nothing was found that keeps discovery from working here. It was not tried: there is no backend."
    ),
  ]) func `what came of the trial is told at the end`(trial: Report.Trial, words: String) {
    #expect(ReportText(report([], trial), width: 200).lines.suffix(2) == ["", words])
  }

  @Test func `on a terminal labels have colours, if it has any`() {
    func first(_ finding: Finding?, _ hasColor: Bool) -> String {
      let report = report(finding.map { [$0] } ?? [])
      return String(ReportText(report, appearance: Appearance(hasColor: hasColor)).lines[0].prefix { $0 != " " })
    }
    #expect(first(Self.problem, true) == "\u{1B}[0;1;31mproblem\u{1B}[0m")
    #expect(first(Self.problem, false) == "\u{1B}[0;1mproblem\u{1B}[0m")
    #expect(first(Self.warning, true) == "\u{1B}[0;1;33mwarning\u{1B}[0m")
    #expect(first(Self.note, true) == "\u{1B}[0;1mnote\u{1B}[0m")
    #expect(first(nil, true) == "\u{1B}[0;32mok\u{1B}[0m")
    let lines = ReportText(report(), appearance: Appearance()).lines
    #expect(lines[1].hasPrefix("\u{1B}[0;2m?\u{1B}[0m            not seen"))
  }

  @Test(arguments: [
    (Report.Trial.others, true, "works"), (.alone, true, "alone"), (.unsteady, true, "unsteady"),
    (.none(reason: ""), true, "untried"),
    (.others, false, "fails"),
  ]) func `the last line of JSON sums up`(trial: Report.Trial, isHealthy: Bool, verdict: String) {
    let report = report([Self.warning, Self.note, Self.note] + (isHealthy ? [] : [Self.problem]), trial)
    #expect(
      JSONLine.text(of: SummaryEvent(report, duration: .microseconds(1_234_560)))
        == #"{"event":"summary","healthy":["an interface"],"information":2,"problems":\#(isHealthy ? 0 : 1),"seconds":1.235,"#
        + #""unseen":["the firewall"],"verdict":"\#(verdict)","warnings":1,"works":\#(isHealthy)}"#)
  }

  @Test func `a remedy is a command, an example or an advice`() {
    #expect(
      JSONLine.text(of: FindingEvent(Self.warning)).contains(
        #""remedies":[{"advice":"use another network, one that lets multicast pass, if there is such a network here"},"#
          + #"{"command":"docker run --network host \u001b"},{"example":"ip link"}]"#))
  }
}
