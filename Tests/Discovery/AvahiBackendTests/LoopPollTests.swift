#if Avahi
import CBonjourishAvahi.Common
import CBonjourishLinux
import _BonjourishEventLoop
import Testing

@testable import _BonjourishAvahiBackend

/// The poll that libavahi gets, on a socket pair: what a watch and a timeout are told, and when.
@Suite(.timeLimit(.minutes(1))) struct LoopPollTests {
  private let read = AVAHI_WATCH_IN
  private let write = AVAHI_WATCH_OUT
  private let hangUp = AVAHI_WATCH_HUP.rawValue

  /// Calls `body` on a loop with a user of a poll, the two ends of a socket pair, and a closure that ends it. Returns the calls.
  private func calls(
    _ body:
      @escaping @Sendable (PollUser, _ near: CInt, _ far: CInt, _ loop: EventLoop, _ done: @escaping () -> Void) throws -> Void
  ) async throws -> [PollUser.Call] {
    let loop = try EventLoop(name: "test")
    var ends: [CInt] = [0, 0]
    try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let (near, far) = (ends[0], ends[1])
    let calls = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[PollUser.Call], any Error>) in
      loop.execute {
        let user = PollUser(on: loop)
        var isDone = false
        func finish() {
          guard !isDone else { return }
          isDone = true
          user.react = { _ in }
          user.freeAll()
          continuation.resume(returning: user.calls)
        }
        // A call that does not come fails the test alone.
        _ = loop.schedule(after: .seconds(10), finish)
        do {
          try body(user, near, far, loop, finish)
        } catch {
          isDone = true
          user.freeAll()
          continuation.resume(throwing: error)
        }
      }
    }
    close(near)
    close(far)
    await loop.shutdown()
    return calls
  }

  /// Ends the test when whatever is ready now has been told for a while.
  private static func end(on loop: EventLoop, _ done: @escaping () -> Void) {
    _ = loop.schedule(after: .milliseconds(5), done)
  }

  @Test func `each of two watches on one descriptor is told what it asked for`() async throws {
    let calls = try await calls { user, near, far, loop, done in
      // Both happen in one tick: there is a byte to read and room to write.
      _ = CBonjourishLinux.write(far, "x", 1)
      #expect(user.watch("reader", near, for: [AVAHI_WATCH_IN]))
      #expect(user.watch("writer", near, for: [AVAHI_WATCH_OUT]))
      user.react = { call in
        #expect(user.events(of: call.name) == call.events)
        user.update(call.name, for: [])
      }
      Self.end(on: loop) {
        #expect(user.events(of: "reader") == 0 && user.events(of: "writer") == 0)
        done()
      }
    }
    #expect(calls == [.init(name: "reader", events: read.rawValue), .init(name: "writer", events: write.rawValue)])
  }

  @Test func `a second watch on a descriptor is told though the first is not`() async throws {
    let calls = try await calls { user, near, _, _, done in
      #expect(user.watch("reader", near, for: [AVAHI_WATCH_IN]))
      #expect(user.watch("writer", near, for: [AVAHI_WATCH_OUT]))
      user.react = { _ in done() }
    }
    #expect(calls == [.init(name: "writer", events: write.rawValue)])
  }

  @Test func `a watch is told what it asks for after an update and nothing else`() async throws {
    let calls = try await calls { user, near, far, loop, done in
      #expect(user.watch("watch", near, for: [AVAHI_WATCH_IN]))
      user.react = { call in
        // The byte is not read: the watch no longer asks for that.
        user.update("watch", for: call.events == AVAHI_WATCH_IN.rawValue ? [AVAHI_WATCH_OUT] : [])
        if call.events == AVAHI_WATCH_OUT.rawValue { Self.end(on: loop, done) }
      }
      _ = CBonjourishLinux.write(far, "x", 1)
    }
    #expect(calls == [.init(name: "watch", events: read.rawValue), .init(name: "watch", events: write.rawValue)])
  }

  @Test func `a watch that asks for nothing is told a hang up`() async throws {
    let calls = try await calls { user, near, far, loop, done in
      #expect(user.watch("watch", near, for: []))
      user.react = { _ in
        user.free("watch")
        done()
      }
      _ = CBonjourishLinux.write(far, "x", 1)
      shutdown(far, CInt(SHUT_RDWR))
    }
    #expect(calls.map { $0.events & hangUp } == [hangUp])
    #expect(calls.map { $0.events & read.rawValue } == [0])
  }

  @Test func `a watch that was freed in a callback of another is not told`() async throws {
    let calls = try await calls { user, near, far, loop, done in
      for name in ["first", "second", "third"] { #expect(user.watch(name, near, for: [AVAHI_WATCH_IN])) }
      user.react = { call in
        guard call.name == "first" else { return user.update("third", for: []) }
        user.free("first")
        user.free("second")
        Self.end(on: loop, done)
      }
      _ = CBonjourishLinux.write(far, "x", 1)
    }
    #expect(calls == [.init(name: "first", events: read.rawValue), .init(name: "third", events: read.rawValue)])
  }

  @Test func `a watch goes on when another one on its descriptor is freed`() async throws {
    let calls = try await calls { user, near, far, loop, done in
      #expect(user.watch("freed", near, for: [AVAHI_WATCH_OUT]))
      #expect(user.watch("kept", near, for: [AVAHI_WATCH_IN]))
      user.free("freed")
      user.react = { _ in
        user.update("kept", for: [])
        Self.end(on: loop, done)
      }
      _ = CBonjourishLinux.write(far, "x", 1)
    }
    #expect(calls == [.init(name: "kept", events: read.rawValue)])
  }

  @Test func `a descriptor can be watched again after its watches were freed`() async throws {
    let calls = try await calls { user, near, far, loop, done in
      #expect(user.watch("former", near, for: [AVAHI_WATCH_IN]))
      user.free("former")
      #expect(user.watch("latter", near, for: [AVAHI_WATCH_IN]))
      user.react = { _ in done() }
      _ = CBonjourishLinux.write(far, "x", 1)
    }
    #expect(calls == [.init(name: "latter", events: read.rawValue)])
  }

  @Test func `a descriptor that cannot be watched gives no watch`() async throws {
    _ = try await calls { user, _, _, _, done in
      // epoll takes no regular files.
      let file = try #require(tmpfile())
      for name in ["watch", "watch again"] { #expect(!user.watch(name, fileno(file), for: [AVAHI_WATCH_IN])) }
      fclose(file)
      done()
    }
  }

  @Test func `what could not be watched is not taken for the line to the bus`() async throws {
    _ = try await calls { user, near, far, _, done in
      let file = try #require(tmpfile())
      let number = fileno(file)
      #expect(!user.watch("file", number, for: [AVAHI_WATCH_IN]))
      // The line gets the number of the file, which is closed.
      #expect(dup2(near, number) == number)
      #expect(user.watch("line", number, for: [AVAHI_WATCH_IN]))
      user.line.cut()
      var byte: UInt8 = 0
      #expect(recv(far, &byte, 1, CInt(MSG_DONTWAIT)) == 0, "the line is not cut")
      user.free("line")
      fclose(file)
      done()
    }
  }

  @Test func `timeouts come in the order of their times, and those of the past at once`() async throws {
    let start = ContinuousClock.now
    let calls = try await calls { user, _, _, _, done in
      user.timeout("late", in: 20)
      user.timeout("soon", in: 10)
      user.timeout("past", in: -5000)
      user.react = { if $0.name == "late" { done() } }
    }
    #expect(calls.map(\.name) == ["past", "soon", "late"])
    // Two clocks, one of them in microseconds.
    #expect(ContinuousClock.now - start >= .milliseconds(19))
  }

  @Test func `a timeout comes once, and again when it is set again`() async throws {
    let calls = try await calls { user, _, _, _, done in
      user.timeout("timeout", in: 0)
      user.timeout("end", in: 30)
      user.react = { call in
        if call.name == "end" { return done() }
        if user.calls.count == 1 { user.setTimeout("timeout", in: 5) }
      }
    }
    #expect(calls.map(\.name) == ["timeout", "timeout", "end"])
  }

  /// The ticks of the loop in which a timeout is called that is set to the past in each call, so many times.
  private func ticks(of count: Int) async throws -> [UInt64] {
    let ticks = Observed<[UInt64]>([])
    _ = try await calls { user, _, _, loop, done in
      user.react = { _ in
        ticks.change { $0.append(loop.tick) }
        if user.calls.count < count { user.setTimeout("again", in: -5000) } else { done() }
      }
      user.timeout("again", in: nil)
      user.setTimeout("again", in: 0)
    }
    return ticks.change { $0 }
  }

  @Test func `all that waits is handled in one tick, so that calls find their answers at once`() async throws {
    let ticks = try await ticks(of: 1000)
    #expect(ticks.count == 1000 && Set(ticks).count == 1)
  }

  @Test func `a tick ends even if what waits does not`() async throws {
    let ticks = try await ticks(of: 3 * DueTimeouts.maximumPerTick)
    #expect(ticks.count == 3 * DueTimeouts.maximumPerTick && Set(ticks).count == 3)
  }

  @Test func `a timeout that is due does not come when another one frees it`() async throws {
    let calls = try await calls { user, _, _, loop, done in
      for name in ["first", "freed", "disabled", "last"] { user.timeout(name, in: -1) }
      user.react = { call in
        user.free("freed")
        user.setTimeout("disabled", in: nil)
        if call.name == "last" { done() }
      }
    }
    #expect(calls.map(\.name) == ["first", "last"])
  }

  @Test func `a timeout that was disabled, put off or freed does not come`() async throws {
    let calls = try await calls { user, _, _, _, done in
      user.timeout("never set", in: nil)
      for name in ["disabled", "put off", "freed"] { user.timeout(name, in: 5) }
      user.setTimeout("disabled", in: nil)
      user.setTimeout("put off", in: 60_000)
      user.free("freed")
      user.timeout("end", in: 20)
      user.react = { _ in done() }
    }
    #expect(calls.map(\.name) == ["end"])
  }
}
#endif
