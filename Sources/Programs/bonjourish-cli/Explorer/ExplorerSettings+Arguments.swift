import Bonjourish
import _BonjourishConsole
import _BonjourishDiscoveryOptions
import _BonjourishExplorer
import _BonjourishTerminal

extension ExplorerSettings {
  /// Reads the command line of `browse`.
  ///
  /// - Parameters:
  ///   - sought: The types; nil for all.
  ///   - region: The part of the directory that is used; nil for none.
  init(_ arguments: Arguments, sought: [SoughtType]?, resolves: Bool, isSelective: Bool, region: String?) {
    self.init()
    self.sought = sought?.map(\.text)
    self.resolves = resolves
    self.isSelective = isSelective
    self.region = region
    order = arguments[Commands.order]
    filters = arguments[Commands.filters]
    isUnicode = Appearance.current.isUnicode
    clock = WallTime.now(before: .zero).secondOfDay
    title = { KnownType.title(of: $0) }
    shortName = { KnownType.shortName(of: $0) }
    network = arguments.networkWords
    examination = arguments.examinationWords
    if arguments[Commands.own] { options.append("--own") }
    if arguments[Commands.noOwn] { options.append("--no-own") }
    if arguments[Commands.hints] { options.append("--hints") }
    if let shard = arguments[NetworkOptions.shard] { options += ["--shard", String(shard)] }
  }
}

extension Arguments {
  /// The options of a command that say where services are, as words. Passwords in URLs are left out.
  var networkWords: [String] {
    var words: [String] = []
    func add(_ name: String, _ value: String?) { if let value { words += ["--\(name)", value] } }
    for interface in self[Commands.interfaces] { add("interface", interface) }
    add("family", self[Commands.family].map { $0 == .ipv4 ? "4" : "6" })
    add("domain", self[Commands.domain])
    add("backend", self[NetworkOptions.backend]?.rawValue)
    add("directory", self[NetworkOptions.directory].map { $0.map(Self.withoutUser).joined(separator: ",") })
    add("directory-context", self[NetworkOptions.context])
    add("region", self[NetworkOptions.region])
    add("bucket", self[NetworkOptions.bucket])
    if self[NetworkOptions.noLocal] { words.append("--no-local") }
    return words
  }

  /// The options of `doctor` that examine the same, as words.
  var examinationWords: [String] {
    let interface = (try? InterfaceSelection(parsing: self[Commands.interfaces]))?.onlyName
    let backend = self[NetworkOptions.backend]?.rawValue
    return (interface.map { ["--interface", $0] } ?? []) + (backend.map { ["--backend", $0] } ?? [])
  }

  /// A URL without what stands before the `@`.
  static func withoutUser(_ url: String) -> String {
    guard let at = url.lastIndex(of: "@") else { return url }
    let scheme = url.firstRange(of: "://").map { url[..<$0.upperBound] } ?? ""
    return String(scheme + url[url.index(after: at)...])
  }
}
