import CBonjourishLinux

/// Events of descriptors.
extension EventLoop {
  /// Watches a descriptor, and calls a closure in every tick in which one of the events holds (level-triggered).
  ///
  /// - Parameters:
  ///   - descriptor: A descriptor that epoll supports and that has no source yet. Its owner cancels the source before closing it.
  ///   - interest: The events to wait for.
  ///   - edgeTriggered: Whether the handler is called for new events only, which saves the kernel a check in every wait.
  ///     ``DescriptorSource/rearm()`` reports the present events once more.
  ///   - handler: Called on the loop with the events.
  /// - Throws: ``SystemError``: `EPERM` for a regular file, `EEXIST` if the descriptor is watched already, `ENOSPC` or `ENOMEM`.
  package func watch(
    _ descriptor: CInt, for interest: DescriptorEvents, edgeTriggered: Bool = false,
    _ handler: @escaping (DescriptorEvents) -> Void
  ) throws(SystemError) -> DescriptorSource {
    preconditionIsCurrent()
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append((nil, 0)) }
    let source = DescriptorSource(
      descriptor: descriptor, interest: interest, isEdgeTriggered: edgeTriggered, slot: slot, owner: self, handler: handler)
    do throws(SystemError) {
      try control(EPOLL_CTL_ADD, source)
    } catch {
      freeSlots.append(slot)
      throw error
    }
    slots[slot].source = source
    return source
  }

  func update(_ source: DescriptorSource) {
    preconditionIsCurrent()
    do throws(SystemError) {
      try control(EPOLL_CTL_MOD, source)
    } catch {
      preconditionFailure("descriptor \(source.descriptor) was closed before its source was cancelled: \(error)")
    }
  }

  func cancel(_ source: DescriptorSource, beforeClosing: Bool) {
    preconditionIsCurrent()
    guard slots[source.slot].source === source else { return }
    slots[source.slot].source = nil
    slots[source.slot].generation &+= 1
    freeSlots.append(source.slot)
    guard !beforeClosing else { return }
    do throws(SystemError) {
      try control(EPOLL_CTL_DEL, source)
    } catch {
      // libdbus closes a descriptor before it cancels the source. Closing has already removed it from epoll.
      assert(error.errno == EBADF || error.errno == ENOENT, "\(error)")
    }
  }

  private func control(_ operation: CInt, _ source: DescriptorSource) throws(SystemError) {
    var event = epoll_event(
      events: Self.mask(of: source.interest) | (source.isEdgeTriggered ? EPOLLET.rawValue : 0),
      data: epoll_data_t(u64: token(of: source.slot)))
    try systemCall("epoll_ctl") { epoll_ctl(epoll.number, operation, source.descriptor, &event) }
  }

  /// Wakes the loop when one of its own descriptors becomes readable. Edge-triggered, so the descriptor need not be read.
  func attend(to descriptor: CInt, token: UInt64) throws(SystemError) {
    var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(u64: token))
    try systemCall("epoll_ctl") { epoll_ctl(epoll.number, EPOLL_CTL_ADD, descriptor, &event) }
  }

  private static func mask(of interest: DescriptorEvents) -> UInt32 {
    (interest.contains(.readable) ? EPOLLIN.rawValue | EPOLLRDHUP.rawValue : 0)
      | (interest.contains(.writable) ? EPOLLOUT.rawValue : 0)
  }

  private static func events(of mask: UInt32) -> DescriptorEvents {
    var events: DescriptorEvents = []
    if mask & EPOLLIN.rawValue != 0 { events.insert(.readable) }
    if mask & EPOLLOUT.rawValue != 0 { events.insert(.writable) }
    if mask & EPOLLRDHUP.rawValue != 0 { events.insert(.readHangUp) }
    if mask & EPOLLHUP.rawValue != 0 { events.insert(.hangUp) }
    if mask & EPOLLERR.rawValue != 0 { events.insert(.error) }
    return events
  }

  // A source's token is its slot and the slot's generation, so that an event of a cancelled source does not reach the next source in
  // the slot. These two tokens belong to no slot.
  static let wakeUpToken = UInt64.max
  static let timerToken = UInt64.max - 1

  private func token(of slot: Int) -> UInt64 {
    UInt64(slots[slot].generation) << 32 | UInt64(UInt32(slot))
  }

  // MARK: - The thread

  func dispatch(_ event: epoll_event) {
    let token = event.data.u64
    guard token < Self.timerToken else {
      if token == Self.timerToken { timerDescriptorTime = .never } else { isToldOfJobs = true }
      return
    }
    let slot = Int(token & 0xFFFF_FFFF)
    guard slots[slot].generation == UInt32(token >> 32), let source = slots[slot].source else { return }
    source.handler(Self.events(of: event.events))
  }
}
