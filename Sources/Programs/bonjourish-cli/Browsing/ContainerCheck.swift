import Bonjourish
import _BonjourishDoctor

/// Whether nothing is found because this is a container's network, which multicast does not leave.
enum ContainerCheck {
  /// Applies the rule of `bonjourish doctor`, within 2.5 seconds; at once if the interfaces are not a container's.
  ///
  /// - Parameter interfaces: The interfaces that are used. Of several chosen ones nothing is said.
  static func finding(on bonjour: Bonjour, _ interfaces: InterfaceSelection) async -> Finding? {
    var request = DoctorRequest(backend: DoctorRequest.Backend(rawValue: await bonjour.metrics.backend) ?? .auto)
    if interfaces.included.count == 1, interfaces.excluded.isEmpty {
      request.interface = interfaces.included.first
    } else if !interfaces.included.isEmpty || !interfaces.excluded.isEmpty {
      return nil
    }
    // A check that cannot be made says nothing about the network.
    return try? await Doctor.containerNetwork(request)
  }

  /// A warning that nothing was found: what was seen and why that matters, then the remedies.
  static func warning(_ finding: Finding) -> [String] {
    let remedies = finding.remedies.map { remedy in
      switch remedy {
      case .advice(let advice): "- \(advice)"
      case .command(let command), .example(let command): "- \(command)"
      }
    }
    return ["nothing was found: \(finding.seen); \(finding.reason)"] + remedies
  }
}
