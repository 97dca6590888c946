import _BonjourishDiscovery
import _BonjourishTerminal

/// What happens on the network.
extension Explorer {
  /// Takes a change of a type, or of the search for types.
  mutating func apply(_ change: BrowseChange, of type: ServiceType?, at now: Duration) {
    switch change {
    case .settled: settled.insert(type)
    case .interrupted(let error): outage = error
    case .restored: outage = nil
    case .found(let service):
      // What was there before is not marked.
      let isNews = isSettled || settled.contains(type)
      history.came(service, at: now)
      // What was resolved while it was gone is no longer so, and it is followed anew.
      resolved[service.instance] = nil
      if service.instance == followed { followed = nil }
      enter(change, of: service, isNews ? .found : nil, at: now)
    case .updated(let service):
      let former = frozen?.service(service.instance) ?? tree.entry(of: service.instance)?.service
      if let former { history.changed(from: former, to: service, at: now) }
      // That it is heard over another family, too, is in the details and no news.
      let isNews = former.map { [service = completed(service)] in $0 != service && !$0.differsInFamilies(from: service) }
      enter(change, of: service, isNews == false ? nil : .changed, at: now)
    case .lost(let service):
      history.went(service.instance, at: now)
      resolved[service.instance] = nil
      resolving.remove(service.instance)
      enter(change, of: service, .lost, at: now)
    }
  }

  /// Brings a change of a service into the list, or keeps it until the list goes on.
  private mutating func enter(_ change: BrowseChange, of service: DiscoveredService, _ mark: Entry.Mark?, at now: Duration) {
    guard frozen == nil else {
      frozen?.count += 1
      // Of several changes the last one tells how the service is then, and whether it was there before, the list itself.
      frozen?.changes[service.instance] = change
      // One that came and went meanwhile was never listed.
      if mark == .lost, tree.entry(of: service.instance) == nil { frozen?.changes[service.instance] = nil }
      return
    }
    let former = tree.entry(of: service.instance)
    if mark == .lost {
      if let former { put(former.service, mark: .lost, at: now) }
      return
    }
    let keepsMark = mark == .changed && former?.mark == .found && now < former?.end ?? .zero
    put(service, mark: keepsMark ? .found : mark, at: now)
    if mark == nil, let former, let known = former.mark, known != .lost { keep(known, until: former.end, of: service.instance) }
  }

  /// A service with what resolving it alone has brought.
  private func completed(_ service: DiscoveredService) -> DiscoveredService {
    guard service.endpoint == nil, let known = resolved[service.instance] else { return service }
    var service = service
    service.endpoint = known.endpoint
    if service.refusedAddresses.isEmpty { service.refusedAddresses = known.refused }
    return service
  }

  /// Lists the state of a service.
  private mutating func put(_ service: DiscoveredService, mark: Entry.Mark?, at now: Duration) {
    let service = completed(service)
    let known = resolved[service.instance]
    let flapsUntil = history[service.instance].flapsUntil
    let remarks = Entry.Remarks(
      isSilent: known != nil && known?.endpoint == nil, flapsUntil: flapsUntil > now ? flapsUntil : .zero,
      isMarked: marked.contains(service.instance), isGone: mark == .lost)
    var entry = Entry(
      service, remarks, title: settings.title(service.instance.type), resolves: settings.resolves, isUnicode: settings.isUnicode
    )
    if let mark {
      (entry.mark, entry.end) = (mark, now + Self.markTime)
      endings.append(service.instance, at: entry.end)
    }
    if remarks.flapsUntil > now { flapEndings.append(service.instance, at: remarks.flapsUntil) }
    if service.endpoint == nil, mark != .lost { unresolvedMayExist = true }
    tree.put(entry)
  }

  /// Takes what resolving a service has brought.
  mutating func note(_ endpoint: Endpoint?, refusing refused: [IPAddress], of instance: ServiceInstance, at now: Duration) {
    resolving.remove(instance)
    guard let entry = tree.entry(of: instance), entry.mark != .lost else { return }
    resolved[instance] = (endpoint, refused, now)
    if let endpoint { history.note(endpoint, of: instance, at: now) }
    // A browser that resolves knows better.
    guard !settings.resolves, frozen == nil else { return }
    var service = entry.service
    (service.endpoint, service.refusedAddresses) = (endpoint, refused)
    guard service != entry.service || (endpoint == nil) != entry.remarks.isSilent else { return }
    put(service, mark: nil, at: now)
    if let mark = entry.mark, now < entry.end { keep(mark, until: entry.end, of: instance) }
  }

  /// Marks a service as it was.
  private mutating func keep(_ mark: Entry.Mark?, until end: Duration, of instance: ServiceInstance) {
    tree.remark(instance) { ($0.mark, $0.end) = (mark, end) }
  }

  /// Takes how far a publication has got.
  mutating func note(_ state: PublicationState, of number: Int, at now: Duration) {
    guard let place = publications.firstIndex(where: { $0.number == number }) else { return }
    let name = publications[place].instance.map { "\($0.name)" } ?? publications[place].words.first?.escapedForDisplay ?? ""
    switch state {
    case .published(let instance):
      let isRenamed = publications[place].instance.map { $0 != instance } ?? false
      publications[place].instance = instance
      tell(isRenamed ? "\(name) is now named \(instance.name)" : "published \(instance.name) as \(instance.type)", at: now)
    case .withdrawn:
      publications.remove(at: place)
      tell("withdrew \(name)", at: now)
    case .failed(let reason):
      let refused = publications.remove(at: place)
      // What was refused can be mended.
      if refused.instance == nil, case .exploring = mode { mode = .writing(Prompt(.publish, ShellWords.line(refused.words))) }
      tell(reason.escapedForDisplay, at: now)
    }
  }

  // MARK: - Time

  /// Lets time pass: marks disappear, and lost services.
  mutating func advance(to now: Duration) {
    if let end = note?.end, end <= now { note = nil }
    guard frozen == nil else { return locate() }
    while let instance = endings.next(until: now) {
      guard let entry = tree.entry(of: instance), let mark = entry.mark, entry.end <= now else { continue }
      if mark == .lost {
        marked.remove(instance)
        tree.remove(instance)
      } else {
        tree.remark(instance) { $0.mark = nil }
      }
    }
    while let instance = flapEndings.next(until: now) {
      guard let entry = tree.entry(of: instance), entry.mark != .lost, entry.remarks.flapsUntil <= now else { continue }
      // The column of remarks changes.
      put(entry.service, mark: nil, at: now)
      keep(entry.mark, until: entry.end, of: instance)
    }
    locate()
  }

  // MARK: - Freezing

  /// Lets the list stand still, or go on with what has changed meanwhile.
  mutating func toggleFreezing(at now: Duration) {
    guard let waiting = frozen else { return frozen = Frozen() }
    frozen = nil
    for (instance, change) in waiting.changes {
      switch change {
      case .found(let service), .updated(let service):
        let isKnown = tree.entry(of: instance).map { $0.mark != .lost } ?? false
        enter(change, of: service, isKnown ? .changed : .found, at: now)
      case .lost(let service): enter(change, of: service, .lost, at: now)
      case .settled, .interrupted, .restored: break
      }
    }
    // What was resolved meanwhile.
    for (instance, known) in resolved { note(known.endpoint, refusing: known.refused, of: instance, at: known.time) }
  }

  // MARK: - The cursor

  /// Finds the selected row again, after rows have come and gone.
  mutating func locate() {
    let count = tree.rowCount
    guard let anchor = cursor else {
      cursorIndex = 0
      return
    }
    if let index = tree.index(of: anchor) {
      // The row stays where it is on the screen, unless all is in sight.
      if scroll > 0 { scroll = max(0, scroll + index - cursorIndex) }
      cursorIndex = index
    } else {
      cursorIndex = max(0, min(cursorIndex, count - 1))
      cursor = tree.rows(from: cursorIndex, count: 1).first.map(tree.anchor)
    }
  }

  /// Selects a row by its number.
  mutating func select(_ index: Int) {
    cursorIndex = max(0, min(index, tree.rowCount - 1))
    cursor = tree.rows(from: cursorIndex, count: 1).first.map(tree.anchor)
    keepsCursorInSight = true
  }

  /// Selects the same service, or its group, after the rows were put in another order.
  mutating func reselect(_ instance: ServiceInstance?) {
    if let instance, let entry = tree.entry(of: instance), entry.isListed, let group = entry.groups.first {
      cursor = ServiceTree.Anchor(group: group, instance: instance)
      cursorIndex = cursor.flatMap { tree.index(of: $0) } ?? 0
    } else {
      cursor = nil
      cursorIndex = 0
    }
    (scroll, keepsCursorInSight) = (0, true)
  }
}
