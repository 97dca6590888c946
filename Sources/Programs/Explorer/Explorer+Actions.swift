import _BonjourishDiscovery
import _BonjourishTerminal

/// What is done with what is selected.
extension Explorer {
  // MARK: - Copying

  /// Copies the selected line of the details, or asks what to copy.
  mutating func copy(at now: Duration) -> [ExplorerEffect] {
    if focus == .details {
      guard detailCursor < detailLines.count, let value = detailLines[detailCursor].value else {
        tell("nothing to copy on this line", at: now)
        return []
      }
      return copy(value, at: now)
    }
    mode = .choosing(Menu(title: "copy", items: copyItems))
    return []
  }

  private var copyItems: [Menu.Item] {
    var items: [Menu.Item] = []
    func add(_ key: Unicode.Scalar, _ label: String, _ text: String?) {
      if let text { items.append(Menu.Item(key: key, label: label, text: text, choice: .copy(text))) }
    }
    if let service = selectedEntry?.service {
      let endpoint = service.endpoint
      add("y", "address and port", endpoint.flatMap(Self.addressAndPort))
      add("n", "name", service.instance.name.description)
      add("h", "host", endpoint.map { "\($0.host)" })
      add("a", "address", endpoint?.addresses.first?.description.escapedForDisplay)
      add("u", "URL", endpoint.flatMap { Opening.url(of: service.instance, $0) })
      add("c", "command", line(words(for: service.instance)))
    } else if let group = selectedGroup {
      add("n", "name", group.title)
    }
    add("l", "command of the list", listWords.map { line($0) })
    return items
  }

  /// The best address with the port, such as `10.77.0.1:8080` or `[fe80::1%eth0]:8080`.
  static func addressAndPort(_ endpoint: Endpoint) -> String? {
    endpoint.addresses.first.map { address in
      let text = address.description.escapedForDisplay
      return address.family == .ipv6 ? "[\(text)]:\(endpoint.port)" : "\(text):\(endpoint.port)"
    }
  }

  mutating func copy(_ text: String, at now: Duration) -> [ExplorerEffect] {
    tell("copied \(text)", at: now)
    return [.copy(text)]
  }

  // MARK: - Opening

  mutating func open(at now: Duration) -> [ExplorerEffect] {
    guard let service = selectedEntry?.service else {
      tell("select a service to open it", at: now)
      return []
    }
    do throws(Opening.Refusal) {
      return [.open(try Opening(service.instance, service.endpoint))]
    } catch {
      let advice = error.advice.isEmpty ? "" : "; type: \(line(error.advice))"
      tell(error.message.escapedForDisplay + advice, at: now)
      return []
    }
  }

  // MARK: - Publishing

  /// Withdraws the selected service if it is published from here, or asks which one.
  mutating func withdraw(at now: Duration) -> [ExplorerEffect] {
    if let selected = selectedEntry?.service.instance, let own = publications.first(where: { $0.instance == selected }) {
      return [.withdraw(own.number)]
    }
    guard !publications.isEmpty else {
      tell("nothing is published from here; n publishes a service", at: now)
      return []
    }
    // Those after the ninth have no key, and are reached with the arrows.
    let keys = Array("123456789".unicodeScalars)
    let items = publications.enumerated().map { place, own in
      Menu.Item(
        key: place < keys.count ? keys[place] : nil, label: "withdraw",
        text: own.instance.map { "\($0)" } ?? own.words.joined(separator: " ").escapedForDisplay,
        choice: .withdraw(own.number))
    }
    mode = .choosing(Menu(title: "withdraw", items: items))
    return []
  }

  private mutating func publish(_ line: String, at now: Duration) -> [ExplorerEffect] {
    do throws(ShellWords.Problem) {
      let words = try ShellWords.words(of: line)
      guard !words.isEmpty else { return [] }
      let number = nextPublication
      nextPublication += 1
      publications.append(PublishedHere(number: number, words: words))
      tell("publishing \(words[0].escapedForDisplay) …", at: now)
      return [.publish(number, words)]
    } catch {
      tell(error.message, at: now)
      mode = .writing(Prompt(.publish, line))
      return []
    }
  }

  // MARK: - The doctor

  mutating func examine() -> [ExplorerEffect] {
    mode = .reading(.report(scroll: 0))
    guard !isExamining else { return [] }
    (isExamining, report) = (true, [])
    return [.examine(columns: max(20, min(80, layout.size.columns - 2)))]
  }

  // MARK: - Lines, menus and panes

  mutating func write(_ key: Key, _ prompt: Prompt, at now: Duration) -> [ExplorerEffect] {
    var prompt = prompt
    switch key {
    case .escape, .control("g"), .control("c"):
      mode = .exploring
      if case .filter(let former) = prompt.purpose {
        show(key == .control("c") ? former : nil, markedOnly: tree.listsMarkedOnly)
      }
      return []
    case .up, .down, .pageUp, .pageDown:
      // The list moves while its filter is written.
      guard case .filter = prompt.purpose else { break }
      switch key {
      case .up: select(cursorIndex - 1)
      case .down: select(cursorIndex + 1)
      case .pageUp: select(cursorIndex - layout.page)
      default: select(cursorIndex + layout.page)
      }
      return []
    case .control("l"): return [.repaint]
    default: break
    }
    let line = prompt.editor.text
    switch prompt.editor.handle(key) {
    case .submitted(let line):
      mode = .exploring
      if case .publish = prompt.purpose { return publish(line, at: now) }
    case .ended: mode = .exploring
    case .edited, .ignored:
      mode = .writing(prompt)
      if case .filter = prompt.purpose, prompt.editor.text != line {
        show(ListFilter(prompt.editor.text), markedOnly: tree.listsMarkedOnly)
      }
    }
    return []
  }

  mutating func choose(_ key: Key, _ menu: Menu, at now: Duration) -> [ExplorerEffect] {
    var menu = menu
    mode = .exploring
    let chosen: Menu.Item?
    switch key {
    case .up, .text("k"): menu.selected = max(0, menu.selected - 1)
    case .down, .text("j"): menu.selected = min(menu.items.count - 1, menu.selected + 1)
    default: break
    }
    switch key {
    case .enter: chosen = menu.items.indices.contains(menu.selected) ? menu.items[menu.selected] : nil
    case .text(let scalar) where menu.items.contains { $0.key == scalar }: chosen = menu.items.first { $0.key == scalar }
    case .up, .down, .text("k"), .text("j"):
      mode = .choosing(menu)
      return []
    default: return []
    }
    switch chosen?.choice {
    case .copy(let text): return copy(text, at: now)
    case .withdraw(let number): return [.withdraw(number)]
    case nil: return []
    }
  }

  /// More rows than a pane has.
  private static let farthest = 1_000_000

  mutating func read(_ key: Key, _ pane: Pane, at now: Duration) -> [ExplorerEffect] {
    if case .report = pane, key == .text("y") { return copyReport(at: now) }
    var scroll = pane.scroll
    switch key {
    case .up, .text("k"): scroll -= 1
    case .down, .text("j"): scroll += 1
    case .pageUp: scroll -= layout.page
    case .pageDown, .text(" "): scroll += layout.page
    case .home, .text("g"): scroll = 0
    case .end, .text("G"): scroll = Self.farthest
    default:
      mode = .exploring
      return []
    }
    mode = .reading(pane.scrolled(to: max(0, scroll)))
    return []
  }

  private mutating func copyReport(at now: Duration) -> [ExplorerEffect] {
    guard !report.isEmpty else {
      tell("there is no report yet", at: now)
      return []
    }
    tell("copied the report", at: now)
    return [.copy(report.joined(separator: "\n"))]
  }

  // MARK: - The mouse

  mutating func handle(_ mouse: Mouse, at now: Duration) -> [ExplorerEffect] {
    guard hasMouse else { return [] }
    switch mode {
    case .reading(let pane):
      switch mouse.action {
      case .wheelUp: mode = .reading(pane.scrolled(to: max(0, pane.scroll - Self.wheelRows)))
      case .wheelDown: mode = .reading(pane.scrolled(to: pane.scroll + Self.wheelRows))
      case .press: mode = .exploring
      case .release: break
      }
      return []
    case .writing, .choosing: return []
    case .exploring: break
    }
    switch mouse.action {
    case .release: break
    case .wheelUp, .wheelDown: turn(mouse.action == .wheelUp ? -Self.wheelRows : Self.wheelRows, at: mouse.position)
    case .press where mouse.button == 0: click(mouse.position)
    case .press: break
    }
    return []
  }

  /// The number of rows that one notch of the wheel moves.
  private static let wheelRows = 3

  private mutating func turn(_ rows: Int, at position: Canvas.Position) {
    if layout.details.contains(position) {
      detailCursor = max(0, min(detailCursor + rows, detailLines.count - 1))
    } else {
      keepsCursorInSight = false
      scroll = max(0, min(scroll + rows, tree.rowCount - layout.list.rows))
    }
  }

  private mutating func click(_ position: Canvas.Position) {
    if layout.details.contains(position) {
      let row = position.row - layout.details.row
      guard row < layout.detailLines.count, selectedEntry != nil else { return }
      (focus, showsDetailsAlone) = (.details, true)
      detailCursor = layout.detailLines[row]
      return
    }
    guard layout.list.contains(position) else { return }
    let index = scroll + position.row - layout.list.row
    guard index < tree.rowCount else { return }
    let wasSelected = index == cursorIndex && focus == .list
    (focus, showsDetailsAlone) = (.list, false)
    guard wasSelected else { return select(index) }
    if let group = selectedGroup { setFolded(!tree.folded.contains(group.key), group.key) } else { openDetails() }
  }
}

extension Pane {
  var scroll: Int {
    switch self {
    case .help(let scroll), .report(let scroll): scroll
    }
  }

  func scrolled(to scroll: Int) -> Pane {
    switch self {
    case .help: .help(scroll: scroll)
    case .report: .report(scroll: scroll)
    }
  }
}
