#if Avahi
import CBonjourishLinux
import _BonjourishEventLoop
import Testing

@testable import _BonjourishAvahiBackend

/// The line to the bus, with a socket pair as the line: `near` is libdbus' end, `far` that of the bus.
final class BusLineTests {
  private let line = BusLine()
  private let near: CInt
  private let far: CInt
  private var isNearOpen = true

  init() throws {
    var ends: [CInt] = [0, 0]
    try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    (near, far) = (ends[0], ends[1])
  }

  deinit {
    closeNear()
    close(far)
  }

  private func closeNear() {
    if isNearOpen { close(near) }
    isNearOpen = false
  }

  /// Whether a read of an end ends at once because the line is cut, not because nothing has come.
  private func isCut(_ end: CInt) -> Bool {
    var byte: UInt8 = 0
    return read(end, &byte, 1) == 0
  }

  @Test func `cutting ends the calls that read at both ends`() {
    line.opened(near)
    #expect(!isCut(near) && !isCut(far))
    line.cut()
    #expect(isCut(near) && isCut(far))
  }

  @Test func `a cut is told once`() {
    line.opened(near)
    #expect(!line.takeCut())
    line.cut()
    #expect(line.takeCut())
    #expect(!line.takeCut())
  }

  @Test func `without a connection there is nothing to cut`() {
    line.cut()
    #expect(!line.takeCut())
    line.opened(near)
    line.closed(near)
    line.cut()
    #expect(!line.takeCut() && !isCut(near))
  }

  @Test func `a line that libdbus has closed can be cut nevertheless`() {
    // It closes its descriptor before it says that it no longer watches it. Another file may have its number then.
    line.opened(near)
    #expect(dup2(STDIN_FILENO, near) == near)
    #expect(!isCut(far))
    line.cut()
    #expect(isCut(far))
  }

  @Test func `nothing keeps a closed line open`() {
    line.opened(near)
    line.opened(near)
    line.closed(near)
    closeNear()
    #expect(isCut(far))
  }

  @Test func `a line that was closed may be opened again`() {
    line.opened(near)
    line.closed(near)
    line.opened(near)
    line.cut()
    #expect(line.takeCut() && isCut(far))
  }

  @Test func `the lines of all connections are cut`() throws {
    var ends: [CInt] = [0, 0]
    try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    line.opened(near)
    line.opened(ends[0])
    line.cut()
    #expect(isCut(far) && isCut(ends[1]))
    line.closed(near)
    #expect(line.takeCut())
    line.cut()
    #expect(line.takeCut(), "the other connection is there still")
  }

  @Test func `one answer is expected at a time`() {
    #expect(line.expectAnswer())
    #expect(!line.expectAnswer())
    line.answered()
    #expect(line.expectAnswer())
  }

  @Test func `a call that was waited for in vain is not waited for until there is progress`() {
    line.noteVain(at: line.progress)
    #expect(line.isVain(at: line.progress))
    line.goOn()
    #expect(!line.isVain(at: line.progress))
  }

  // MARK: - The watchdog

  /// Of watchdogs that are not started.
  private static let loop = Result { try EventLoop(name: "test") }

  private func watchdog(_ call: @escaping () -> Void) throws -> Watchdog {
    Watchdog(on: try Self.loop.get(), line: line, call: call)
  }

  @Test func `a daemon that answers is called every time and never cut off`() throws {
    line.opened(near)
    var calls = 0
    let watchdog = try watchdog { [line] in
      calls += 1
      line.answered()
    }
    for _ in 0..<10 { watchdog.look() }
    #expect(calls == 10 && !line.takeCut())
  }

  @Test func `a busy machine, on which the watchdog is late, does not cut the daemon off`() throws {
    line.opened(near)
    let watchdog = try watchdog {}
    watchdog.look()
    for _ in 0..<5 { watchdog.look(lateBy: .seconds(1)) }
    #expect(!line.takeCut())
    watchdog.look(lateBy: .milliseconds(20))
    #expect(line.takeCut())
  }

  @Test func `a daemon with many services of ours may take longer`() throws {
    line.opened(near)
    line.carry(publications: 450)
    let watchdog = try watchdog {}
    for _ in 0..<3 { watchdog.look() }
    #expect(!line.takeCut())
    line.goOn()
    for _ in 0..<3 { watchdog.look() }
    #expect(!line.takeCut(), "it has made progress")
    watchdog.look()
    #expect(line.takeCut())
  }

  @Test func `a daemon with many answers to our questions may take longer`() throws {
    line.opened(near)
    line.carry(answers: 3000)
    line.carry(answers: -1500)
    let watchdog = try watchdog {}
    for _ in 0..<4 { watchdog.look() }
    #expect(!line.takeCut())
    watchdog.look()
    #expect(line.takeCut())
    line.carry(answers: -1500)
    line.answered()
    for _ in 0..<2 { watchdog.look() }
    #expect(line.takeCut(), "it has no more to do than others")
  }

  @Test(arguments: [
    (0, 0, 1), (199, 0, 1), (200, 0, 2), (0, 499, 1), (0, 500, 2), (400, 1_000, 5), (0, 6_000, 13), (0, 6_500, 13),
  ])
  func `one answer may be missing, and one more for 200 services or 500 answers`(publications: Int, answers: Int, misses: Int) {
    line.carry(publications: publications)
    for _ in 0..<answers { line.carry(answers: 1) }
    #expect(line.maximumMisses == misses)
  }

  @Test func `anybody can announce many services and a daemon that hangs is noticed all the same`() throws {
    line.opened(near)
    line.carry(answers: 100_000)
    let watchdog = try watchdog {}
    for _ in 0..<13 { watchdog.look() }
    #expect(!line.takeCut())
    watchdog.look()
    #expect(line.takeCut())
  }

  @Test func `a daemon that does not answer is cut off the second time`() throws {
    line.opened(near)
    var calls = 0
    let watchdog = try watchdog { calls += 1 }
    watchdog.look()
    #expect(!line.takeCut())
    watchdog.look()
    #expect(line.takeCut() && calls == 1)
  }

  @Test func `a daemon that is busy with other calls is not cut off`() throws {
    line.opened(near)
    var calls = 0
    let watchdog = try watchdog { calls += 1 }
    for _ in 0..<10 {
      line.goOn()
      watchdog.look()
    }
    #expect(!line.takeCut() && calls == 1)
    // The last of them hangs.
    watchdog.look()
    #expect(line.takeCut())
  }

  @Test func `a daemon that hangs after a good answer is cut off the second time`() throws {
    line.opened(near)
    var answers = true
    let watchdog = try watchdog { [line] in
      if answers { line.answered() }
    }
    watchdog.look()
    answers = false
    line.goOn()
    watchdog.look()
    #expect(!line.takeCut())
    watchdog.look()
    #expect(line.takeCut())
    // The next connection gets its time too.
    line.answered()
    watchdog.look()
    #expect(!line.takeCut())
  }
}
#endif
