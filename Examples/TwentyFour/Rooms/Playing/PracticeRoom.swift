public import TwentyFour

/// A room for one player, without any network: to practise, or to try a hand.
///
/// It has the same rules as a room on the network.
public actor PracticeRoom: Seat {
  public nonisolated let events: RoomEvents

  private let mailbox: RoomMailbox
  private let clock: MatchClock
  private var machine: RoomMachine
  private var alarm = DeadlineTask()

  /// Opens the room; the first round starts according to the rules.
  ///
  /// - Parameters:
  ///   - name: The player's name.
  ///   - rules: The rules.
  ///   - generator: Deals the hands; the same seed deals the same ones.
  ///   - clock: The clock.
  public init(
    as name: PlayerName, rules: Match.Rules = Match.Rules(), generator: SeededGenerator,
    clock: any Clock<Duration> = ContinuousClock()
  ) async {
    mailbox = RoomMailbox()
    events = RoomEvents(mailbox: mailbox)
    self.clock = MatchClock(clock)
    machine = RoomMachine(room: RoomID(), player: name, rules: rules, generator: generator)
    handle(.open)
  }

  public func act(_ action: Match.Action) {
    handle(.command(.act(action)))
  }

  public func leave() {
    handle(.close(because: .hostLeft))
  }

  private func handle(_ event: RoomMachine.Event) {
    for effect in machine.handle(event, at: clock.now()) {
      switch effect {
      case .broadcast(_, let event), .report(_, let event): mailbox.append(event)
      case .wake(let room, let deadline):
        alarm.set(deadline, on: clock) { [weak self] in await self?.handle(.timePassed(room)) }
      // There are no other players.
      case .send, .keep, .admit, .disconnect, .show, .advertise, .over: break
      }
    }
  }
}
