import Bonjourish
import _BonjourishConsole
import _BonjourishDoctor

/// What `doctor` does, for the explorer.
struct Examination: Sendable {
  private let request: DoctorRequest

  /// - Throws: `DiscoveryError` if the environment names no backend.
  init(_ backend: Bonjour.Backend?, _ interfaces: InterfaceSelection) throws(DiscoveryError) {
    let backend = try Bonjour.Configuration(backend: backend).chosenBackend()
    request = DoctorRequest(
      backend: DoctorRequest.Backend(rawValue: backend.rawValue) ?? .auto, interface: interfaces.onlyName)
  }

  /// Examines the machine; returns the lines of the report.
  func lines(columns: Int) async -> [String] {
    do {
      guard let report = try await Doctor.examine(request) else { return [] }
      return ReportText(report, width: columns).lines
    } catch {
      return ["examining this machine failed: \(error); end some programs"]
    }
  }
}
