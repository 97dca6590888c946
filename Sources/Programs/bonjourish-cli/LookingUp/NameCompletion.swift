import Bonjourish
import _BonjourishBase
import _BonjourishConsole
import _BonjourishEventLoop

/// The names of services for a shell that completes `bonjourish resolve`: what is heard within a moment, one name a line.
enum NameCompletion {
  /// The only argument with which the program writes the names. No command has it.
  static let argument = "--complete=names"

  /// The time for which names are collected. People wait for a completion.
  private static let time: Duration = .milliseconds(850)
  /// The longest time that the process takes, also while the system bus hangs.
  private static let longest: Duration = .seconds(1)
  /// The largest number of names.
  private static let limit = 1_000

  /// Writes the names and ends the process, if it was started for that. It is silent about what goes wrong: whoever completes a word reads
  /// no errors.
  static func runIfAsked() async {
    guard Array(CommandLine.arguments.dropFirst()) == [argument] else { return }
    await Program.run(Diagnostics(program: "bonjourish", level: .error)) {
      let names = Names(limit: limit)
      let (ending, ender) = AsyncStream<Never>.makeStream()
      let work = Task {
        if let bonjour = try? await Bonjour() { await collect(names, on: bonjour, for: time) }
        ender.finish()
      }
      let timer = Task {
        try? await Task.sleep(for: longest)
        ender.finish()
      }
      for await _ in ending {}
      work.cancel()
      timer.cancel()
      for name in names.all.sorted() { Output.standard.line(name) }
    }
  }

  /// Collects the names that are heard in time, as far as a shell can take them.
  static func collect(_ names: Names, on bonjour: Bonjour, for time: Duration) async {
    let types = AnnouncedTypes(domain: .local, interfaces: .all) { _ in }
    let handlers = AnnouncedTypes.Handlers(
      search: { _ in false }, begin: { _ in },
      follow: { type in
        try await bonjour.withBrowser(for: type) { browser in
          for try await case .found(let service) in browser.changes where names.isFull(with: service.instance.name) {
            return true
          }
          return false
        }
      }, end: { _ in false })
    try? await forAtMost(time) { try await types.run(on: bonjour, handlers) }
  }

  /// Whether a name can be completed: it stays in its line, shows what it is, is not taken for an option, and is the same when it is read
  /// from the command line, where names are composed.
  static func canBeCompleted(_ name: InstanceName) -> Bool {
    !name.text.hasPrefix("-") && name.text.escapedForDisplay == name.text && (try? InstanceName(name.text)) == name
  }

  /// The names so far.
  final class Names: Sendable {
    private let found = Locked<Set<String>>([])
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var all: Set<String> { found.withLock { $0 } }

    /// Takes a name; returns whether there are enough.
    func isFull(with name: InstanceName) -> Bool {
      found.withLock { names in
        if NameCompletion.canBeCompleted(name) { names.insert(name.text) }
        return names.count >= limit
      }
    }
  }
}
