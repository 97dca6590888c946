/// What carries out the effects of a ``Publication`` with an engine. Confined to the engine's thread.
package protocol PublicationShell: AnyObject {
  var machine: Publication { get set }

  /// Registers the service, replacing any earlier registration.
  func register(_ registration: Registration)

  /// Replaces the TXT record of what is registered.
  func updateText(_ txt: TXTRecord)

  func withdraw()

  /// Handles `timerFired` after a time, in place of an earlier one; nil for never.
  func setTimer(_ time: Duration?)

  func report(_ event: RegistrationEvent)
}

extension PublicationShell {
  /// Hands an event to the machine, and carries out its effects.
  package func handle(_ event: Publication.Event) {
    for effect in machine.handle(event) {
      switch effect {
      case .register(let registration): register(registration)
      case .updateText(let txt): updateText(txt)
      case .withdraw: withdraw()
      case .startTimer(let time): setTimer(time)
      case .stopTimer: setTimer(nil)
      case .report(let event): report(event)
      }
    }
  }
}
