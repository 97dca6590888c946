import Bonjourish
import Testing
import _BonjourishDiscovery
import _BonjourishDiscoveryOptions

@testable import _BonjourishConsole

struct NetworkChoiceTests {
  private static let command = Command(
    "try", summary: "Tries.", options: NetworkOptions.all, exclusive: NetworkOptions.exclusive)

  private func choice(_ arguments: String..., interfaces: InterfaceSelection = .all) throws -> NetworkChoice {
    guard case .arguments(let arguments) = try Self.command.parse(arguments) else {
      throw UsageError(command: "test", message: "a text was asked for")
    }
    return try NetworkChoice(arguments, interfaces)
  }

  private func failure(_ arguments: String...) async throws -> DiscoveryError? {
    guard case .arguments(let arguments) = try Self.command.parse(arguments) else { return nil }
    let choice = try NetworkChoice(arguments, .all)
    return await #expect(throws: DiscoveryError.self) {
      try await choice.bonjour(Bonjour.Configuration(backend: .builtin)) { _ in }
    }
  }

  @Test func `without a directory the local network alone is used`() throws {
    let choice = try choice("--backend", "builtin", interfaces: "eth0")
    #expect(choice.backend == .builtin)
    #expect(choice.usesLocalNetwork)
    #expect(choice.region == nil)
    #expect(choice.interfaces == "eth0")
  }

  @Test func `a directory is beside the local network, whatever interfaces are named`() throws {
    let all = try choice("--directory", "nats://a,tls://b:4443", "--region", "eu")
    #expect(all.usesLocalNetwork)
    #expect(all.region == "eu")
    #expect(all.interfaces == .all)
    let one = try choice("--directory-context", "hub", interfaces: "eth0")
    #expect(one.region == "world")
    #expect(one.interfaces == "eth0" && one.interfaces.usesDirectory)
  }

  @Test func `the local network can be left out`() throws {
    let choice = try choice("--directory", "nats://a", "--no-local")
    #expect(!choice.usesLocalNetwork)
    #expect(choice.interfaces == .all)
  }

  @Test(arguments: ["--region", "--bucket", "--replicas", "--no-local"]) func `what is about a directory needs one`(
    option: String
  ) {
    let arguments = [option] + (["--region": ["eu"], "--bucket": ["eu"], "--replicas": ["3"]][option] ?? [])
    let failure = #expect(throws: Failure.self) {
      guard case .arguments(let parsed) = try Self.command.parse(arguments) else { return }
      _ = try NetworkChoice(parsed, .all)
    }
    #expect(failure?.code == .usage)
    #expect(failure?.message == "\(option) needs a directory; give --directory URL or --directory-context NAME too")
  }

  @Test func `a shard needs a directory`() throws {
    guard case .arguments(let arguments) = try Self.command.parse([]) else { return }
    let failure = #expect(throws: Failure.self) { _ = try NetworkChoice(arguments, .all, shard: 7) }
    #expect(failure?.message == "--shard needs a directory; give --directory URL or --directory-context NAME too")
  }

  @Test func `options that say different things exclude each other`() {
    for arguments in [
      ["--directory", "nats://a", "--directory-context", "hub"],
      ["--directory", "nats://a", "--no-local", "--backend", "builtin"], ["--directory", ","],
    ] {
      #expect(throws: UsageError.self, "\(arguments)") { try Self.command.parse(arguments) }
    }
  }

  #if Directory
  @Test func `a directory that cannot be meant is refused, and no password is told`() async throws {
    let wrong = try await failure("--directory", "nats://a,nats://ada:s3cret@b:c")
    #expect(wrong?.code == .invalidDirectory)
    #expect(wrong?.message.contains("…@b:c") == true)
    #expect(wrong?.message.contains("s3cret") == false)
    let region = try await failure("--directory", "nats://a", "--region", "Éire")
    #expect(region?.code == .invalidDirectory)
    #expect(region?.message.contains("region") == true)
    let bucket = try await failure("--directory", "nats://a", "--bucket", "a.b")
    #expect(bucket?.message.contains("bucket \"a.b\"") == true)
    let context = try await failure("--directory-context", "there is no such context")
    #expect(context?.code == .invalidDirectory)
  }
  #else
  @Test func `without the trait a directory is refused, with what to do`() async throws {
    for arguments in ["--directory", "--directory-context"] {
      let error = try await failure(arguments, "nats://a")
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("package trait Directory") == true)
    }
  }
  #endif

  @Test func `help says what each option is for`() {
    for name in ["backend", "directory", "directory-context", "region", "bucket", "replicas", "no-local"] {
      #expect(Self.command.help.contains("--\(name)"))
    }
    let named = Set(NetworkOptions.notes.keys)
    #expect(named == ["directory", "directory-context", "region", "bucket", "replicas", "no-local"])
  }
}
