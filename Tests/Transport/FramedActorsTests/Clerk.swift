import FramedTransport
import _BonjourishEventLoop

@testable import FramedActors

typealias DefaultDistributedActorSystem = PeerActorSystem

/// The actor that tests call.
distributed actor Clerk {
  private var notes: [String] = []
  private var friends: [Friend] = []
  private let gate: Gate

  init(_ gate: Gate = Gate(), actorSystem: PeerActorSystem) {
    self.gate = gate
    self.actorSystem = actorSystem
  }

  distributed var noteCount: Int { notes.count }

  distributed func greet(_ name: String, times: Int) -> String {
    Array(repeating: name, count: min(max(times, 0), 9)).joined(separator: " ")
  }

  distributed func note(_ text: String) { notes.append(text) }
  distributed func all() -> [String] { notes }
  distributed func refuse() throws { throw RemoteError("tired", "It is late") }
  distributed func fail() throws { throw Secret() }
  distributed func wait() async throws { try await gate.pass() }
  distributed func ask(_ friend: Friend) async throws -> String { try await friend.name() }
  distributed func lead() -> Friend {
    let friend = Friend("Bob", actorSystem: actorSystem)
    friends.append(friend)
    return friend
  }
  distributed func isOwn(_ friend: Friend) -> Bool { friends.contains(friend) }
  distributed func dismiss() { friends = [] }
  distributed func text(of count: Int) -> String { String(repeating: "a", count: count) }
  distributed func ratio() -> Double { .nan }
  distributed func echo<Value: Codable & Sendable>(_ value: Value) -> Value { value }
  distributed func tree(_ tree: Tree) -> Int { tree.branches.count }

  /// A type within, with a method of the same name.
  distributed actor Trainee {
    distributed func greet(_ name: String, times: Int) -> String { "trainee" }
  }
}

extension Clerk {
  distributed func fromExtension() -> String { "extension" }
}

distributed actor Friend {
  private let ownName: String

  init(_ name: String, actorSystem: PeerActorSystem) {
    ownName = name
    self.actorSystem = actorSystem
  }

  distributed func name() -> String { ownName }
}

struct Tree: Codable, Sendable {
  var branches: [Tree] = []
}

private struct Secret: Error {}

/// Where a method waits until it is let through, or its call is cancelled.
final class Gate: Sendable {
  private struct State {
    var waiting: [CheckedContinuation<Bool, Never>] = []
    var entered = 0
    var cancelled = 0
    var isOpen = false
  }

  private let state = Locked(State())

  var entered: Int { state.withLock { $0.entered } }
  var cancelled: Int { state.withLock { $0.cancelled } }

  func pass() async throws {
    let mayPass = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          state.entered += 1
          if state.isOpen { return true }
          if Task.isCancelled { return false }
          state.waiting.append(continuation)
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      resume(false)
    }
    guard mayPass else {
      state.withLock { $0.cancelled += 1 }
      throw CancellationError()
    }
  }

  func open() {
    state.withLock { $0.isOpen = true }
    resume(true)
  }

  private func resume(_ mayPass: Bool) {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume(returning: mayPass) }
  }
}
