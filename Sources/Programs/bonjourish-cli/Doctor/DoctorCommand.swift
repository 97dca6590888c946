import Bonjourish
import _BonjourishConsole
import _BonjourishDoctor
import _BonjourishTerminal

/// `bonjourish doctor`
struct DoctorCommand {
  private let request: DoctorRequest
  private let json: Bool

  init(_ arguments: Arguments) throws {
    // The same error as of the other commands.
    if let name = arguments[Commands.examined] { _ = try InterfaceSelection(parsing: [name]) }
    let backend = try Bonjour.Configuration(backend: arguments[Commands.backend]).chosenBackend()
    request = DoctorRequest(
      backend: DoctorRequest.Backend(rawValue: backend.rawValue) ?? .auto, interface: arguments[Commands.examined])
    json = arguments[Commands.json]
  }

  func run() async throws {
    let report: Report?
    let start = ContinuousClock.now
    do {
      report = try await Doctor.examine(request)
    } catch {
      throw Failure(.unavailable, "examining this machine failed: \(error); end some programs")
    }
    guard let report else { return }
    if json {
      for finding in report.findings { Output.standard.event(FindingEvent(finding)) }
      Output.standard.event(SummaryEvent(report, duration: ContinuousClock.now - start))
    } else {
      let appearance = Output.standard.isTerminal ? Appearance.current : nil
      for line in ReportText(report, appearance: appearance).lines { Output.standard.line(line) }
    }
    if !report.isHealthy { throw Failure(.negative, "discovery does not work here: \(ReportText(report).counts)") }
  }
}

/// A line of `doctor --json` about a finding.
struct FindingEvent: Encodable {
  private struct Remedy: Encodable {
    var command: String?
    var example: String?
    var advice: String?
  }

  private let event = "finding"
  private let id: String
  private let severity: String
  private let interfaces: [String]
  private let seen: String
  private let why: String
  private let remedies: [Remedy]

  init(_ finding: Finding) {
    id = finding.identifier.rawValue
    severity = finding.severity.rawValue
    interfaces = finding.interfaces
    seen = finding.seen
    why = finding.reason
    remedies = finding.remedies.map { remedy in
      switch remedy {
      case .command(let command): Remedy(command: command)
      case .example(let command): Remedy(example: command)
      case .advice(let advice): Remedy(advice: advice)
      }
    }
  }
}

/// The last line of `doctor --json`.
struct SummaryEvent: Encodable {
  private let event = "summary"
  private let works: Bool
  private let verdict: String
  private let problems: Int
  private let warnings: Int
  private let information: Int
  private let healthy: [String]
  private let unseen: [String]
  private let seconds: Double

  init(_ report: Report, duration: Duration) {
    works = report.isHealthy
    verdict =
      switch (report.isHealthy, report.trial) {
      case (false, _): "fails"
      case (true, .others): "works"
      case (true, .alone): "alone"
      case (true, .unsteady): "unsteady"
      case (true, .none): "untried"
      }
    problems = report.count(.problem)
    warnings = report.count(.warning)
    information = report.count(.information)
    healthy = report.healthy
    unseen = report.unseen
    seconds = (duration / .milliseconds(1)).rounded() / 1_000
  }
}
