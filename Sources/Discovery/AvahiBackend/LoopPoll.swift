#if Avahi
import CBonjourishAvahi.Common
import CBonjourishLinux
import _BonjourishEventLoop

/// Avahi's poll interface on top of the event loop. Confined to the loop.
///
/// libdbus may put several watches on one descriptor, but epoll accepts one, so their masks are merged. Avahi's timeouts are
/// wall-clock times. They are converted to delays when they are set.
final class LoopPoll {
  /// The interface that is passed to Avahi. Valid while this object exists.
  let api: UnsafeMutablePointer<AvahiPoll>
  private let loop: EventLoop
  private let line: BusLine
  private var descriptors: [CInt: SharedDescriptor] = [:]
  private lazy var dueTimeouts = DueTimeouts(on: loop, line: line)

  /// - Parameters:
  ///   - loop: The loop of all calls.
  ///   - line: Is told of the descriptor.
  init(on loop: EventLoop, line: BusLine) {
    self.loop = loop
    self.line = line
    api = .allocate(capacity: 1)
    api.initialize(
      to: AvahiPoll(
        userdata: nil,
        watch_new: { api, descriptor, events, callback, userdata in
          LoopPoll.of(api!).makeWatch(descriptor, events, callback!, userdata)
        },
        watch_update: { Watch.of($0!).update($1) },
        watch_get_events: { Watch.of($0!).happened },
        watch_free: { Watch.of($0!).free() },
        timeout_new: { api, time, callback, userdata in
          LoopPoll.of(api!).makeTimeout(time, callback!, userdata)
        },
        timeout_update: { Timeout.of($0!).update($1) },
        timeout_free: { Timeout.of($0!).free() }))
    // Unretained: the owner of the poll keeps it until the client that uses it is freed.
    api.pointee.userdata = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    assert(descriptors.isEmpty, "the poll was freed before the client that uses it")
    api.deallocate()
  }

  private static func of(_ api: UnsafePointer<AvahiPoll>) -> LoopPoll {
    Unmanaged<LoopPoll>.fromOpaque(api.pointee.userdata).takeUnretainedValue()
  }

  private func makeWatch(
    _ descriptor: CInt, _ events: AvahiWatchEvent, _ callback: AvahiWatchCallback, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? {
    let shared: SharedDescriptor
    if let known = descriptors[descriptor] {
      shared = known
    } else {
      shared = SharedDescriptor(descriptor, poll: self)
      descriptors[descriptor] = shared
    }
    let watch = Watch(on: shared, for: events, callback, userdata)
    guard shared.add(watch, on: loop) else {
      if shared.watches.isEmpty { descriptors[descriptor] = nil }
      return nil
    }
    // Only what is watched: its end is told by `forget`.
    line.opened(descriptor)
    // Released by `free`, which Avahi calls once for each watch.
    return OpaquePointer(Unmanaged.passRetained(watch).toOpaque())
  }

  private func makeTimeout(
    _ time: UnsafePointer<timeval>?, _ callback: AvahiTimeoutCallback, _ userdata: UnsafeMutableRawPointer?
  ) -> OpaquePointer? {
    let timeout = Timeout(on: loop, due: dueTimeouts, callback, userdata)
    timeout.update(time)
    // Released by `free`, which Avahi calls once for each timeout.
    return OpaquePointer(Unmanaged.passRetained(timeout).toOpaque())
  }

  fileprivate func forget(_ descriptor: CInt) {
    descriptors[descriptor] = nil
    line.closed(descriptor)
  }
}

/// One descriptor and all of Avahi's watches on it.
private final class SharedDescriptor {
  let descriptor: CInt
  private unowned let poll: LoopPoll
  private var loopWatch: DescriptorSource?
  private(set) var watches: [Watch] = []

  init(_ descriptor: CInt, poll: LoopPoll) {
    self.descriptor = descriptor
    self.poll = poll
  }

  private var interest: DescriptorEvents {
    watches.reduce(into: []) { $0.formUnion(DescriptorEvents(polled: $1.wanted)) }
  }

  /// Adds a watch, and returns whether the descriptor can be watched.
  func add(_ watch: Watch, on loop: EventLoop) -> Bool {
    watches.append(watch)
    if loopWatch != nil {
      update()
      return true
    }
    do throws(SystemError) {
      // Retains this object until `remove` cancels the watch.
      loopWatch = try loop.watch(descriptor, for: interest) { self.dispatch($0) }
      return true
    } catch {
      watches.removeLast()
      return false
    }
  }

  func update() {
    loopWatch?.update(interest)
  }

  func remove(_ watch: Watch) {
    watches.removeAll { $0 === watch }
    guard watches.isEmpty else { return update() }
    loopWatch?.cancel()
    loopWatch = nil
    poll.forget(descriptor)
  }

  private func dispatch(_ events: DescriptorEvents) {
    let happened = events.polled
    // A callback may free any of the watches; freed ones are skipped.
    for watch in watches where watches.contains(where: { $0 === watch }) {
      watch.dispatch(happened)
    }
  }
}

/// One of Avahi's watches.
private final class Watch {
  private(set) var wanted: AvahiWatchEvent
  private(set) var happened = AvahiWatchEvent(0)
  private let shared: SharedDescriptor
  private let callback: AvahiWatchCallback
  private let userdata: UnsafeMutableRawPointer?

  init(
    on shared: SharedDescriptor, for wanted: AvahiWatchEvent, _ callback: @escaping AvahiWatchCallback,
    _ userdata: UnsafeMutableRawPointer?
  ) {
    self.shared = shared
    self.wanted = wanted
    self.callback = callback
    self.userdata = userdata
  }

  static func of(_ pointer: OpaquePointer) -> Watch {
    Unmanaged<Watch>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }

  func update(_ events: AvahiWatchEvent) {
    wanted = events
    shared.update()
  }

  /// Calls Avahi's callback with the events that the watch wants. Errors and hang-ups are always reported.
  func dispatch(_ events: AvahiWatchEvent) {
    let always = AVAHI_WATCH_ERR.rawValue | AVAHI_WATCH_HUP.rawValue
    happened = AvahiWatchEvent(events.rawValue & (wanted.rawValue | always))
    guard happened.rawValue != 0 else { return }
    callback(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), shared.descriptor, happened, userdata)
    happened = AvahiWatchEvent(0)
  }

  func free() {
    shared.remove(self)
    Unmanaged.passUnretained(self).release()
  }
}

extension DescriptorEvents {
  fileprivate init(polled events: AvahiWatchEvent) {
    self = []
    if events.rawValue & AVAHI_WATCH_IN.rawValue != 0 { insert(.readable) }
    if events.rawValue & AVAHI_WATCH_OUT.rawValue != 0 { insert(.writable) }
  }

  fileprivate var polled: AvahiWatchEvent {
    var mask: UInt32 = 0
    if contains(.readable) { mask |= AVAHI_WATCH_IN.rawValue }
    if contains(.writable) { mask |= AVAHI_WATCH_OUT.rawValue }
    if contains(.hangUp) { mask |= AVAHI_WATCH_HUP.rawValue }
    if contains(.error) { mask |= AVAHI_WATCH_ERR.rawValue }
    return AvahiWatchEvent(mask)
  }
}
#endif
