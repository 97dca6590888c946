import Bonjourish
import _BonjourishConsole
import _BonjourishJSONOutput

/// The values of the options common to both commands.
struct DuelInvocation: Sendable {
  let name: InstanceName
  let isBot: Bool
  let json: Bool
  let interfaces: InterfaceSelection
  let generator: SeededNumbers
  let diagnostics: Diagnostics
  private let backend: Bonjour.Backend?
  private let isVerbose: Bool

  /// - Throws: ``Failure`` with the exit code for wrong usage if the interface does not exist.
  init(_ arguments: Arguments, _ diagnostics: Diagnostics) throws(Failure) {
    self.diagnostics = diagnostics
    do throws(DiscoveryError) {
      interfaces = try InterfaceSelection(parsing: arguments[DuelCommands.interfaces])
    } catch {
      throw Failure(.usage, error.message)
    }
    name = arguments[DuelCommands.name]
    isBot = arguments[DuelCommands.bot]
    json = arguments[DuelCommands.json]
    backend = arguments[DuelCommands.backend]
    isVerbose = arguments[DuelCommands.verbose]
    generator = arguments[.seed]
  }

  /// The lines that the player types; nil if the program plays.
  var lines: LineReader? { isBot ? nil : .standardInput }

  /// Discovery, which logs details if `--verbose` is given.
  func bonjour() async throws(Failure) -> Bonjour {
    var configuration = Bonjour.Configuration(backend: backend) { [diagnostics] in diagnostics.detail($0.text) }
    if json, isVerbose {
      configuration.backendChosen = { Output.standard.json(BackendEvent(name: $0.rawValue)) }
    }
    do throws(DiscoveryError) {
      return try await Bonjour(configuration)
    } catch {
      throw Failure(error.code == .invalidBackend ? .usage : .unavailable, error.message)
    }
  }
}
