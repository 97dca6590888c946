import FramedCoding
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishBase
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct GroupStressTests {
  private let taskCount = 3
  private let framesPerTask = 2_000 as UInt32

  /// What was broadcast last by each task when a member was about to be added, and when it had been.
  private struct Joining {
    let before: [UInt32]
    let after: [UInt32]
  }

  /// How a member is to leave.
  private enum Leaving: CaseIterable {
    case removed
    case closed
    case aborted
    case afterAll
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `members of several threads come and go while several tasks broadcast`(seed: UInt64) async throws {
    let loops = [try EventLoop(name: "group test 1"), try EventLoop(name: "group test 2")]
    try await exchange(on: loops.map { TransportLoop($0) }, seed: seed)
    for loop in loops { await loop.shutdown() }
  }

  private func exchange(on loops: [TransportLoop], seed: UInt64) async throws {
    let group = Group(backlogLimit: 20_000)
    let progress = Progress(count: taskCount)
    let isClosing = Flag()
    var listeners: [Listener] = []
    for loop in loops {
      listeners.append(
        try await Listener.bind(interface: "lo", limits: .untimed, pending: .unlimited, on: TransportLoops([loop])))
    }
    var generator = SeededGenerator(seed: seed)
    var servers: [Connection] = []

    try await withThrowingTaskGroup(of: Void.self) { readers in
      try await withThrowingTaskGroup(of: Void.self) { writers in
        for task in 0..<taskCount {
          writers.addTask { try await broadcast(to: group, as: task, progress, seed: seed) }
        }
        for index in 0..<60 {
          let listener = listeners[index % listeners.count]
          let client = try await Connection.connect(
            to: listener.addresses, limits: .untimed, on: TransportLoops([loops[generator.number(in: 0..<2)]]))
          let server = try await listener.accept()
          servers.append(server)
          let before = progress.numbers
          group.add(server, whenSlow: .wait)
          let joining = Joining(before: before, after: progress.numbers)
          let leaving = Leaving.allCases[generator.number(in: 0..<4)]
          let count = generator.number(in: 1..<200)
          readers.addTask {
            try await read(from: client, server, in: group, joining, leaving, after: count, isClosing, seed: seed)
          }
        }
        try await writers.waitForAll()
      }
      isClosing.isSet.withLock { $0 = true }
      for server in servers { await server.close(within: .seconds(1000)) }
      try await readers.waitForAll()
    }
    try await until { group.broadcaster.state.withLock { $0.shardStates.allSatisfy { $0.memberCount == 0 } } }
    #expect(group.count == 0)
    #expect(group.broadcaster.state.withLock { $0.log.capacity } == 0)
    for listener in listeners { await listener.close() }
  }

  private func broadcast(to group: Group, as task: Int, _ progress: Progress, seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(task))
    for number in 1...framesPerTask {
      var writer = MessageWriter()
      writer.writeUInt8(UInt8(task))
      writer.writeUInt32(number)
      let padding = [UInt8](repeating: 7, count: generator.number(in: 0..<400))
      try await group.broadcast(writer.bytes + padding)
      progress.note(number, of: task)
    }
  }

  /// Reads what a member gets to its end, and lets it leave after so many frames.
  private func read(
    from client: Connection, _ server: Connection, in group: Group, _ joining: Joining, _ leaving: Leaving, after limit: Int,
    _ isClosing: Flag, seed: UInt64
  ) async throws {
    var last = [UInt32?](repeating: nil, count: taskCount)
    var count = 0
    var hasEnded = false
    // Leaving may have to wait until what was sent before has been read, so it must not keep this task from reading.
    var departure: Task<TransportError?, Never>?
    do throws(TransportError) {
      for try await frame in client.frames {
        #expect(!hasEnded, "seed \(seed): a frame came after the last")
        if frame[0] == 255 {
          hasEnded = true
          continue
        }
        check(frame, &last, joining, seed: seed)
        count += 1
        guard count == limit else { continue }
        switch leaving {
        case .removed:
          group.remove(server)
          departure = Task {
            do throws(TransportError) {
              try await server.send([255])
              return nil
            } catch {
              return error
            }
          }
        case .closed:
          departure = Task {
            await server.close(within: .seconds(1000))
            return nil
          }
        case .aborted: server.abort()
        case .afterAll: break
        }
      }
    } catch {
      #expect(leaving == .aborted && error.code == .reset, "seed \(seed): \(error)")
    }
    // A reader may get here so late that the server is being closed and sends nothing more.
    let refusal = await departure?.value
    if let refusal { #expect(refusal.code == .closed && isClosing.isSet.withLock { $0 }, "seed \(seed): \(refusal)") }
    if count < limit || leaving == .afterAll {
      for task in 0..<taskCount {
        let isAll = last[task].map { $0 == framesPerTask } ?? (joining.after[task] >= framesPerTask - 1)
        #expect(isAll, "seed \(seed)")
      }
    } else {
      #expect(hasEnded == (leaving == .removed && refusal == nil), "seed \(seed)")
    }
  }

  /// The frames of a task come without a gap; the first is one of those that were broadcast about when the member was added.
  private func check(_ frame: [UInt8], _ last: inout [UInt32?], _ joining: Joining, seed: UInt64) {
    var reader = MessageReader(frame)
    guard let task = try? Int(reader.readUInt8()), let number = try? reader.readUInt32() else {
      Issue.record("seed \(seed): not a frame that was broadcast")
      return
    }
    if let previous = last[task] {
      #expect(number == previous + 1, "seed \(seed)")
    } else {
      // A frame that has been accepted counts a little later.
      #expect((joining.before[task] + 1...joining.after[task] + 2).contains(number), "seed \(seed)")
    }
    last[task] = number
  }

  private final class Flag: Sendable {
    let isSet = Locked(false)
  }

  /// What each task has broadcast.
  private final class Progress: Sendable {
    private let state: Locked<[UInt32]>

    init(count: Int) { state = Locked([UInt32](repeating: 0, count: count)) }

    var numbers: [UInt32] { state.withLock { $0 } }

    func note(_ number: UInt32, of task: Int) { state.withLock { $0[task] = number } }
  }
}
