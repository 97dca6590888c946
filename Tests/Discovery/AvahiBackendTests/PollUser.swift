#if Avahi
import CBonjourishAvahi.Common
import CBonjourishLinux
import _BonjourishEventLoop

@testable import _BonjourishAvahiBackend

/// What libavahi does with a poll: makes watches and timeouts, and frees them. It notes every call of their callbacks.
///
/// Used on the loop only.
final class PollUser {
  struct Call: Hashable, Sendable {
    let name: String
    var events: UInt32 = 0
  }

  /// What a callback gets back of itself.
  private final class Note {
    unowned let user: PollUser
    let name: String

    init(_ name: String, of user: PollUser) {
      self.name = name
      self.user = user
    }

    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func of(_ pointer: UnsafeMutableRawPointer?) -> Note {
      Unmanaged<Note>.fromOpaque(pointer!).takeUnretainedValue()
    }
  }

  private let poll: LoopPoll
  let line = BusLine()
  private var notes: [Note] = []
  private var watches: [String: OpaquePointer] = [:]
  private var timeouts: [String: OpaquePointer] = [:]
  private(set) var calls: [Call] = []
  /// Called after each call is noted.
  var react: (Call) -> Void = { _ in }

  init(on loop: EventLoop) {
    poll = LoopPoll(on: loop, line: line)
  }

  private func note(_ name: String) -> Note {
    notes.append(Note(name, of: self))
    return notes[notes.count - 1]
  }

  private func called(_ call: Call) {
    calls.append(call)
    react(call)
  }

  // MARK: - Watches

  /// Makes a watch, and says whether there is one.
  func watch(_ name: String, _ descriptor: CInt, for events: [AvahiWatchEvent]) -> Bool {
    watches[name] = poll.api.pointee.watch_new(
      poll.api, descriptor, Self.mask(events),
      { _, _, events, userdata in
        let note = Note.of(userdata)
        note.user.called(Call(name: note.name, events: events.rawValue))
      }, note(name).pointer)
    return watches[name] != nil
  }

  func update(_ name: String, for events: [AvahiWatchEvent]) {
    poll.api.pointee.watch_update(watches[name], Self.mask(events))
  }

  /// What a watch tells of the call that is going on.
  func events(of name: String) -> UInt32 { poll.api.pointee.watch_get_events(watches[name]).rawValue }

  func free(_ name: String) {
    if let watch = watches.removeValue(forKey: name) { poll.api.pointee.watch_free(watch) }
    if let timeout = timeouts.removeValue(forKey: name) { poll.api.pointee.timeout_free(timeout) }
  }

  func freeAll() {
    for name in Array(watches.keys) + Array(timeouts.keys) { free(name) }
  }

  private static func mask(_ events: [AvahiWatchEvent]) -> AvahiWatchEvent {
    AvahiWatchEvent(events.reduce(0) { $0 | $1.rawValue })
  }

  // MARK: - Timeouts

  /// Makes a timeout so many milliseconds from now by the wall clock; nil for one that is disabled.
  func timeout(_ name: String, in milliseconds: Int?) {
    let callback: AvahiTimeoutCallback = { _, userdata in
      let note = Note.of(userdata)
      note.user.called(Call(name: note.name))
    }
    timeouts[name] = withTime(in: milliseconds) { poll.api.pointee.timeout_new(poll.api, $0, callback, note(name).pointer) }
  }

  func setTimeout(_ name: String, in milliseconds: Int?) {
    withTime(in: milliseconds) { poll.api.pointee.timeout_update(timeouts[name], $0) }
  }

  private func withTime<Result>(in milliseconds: Int?, _ body: (UnsafePointer<timeval>?) -> Result) -> Result {
    guard let milliseconds else { return body(nil) }
    var time = timeval()
    gettimeofday(&time, nil)
    let microseconds = time.tv_usec + milliseconds * 1000
    time.tv_sec += Int((Double(microseconds) / 1_000_000).rounded(.down))
    time.tv_usec = microseconds - Int((Double(microseconds) / 1_000_000).rounded(.down)) * 1_000_000
    return body(&time)
  }
}
#endif
