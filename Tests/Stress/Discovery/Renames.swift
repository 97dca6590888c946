import Bonjourish
import _BonjourishConsole

/// Publishes a service, and gives it the name of each line of the input. Tells each name that is established.
struct Renames {
  let bonjour: Bonjour

  func run() async throws {
    try await bonjour.withPublishedService(named: "First", type: "_stress._tcp", port: 1) { service in
      Output.standard.line(await service.name.text)
      for await case .text(let line) in LineReader.standardInput {
        do throws(DiscoveryError) {
          try await service.rename(to: try InstanceName(line))
        } catch {
          Output.standard.line("error: \(error)")
        }
        Output.standard.line(await service.name.text)
      }
    }
  }
}
