import FramedCoding
import FramedTransport
package import FuzzCases

/// What an app and a peer may do to a side that asks and answers, one after another; the rules of requests hold all the time.
///
/// The first byte is the limits, and then each byte is what happens next, with what it needs behind it.
package enum RequestMachineCase {
  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    guard let first = bytes.first else { return }
    var side = Side(asked: 1 + Int(first & 3), answered: 1 + Int(first >> 2 & 3))
    var rest = bytes.dropFirst()
    while let kind = rest.popFirst() { try side.step(kind, &rest) }
    try side.end()
  }
}

/// One side, with all that is known of it from outside.
private struct Side {
  private let limits: RequestLimits
  private var machine: RequestMachine
  private var now = ContinuousClock.now

  private var lastNumber: UInt64 = 0
  /// Those who wait for an answer, and until when.
  private var callers: [UInt64: ContinuousClock.Instant] = [:]
  /// Requests that were sent, and that the peer is not done with.
  private var outstanding: Set<UInt64> = []
  private var lastAsked: UInt64 = 0
  /// Requests of the peer, and whether their handlers have not been told to stop.
  private var handlers: [UInt64: Bool] = [:]
  private var isFinished = false
  private var isOver = false

  init(asked: Int, answered: Int) {
    limits = RequestLimits(asked: asked, answered: answered, lateAnswerTime: .seconds(1))
    machine = RequestMachine(limits: limits, at: now)
  }

  mutating func step(_ kind: UInt8, _ rest: inout ArraySlice<UInt8>) throws(Violation) {
    let argument = rest.popFirst() ?? 0
    switch kind % 8 {
    case 0:
      lastNumber += 1
      let deadline = now + .milliseconds(10 * Int(argument))
      callers[lastNumber] = deadline
      if argument & 1 == 0 {
        try handle(.ask(lastNumber, [argument], deadline: deadline))
      } else {
        try handle(.askForStream(lastNumber, [argument], deadline: deadline, each: .milliseconds(500)))
      }
    case 1:
      let number = UInt64(argument >> 1) % (lastNumber + 2)
      try handle(argument & 1 == 0 ? .giveUp(number) : .taken(number, 1))
    case 2:
      try receive(frame(argument, rest.popFirst() ?? 0).encoded)
    case 3:
      let body = Array(rest.prefix(Int(argument) % 32))
      rest = rest.dropFirst(body.count)
      try receive(body)
    case 4:
      try answer(argument)
    case 5:
      now += .milliseconds(10 * Int(argument))
      if let deadline = machine.nextDeadline, deadline <= now { try handle(.timePassed) }
    case 6:
      isFinished = true
      try handle(.finished)
    default:
      // Seldom, for nothing much happens afterwards.
      if argument == 7 { try end() }
    }
  }

  /// A frame of a peer that mostly keeps to the rules.
  private func frame(_ kind: UInt8, _ choice: UInt8) -> RequestFrame {
    let sent = outstanding.sorted()
    let number = sent.isEmpty ? UInt64(choice) : sent[Int(choice) % sent.count]
    return switch kind % 9 {
    case 0: .request(UInt64(choice), [choice])
    case 1: .reply(number, [choice])
    case 2: .failure(number, RemoteError("code", "text"))
    case 3: .cancel(UInt64(choice))
    case 4: .terms(UInt64(choice), RequestTerms(milliseconds: UInt32(choice), credit: UInt32(kind >> 6)))
    case 5: .item(number, [choice])
    case 6: .credit(UInt64(choice), UInt32(kind))
    case 7: .end(number)
    default: .notification([choice])
    }
  }

  private mutating func receive(_ body: [UInt8]) throws(Violation) {
    // A peer that has ended its side says nothing.
    guard !isFinished else { return }
    switch Result(catching: { () throws(MessageError) in try RequestFrame.parse(body) }) {
    case .success(let frame?):
      try Violation.unless(frame.encoded == body, "\(body) was read as \(frame), and written as \(frame.encoded)")
      switch frame {
      case .reply(let number, _), .failure(let number, _), .end(let number): outstanding.remove(number)
      case .request, .cancel, .notification, .ping, .terms, .item, .credit: break
      }
    case .success(nil): break
    case .failure(let error):
      try Violation.unless((0...body.count).contains(error.offset ?? -1), "\(error), of \(body.count) bytes")
    }
    try handle(.received(body))
  }

  private mutating func answer(_ choice: UInt8) throws(Violation) {
    let numbers = handlers.keys.sorted()
    guard !numbers.isEmpty else { return }
    let number = numbers[Int(choice >> 1) % numbers.count]
    if machine.mayStream(number) {
      if choice & 2 == 0 { return try handle(.streamed(number)) }
      handlers[number] = nil
      return try handle(.streamEnded(number))
    }
    handlers[number] = nil
    try handle(.answered(number, choice & 1 == 0 ? .success([choice]) : .failure(RemoteError(.failed, "No"))))
  }

  mutating func end() throws(Violation) {
    guard !isOver else { return }
    isOver = true
    try handle(.ended)
  }

  private func checkEnd() throws(Violation) {
    try Violation.unless(callers.isEmpty, "\(callers.keys) were not told of the end")
    try Violation.unless(!handlers.values.contains(true), "handlers were not told of the end")
    try Violation.unless(machine.nextDeadline == nil, "there is a deadline after the end")
  }

  // MARK: - What comes of it

  private mutating func handle(_ event: RequestMachine.Event) throws(Violation) {
    for effect in machine.handle(event, at: now) { try run(effect) }
    if isOver { return try checkEnd() }
    guard let needed = callers.values.min() else { return }
    try Violation.unless(machine.nextDeadline.map { $0 <= needed } ?? false, "a deadline would be missed")
  }

  private mutating func run(_ effect: RequestMachine.Effect) throws(Violation) {
    switch effect {
    case .send(.request(let number, _)):
      try Violation.unless(number > lastAsked && callers[number] != nil, "\(number) is asked after \(lastAsked)")
      lastAsked = number
      outstanding.insert(number)
      try Violation.unless(outstanding.count <= limits.asked, "\(outstanding.count) requests are under way")
    case .send(.cancel(let number)):
      try Violation.unless(outstanding.contains(number) && callers[number] == nil, "\(number) is cancelled, and needed")
    case .send(.terms(let number, _)):
      try Violation.unless(callers[number] != nil, "\(number) has terms, and is not needed")
    case .send(.credit(let number, _)):
      try Violation.unless(outstanding.contains(number), "\(number) has credit, and is no stream")
    case .deliver(let number, _):
      try Violation.unless(callers[number] != nil, "\(number) gets an item, and waits for nothing")
    case .permit(let number):
      try Violation.unless(handlers[number] != nil, "\(number) has credit, and is not answered")
    case .send(.reply), .send(.failure), .send(.end), .refuse(.failure):
      try Violation.unless(!isOver, "something is said after the end")
    case .send(.notification), .send(.ping), .send(.item), .refuse, .dropSilentPeer:
      throw Violation("\(effect) is nothing that a machine says by itself")
    case .finish(let number, let outcome):
      try Violation.unless(callers.removeValue(forKey: number) != nil, "\(number) is told \(outcome), and waits for nothing")
    case .answer(let number, _):
      try Violation.unless(handlers.updateValue(true, forKey: number) == nil, "\(number) is answered twice")
      try Violation.unless(handlers.count <= limits.answered, "\(handlers.count) requests are answered at once")
    case .stopAnswering(let number):
      try Violation.unless(handlers.updateValue(false, forKey: number) == true, "\(number) is stopped, and not answered")
    case .notify:
      try Violation.unless(!isFinished && !isOver, "something is heard after the end")
    case .abort:
      isOver = true
    case .giveUpAnswering:
      try end()
    }
  }
}
