package import EventLoop
public import TwentyFour

/// A room for one, without any network: to practise, or to try a hand.
///
/// It plays by the same rules as a room with others.
public actor PracticeRoom: Seat {
  public nonisolated var events: RoomEvents { RoomEvents(mailbox: mailbox) }

  private nonisolated let mailbox = RoomMailbox()
  private let time: Timekeeper
  private let origin: ContinuousClock.Instant
  private var machine: RoomMachine
  private var alarm: Alarm

  /// Opens the room; the first round starts when the rules say so.
  ///
  /// - Parameters:
  ///   - name: Who practises.
  ///   - rules: What is played by.
  ///   - generator: Deals the hands; the same seed deals the same ones.
  public init(as name: PlayerName, rules: Match.Rules = Match.Rules(), generator: SeededGenerator) async {
    await self.init(as: name, rules: rules, generator: generator, time: .system)
  }

  package init(as name: PlayerName, rules: Match.Rules, generator: SeededGenerator, time: Timekeeper) async {
    self.time = time
    origin = time.now()
    alarm = Alarm(time)
    machine = RoomMachine(room: RoomID(), player: name, rules: rules, generator: generator)
    handle(.open)
  }

  public func answer(_ expression: String) {
    handle(.answer(expression))
  }

  public func giveUp() {
    handle(.giveUp)
  }

  public func hint() {
    handle(.hint)
  }

  public func leave() {
    handle(.close)
  }

  private func handle(_ event: RoomMachine.Event) {
    for effect in machine.handle(event, at: time.now() - origin) {
      switch effect {
      case .report(let event): mailbox.append(event)
      // There is nobody to tell.
      case .send, .admit, .disconnect, .advertise: break
      }
    }
    alarm.set(machine.nextDeadline.map { origin + $0 }) { [weak self] in await self?.timePasses() }
  }

  private func timePasses() {
    guard alarm.fired() else { return }
    handle(.timePassed)
  }
}
