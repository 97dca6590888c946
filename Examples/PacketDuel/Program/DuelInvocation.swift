import Bonjourish
import Console
import TwentyFour

/// What both commands take from their common options.
struct DuelInvocation: Sendable {
  let name: InstanceName
  let isBot: Bool
  let json: Bool
  let interface: NetworkInterface?
  let generator: SeededGenerator
  let diagnostics: Diagnostics
  private let backend: Bonjour.Backend?
  private let isVerbose: Bool

  /// - Throws: ``Failure`` with the exit code for wrong usage when there is no such interface.
  init(_ arguments: Arguments, _ diagnostics: Diagnostics) throws(Failure) {
    self.diagnostics = diagnostics
    do throws(DiscoveryError) {
      if let name = arguments[DuelCommands.interface] {
        interface = try NetworkInterface(named: name)
      } else {
        interface = nil
      }
    } catch {
      throw Failure(.usage, error.message)
    }
    name = arguments[DuelCommands.name]
    isBot = arguments[DuelCommands.bot]
    json = arguments[DuelCommands.json]
    backend = arguments[DuelCommands.backend]
    isVerbose = arguments[DuelCommands.verbose]
    generator = SeededGenerator(seed: arguments[DuelCommands.seed].map(UInt64.init) ?? .random(in: 0...UInt64.max))
  }

  /// What the person types; nil when the program plays, so that nothing is read then.
  var lines: LineReader? { isBot ? nil : .standardInput }

  /// Discovery, which tells what happens to it when that was asked for.
  func bonjour() async throws(Failure) -> Bonjour {
    var configuration = Bonjour.Configuration(backend: backend) { [diagnostics] in diagnostics.detail($0.text) }
    if json, isVerbose {
      configuration.backendChosen = { Output.standard.json(BackendRecord(name: $0.rawValue)) }
    }
    do throws(DiscoveryError) {
      return try await Bonjour(configuration)
    } catch {
      throw Failure(.unavailable, error.message)
    }
  }
}
