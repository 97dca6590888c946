#if Avahi
import CBonjourishAvahi.Common
import CBonjourishLinux
import _BonjourishEventLoop

/// One of Avahi's timeouts.
final class Timeout {
  private let loop: EventLoop
  private let due: DueTimeouts
  private let callback: AvahiTimeoutCallback
  private let userdata: UnsafeMutableRawPointer?
  private var timer: LoopTimer?
  /// Whether it is among the timeouts that are due.
  private var isDue = false

  init(
    on loop: EventLoop, due: DueTimeouts, _ callback: @escaping AvahiTimeoutCallback, _ userdata: UnsafeMutableRawPointer?
  ) {
    self.loop = loop
    self.due = due
    self.callback = callback
    self.userdata = userdata
  }

  static func of(_ pointer: OpaquePointer) -> Timeout {
    Unmanaged<Timeout>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }

  /// Sets the wall-clock time of the timeout; nil disables it.
  func update(_ time: UnsafePointer<timeval>?) {
    disable()
    guard let time = time?.pointee else { return }
    var now = timeval()
    gettimeofday(&now, nil)
    let delay = Duration.seconds(time.tv_sec - now.tv_sec) + .microseconds(time.tv_usec - now.tv_usec)
    guard delay > .zero else {
      isDue = true
      return due.append(self)
    }
    timer = loop.schedule(after: delay) { [self] in
      timer = nil
      fire()
    }
  }

  /// Calls the callback if the timeout is still due.
  func fireIfDue() {
    guard isDue else { return }
    isDue = false
    fire()
  }

  private func fire() {
    callback(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), userdata)
  }

  func free() {
    disable()
    Unmanaged.passUnretained(self).release()
  }

  private func disable() {
    timer?.cancel()
    timer = nil
    isDue = false
  }
}

/// The timeouts whose time has come. Confined to the loop.
///
/// libavahi-client handles one message of the daemon with each call of a timeout that it sets to the past again and again. A call
/// of the daemon looks for its answer among all messages that wait. If only one were handled in a tick, in which many calls may be
/// made, ever more would wait.
final class DueTimeouts {
  /// The most calls in one tick. The next tick makes the rest.
  static let maximumPerTick = 4096

  private let loop: EventLoop
  private let line: BusLine
  private var timeouts: [Timeout] = []
  private var isScheduled = false

  init(on loop: EventLoop, line: BusLine) {
    self.loop = loop
    self.line = line
  }

  func append(_ timeout: Timeout) {
    timeouts.append(timeout)
    schedule()
  }

  private func schedule() {
    guard !isScheduled else { return }
    isScheduled = true
    loop.atEndOfTick { [self] in
      // Until then, so that what is added meanwhile is called now.
      fire()
      isScheduled = false
      if !timeouts.isEmpty { schedule() }
    }
  }

  /// Calls the timeouts, and those that are set to the past meanwhile.
  private func fire() {
    var count = 0
    while !timeouts.isEmpty, count < Self.maximumPerTick {
      var some: [Timeout] = []
      swap(&some, &timeouts)
      for timeout in some {
        // What comes from the daemon shows that it does not hang.
        line.goOn()
        timeout.fireIfDue()
      }
      count += some.count
    }
  }
}
#endif
