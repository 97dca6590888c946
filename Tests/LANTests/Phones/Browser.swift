import Foundation
import Synchronization
import TestSupport
import TwentyFour

/// A headless Chromium on a host: people at phones, which are its windows.
final class Browser: Sendable {
  private let host: Lab.Host
  private let peer: Program
  private let requests = Mutex(0)
  /// What was said in each window, after what somebody has waited for.
  fileprivate let unheard = Mutex<[String: [String]]>([:])

  private init(_ lab: Lab, on host: Lab.Host) async throws {
    self.host = host
    peer = try lab.start(LAN.peer("browser"), on: host, isTold: false)
    do {
      try await peer.event("ready", within: .seconds(40))
    } catch {
      throw LabError("\(host): no browser\n\(peer.transcript)")
    }
  }

  /// Why no browser can be started here; nil if one can.
  static let obstacle: String? = {
    let folders = ["/usr/bin", "/usr/local/bin"]
    let isThere = folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/chromium") }
    return isThere ? nil : "there is no chromium; .ci/deps installs it, and fonts-dejavu-core, the only fonts that it uses here"
  }()

  /// Opens a browser for as long as a body runs.
  static func open<Result>(_ lab: Lab, on host: Lab.Host, _ body: (Browser) async throws -> Result) async throws -> Result {
    let browser = try await Browser(lab, on: host)
    let result = try await body(browser)
    try browser.peer.closeInput()
    _ = try await browser.peer.exitCode(within: .seconds(10))
    return result
  }

  /// A new window, which shares nothing with the others.
  func phone(
    _ name: String, width: Int = 320, height: Int = 568, isDark: Bool = false, isPhone: Bool = true
  ) async throws -> Phone {
    try await ask(name, "new", [.number(Double(width)), .number(Double(height)), .bool(isDark), .bool(isPhone)])
    return Phone(name: name, browser: self)
  }

  /// See `peers/browser.py`.
  private struct Request: Encodable {
    let id: Int
    let window: String
    let verb: String
    let arguments: [JSON]

    enum CodingKeys: String, CodingKey {
      case id, window
      case verb = "do"
      case arguments = "with"
    }
  }

  @discardableResult
  fileprivate func ask(
    _ window: String, _ verb: String, _ arguments: [JSON] = [], within limit: Duration = .seconds(40), canFail: Bool = false
  ) async throws -> [String] {
    let id = requests.withLock { count in
      count += 1
      return count
    }
    let request = Request(id: id, window: window, verb: verb, arguments: arguments)
    try peer.send(String(decoding: JSONEncoder().encode(request), as: UTF8.self))
    let reply = try await peer.event("reply", within: limit) { $0["id"]?.number == Double(id) }
    let lines = reply["lines"]?.array?.compactMap(\.string) ?? []
    guard canFail || reply["isDone"] == true else {
      throw LabError("\(host), \(window): \(verb) \(arguments) failed; there stood\n" + lines.joined(separator: "\n"))
    }
    return lines
  }
}

/// A person at a phone, who taps and reads.
struct Phone {
  let name: String
  fileprivate let browser: Browser

  // MARK: - What the person does

  func open(_ address: String) async throws { try await browser.ask(name, "open", [.string(address)]) }
  func reload() async throws { try await browser.ask(name, "reload") }
  func write(_ text: String) async throws { try await browser.ask(name, "write", [.string(text)]) }
  func press(_ key: String) async throws { try await browser.ask(name, "press", [.string(key)]) }
  func resize(width: Int, height: Int) async throws {
    try await browser.ask(name, "resize", [.number(Double(width)), .number(Double(height))])
  }
  func look(isDark: Bool) async throws { try await browser.ask(name, "look", [.bool(isDark)]) }
  func offline(_ isOffline: Bool) async throws { try await browser.ask(name, "offline", [.bool(isOffline)]) }

  /// Taps what has these names, one after the other.
  func tap(_ names: String...) async throws {
    for name in names { try await browser.ask(self.name, "tap", [.string(name)]) }
  }

  /// Taps these until the page shows a text: again if it says that there was no connection. A busy machine may break one.
  func tap(_ names: String..., until text: String) async throws {
    for _ in 0..<3 {
      for name in names { try await browser.ask(self.name, "tap", [.string(name)]) }
      let lines = try await browser.ask(name, "shows", [.array([.string(text)]), .array([]), 10], canFail: true)
      if lines.contains(where: { $0.contains(text) }) { return }
      guard lines.contains(where: { $0.contains("Press again when it is back") }) else { break }
      try await shows(without: "The connection broke")
    }
    try await shows(text)
  }

  /// Opens the page, and says a name.
  func join(_ address: String) async throws {
    try await open(address)
    try await shows("Who plays?")
    try await tap("Your name, as the others see it")
    // In place of the name that the page remembers.
    try await value("document.activeElement.select()")
    try await write(name)
    try await tap("Play")
  }

  /// Taps a solution together.
  func solve(_ hand: Hand) async throws {
    try await tapTogether(try Expression(try hand.solution()))
  }

  /// Taps an expression together.
  func tapTogether(_ expression: TwentyFour.Expression) async throws {
    _ = try await solve(expression)
  }

  /// Returns whether the card of the expression was just made, and is therefore chosen.
  private func solve(_ expression: TwentyFour.Expression) async throws -> Bool {
    guard case .binary(let operation, let left, let right) = expression else { return false }
    let isLeftMade = try await solve(left)
    let isRightMade = try await solve(right)
    if !isLeftMade || isRightMade { try await tap(try written(left)) }
    try await tap(Self.signs[operation] ?? "", try written(right))
    return true
  }

  private func written(_ expression: TwentyFour.Expression) throws -> String {
    try expression.value.description.replacing("-", with: "−")
  }

  private static let signs: [TwentyFour.Expression.Operation: String] = [
    .plus: "plus", .minus: "minus", .times: "times", .over: "divided by",
  ]

  // MARK: - What the person sees

  /// Waits until all of these texts are on the page, and none of the others, and returns its lines then.
  @discardableResult
  func shows(_ texts: String..., without others: String..., within limit: Duration = .seconds(20)) async throws -> [String] {
    try await browser.ask(
      name, "shows", [.array(texts.map(JSON.string)), .array(others.map(JSON.string)), .number(limit / .seconds(1))],
      within: limit + .seconds(10))
  }

  /// The faults that a script of `peers` finds in the page.
  func faults(_ script: String) async throws -> [String] {
    try await browser.ask(name, "run", [.string(script)], canFail: true)
  }

  /// What is on the page and not accessible to everyone.
  func obstacles() async throws -> [String] { try await faults("accessible.js") }

  /// What the browser's accessibility tree offers to be read out by itself: the politeness of each region, and what it says now.
  func liveRegions() async throws -> [String] { try await browser.ask(name, "live_regions") }

  /// What was said since the last time, each with its politeness, in order: begins to listen if nobody has yet. What gets the focus is read
  /// out, too: `focus`.
  @discardableResult
  func said() async throws -> [String] {
    let earlier = browser.unheard.withLock { $0.removeValue(forKey: name) ?? [] }
    return earlier + (try await browser.ask(name, "run", [.string("listen.js")], canFail: true))
  }

  /// Waits until these were said, in this order; returns what was said since the last time, up to the last of them.
  @discardableResult
  func says(_ texts: String..., within limit: Duration = .seconds(20)) async throws -> [String] {
    let end = ContinuousClock.now + limit
    var all: [String] = []
    while true {
      all += try await said()
      var rest = all[...]
      let missing = texts.first { text in
        guard let index = rest.firstIndex(where: { $0.contains(text) }) else { return true }
        rest = rest[(index + 1)...]
        return false
      }
      guard let missing else {
        browser.unheard.withLock { $0[name] = Array(rest) }
        return Array(all[..<rest.startIndex])
      }
      guard ContinuousClock.now < end else {
        throw LabError("\(name): '\(missing)' was not said; said was\n" + all.joined(separator: "\n"))
      }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  /// What the Tab key reaches, in order; a hyphen stands before what does not show that it has the focus.
  func focusOrder() async throws -> [String] { try await browser.ask(name, "focus_order") }

  /// The value of an expression in the page, as JSON.
  @discardableResult
  func value(_ expression: String) async throws -> String {
    try await browser.ask(name, "value", [.string(expression)]).first ?? ""
  }

  /// The addresses that the page asked for.
  func requests() async throws -> [String] { try await browser.ask(name, "requests") }

  /// What the browser says against the page: exceptions, and offences against its security policy.
  func complaints() async throws -> [String] { try await browser.ask(name, "complaints", canFail: true) }

  /// Takes a picture if somebody wants some: the environment's `PAGE_PICTURES` is the folder for them.
  func picture(_ title: String) async throws {
    guard let folder = ProcessInfo.processInfo.environment["PAGE_PICTURES"] else { return }
    try await browser.ask(name, "picture", [.string("\(folder)/\(title).png")])
  }

  func close() async throws { try await browser.ask(name, "close") }
}
