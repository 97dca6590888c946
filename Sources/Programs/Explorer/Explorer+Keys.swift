import _BonjourishDiscovery
import _BonjourishTerminal

/// What keys do.
extension Explorer {
  mutating func handle(_ key: Key, at now: Duration) -> [ExplorerEffect] {
    if case .mouse(let mouse) = key { return handle(mouse, at: now) }
    switch mode {
    case .writing(let prompt): return write(key, prompt, at: now)
    case .choosing(let menu): return choose(key, menu, at: now)
    case .reading(let pane): return read(key, pane, at: now)
    case .exploring: break
    }
    switch key {
    case .text("q"), .text("Q"), .control("d"): return [.quit]
    case .control("l"): return [.repaint]
    case .text("?"): mode = .reading(.help(scroll: 0))
    case .text("/"): mode = .writing(Prompt(.filter(former: tree.filter), tree.filter?.text ?? ""))
    case .text("n"): mode = .writing(Prompt(.publish))
    case .text("d"): return withdraw(at: now)
    case .text("D"), .text("!"): return examine()
    case .text("y"): return copy(at: now)
    case .text("o"): return open(at: now)
    case .text("p"): toggleFreezing(at: now)
    case .text("m"):
      hasMouse.toggle()
      tell(hasMouse ? "mouse on: click, and turn the wheel; hold Shift to select text" : "mouse off", at: now)
      return [.reportMouse(hasMouse)]
    case .text("R"): toggleResolving(at: now)
    case .text("v"): group(by: tree.grouping.next)
    case .text("s"):
      let orders = ServiceOrder.allCases
      sort(by: orders[((orders.firstIndex(of: tree.order) ?? 0) + 1) % orders.count])
    case .text("*"): show(tree.filter, markedOnly: !tree.listsMarkedOnly)
    case .text("-"), .text("+"), .text("="):
      let instance = selectedEntry?.service.instance
      tree.setAllFolded(key == .text("-"))
      reselect(key == .text("-") ? nil : instance)
    case .tab, .backtab: if focus == .details { focus = .list } else { openDetails() }
    case .escape: leave()
    case .text(let scalar):
      if let grouping = Grouping.allCases.first(where: { $0.key == scalar }) {
        group(by: grouping)
      } else {
        move(key, at: now)
      }
    default: move(key, at: now)
    }
    return []
  }

  /// Undoes one thing: the details, what is marked only, the filter.
  private mutating func leave() {
    if focus == .details || showsDetailsAlone {
      (focus, showsDetailsAlone) = (.list, false)
    } else if tree.filter != nil || tree.listsMarkedOnly {
      show(nil, markedOnly: false)
    }
  }

  // MARK: - Moving

  private mutating func move(_ key: Key, at now: Duration) {
    guard focus == .list else { return moveInDetails(key) }
    switch key {
    case .up, .text("k"): select(cursorIndex - 1)
    case .down, .text("j"): select(cursorIndex + 1)
    case .pageUp: select(cursorIndex - layout.page)
    case .pageDown: select(cursorIndex + layout.page)
    case .home, .text("g"): select(0)
    case .end, .text("G"): select(.max)
    case .left, .text("h"): fold()
    case .right, .text("l"):
      if let group = selectedGroup { setFolded(false, group.key) } else { openDetails() }
    case .enter:
      if let group = selectedGroup { setFolded(!tree.folded.contains(group.key), group.key) } else { openDetails() }
    case .text(" "): mark()
    default: break
    }
  }

  private mutating func moveInDetails(_ key: Key) {
    let last = max(0, detailLines.count - 1)
    switch key {
    case .up, .text("k"): detailCursor -= 1
    case .down, .text("j"), .text(" "): detailCursor += 1
    case .pageUp: detailCursor -= max(1, layout.details.rows - 1)
    case .pageDown: detailCursor += max(1, layout.details.rows - 1)
    case .home, .text("g"): detailCursor = 0
    case .end, .text("G"): detailCursor = last
    case .left, .enter, .text("h"): leave()
    default: break
    }
    detailCursor = max(0, min(detailCursor, last))
  }

  mutating func openDetails() {
    guard selectedEntry != nil else { return }
    (focus, detailCursor, detailScroll, showsDetailsAlone) = (.details, 0, 0, true)
  }

  private mutating func fold() {
    guard tree.grouping != .flat, let cursor = cursor ?? selectedRow.map(tree.anchor) else { return }
    let group = ServiceTree.Anchor(group: cursor.group, instance: nil)
    if cursor.instance == nil { return setFolded(true, cursor.group) }
    select(tree.index(of: group) ?? 0)
  }

  mutating func setFolded(_ isFolded: Bool, _ group: String) {
    tree.setFolded(isFolded, group)
    keepsCursorInSight = true
  }

  // MARK: - What is listed

  private mutating func group(by grouping: Grouping) {
    let instance = selectedEntry?.service.instance
    tree.group(by: grouping)
    reselect(instance)
  }

  private mutating func sort(by order: ServiceOrder) {
    let instance = selectedEntry?.service.instance
    tree.sort(by: order)
    reselect(instance)
  }

  mutating func show(_ filter: ListFilter?, markedOnly: Bool) {
    let instance = selectedEntry?.service.instance
    tree.show(filter, markedOnly: markedOnly)
    reselect(instance)
    // What is sought is a service, not its group.
    if filter != nil, selectedGroup != nil, case .service? = tree.rows(from: 1, count: 1).first { select(1) }
  }

  private mutating func mark() {
    guard let instance = selectedEntry?.service.instance else { return }
    if marked.remove(instance) == nil { marked.insert(instance) }
    let isMarked = marked.contains(instance)
    tree.remark(instance) { $0.remarks.isMarked = isMarked }
    select(cursorIndex + 1)
  }

  private mutating func toggleResolving(at now: Duration) {
    guard !settings.resolves else { return tell("all services are resolved already", at: now) }
    asksToResolveAll.toggle()
    tell(
      asksToResolveAll
        ? "resolving all services"
        : resolvesAll ? "what is listed needs all services resolved" : "only the selected service is resolved",
      at: now)
  }
}
