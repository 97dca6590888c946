import Rooms
import TwentyFour
import _BonjourishConsole
import _BonjourishTerminal

extension PlayerScreen {
  private enum Ending: Sendable {
    case closed(RoomReason?)
    /// The player has seen the end of the room, and pressed a key.
    case seen
    case nothing
  }

  /// Shows a room and lets the player, or a bot, play in it, until it is closed and the player has seen that.
  ///
  /// - Returns: The reason why the room was closed; nil if the task was cancelled before.
  func play(
    in seat: any Seat, as name: PlayerName, called title: String, passcode: String? = nil, web: [String]? = nil,
    status: NetworkStatus? = nil, bot: BotPlayer?
  ) async -> RoomReason? {
    var state = GameState(name: name, title: title, isBot: bot != nil)
    (state.passcode, state.web) = (passcode, web)
    state.isPractice = seat is PracticeRoom
    state.hosting = seat is RoomHost ? GameState.Hosting() : nil
    let scene = Scene(state, on: self) { state, now, size, appearance in
      GameView(state: state, now: now).draw(size: size, appearance: appearance)
    }
    await scene.redraw()
    let company = Company(name, isHost: seat is RoomHost)
    let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
    let reason = await Program.offeringInterrupts {
      let isTaken = company.takesInterrupt()
      if isTaken { interrupt.yield() }
      return isTaken
    } while: {
      await self.play(in: seat, bot, scene, company, interrupts, status)
    }
    if let line = await scene.state.summary { notices.goodbye(line) }
    return reason
  }

  private func play(
    in seat: any Seat, _ bot: BotPlayer?, _ scene: Scene<GameState>, _ company: Company, _ interrupts: AsyncStream<Void>,
    _ status: NetworkStatus?
  ) async -> RoomReason? {
    await withTaskGroup(of: Ending.self) { group -> RoomReason? in
      group.addTask { .closed(await follow(seat, bot, scene, company)) }
      group.addTask {
        await hear(seat, scene, company)
        return .seen
      }
      group.addTask {
        for await _ in interrupts where await scene.change({ state, _ in state.interrupt() }) == .leave { await seat.leave() }
        return .nothing
      }
      group.addTask {
        guard let status else { return .nothing }
        for await sentence in status.changes { await scene.change { state, _ in state.network = sentence?.asSentence } }
        return .nothing
      }
      group.addTask {
        await scene.passTime(every: .milliseconds(250))
        return .nothing
      }
      group.addTask {
        while let notice = await notices.next() { await scene.change { state, _ in state.notice(notice.asSentence) } }
        return .nothing
      }
      defer { group.cancelAll() }
      var reason: RoomReason?
      for await ending in group {
        switch ending {
        case .closed(let closing):
          reason = closing
          // After leaving, or after a refusal, there is nothing more to see.
          if await scene.state.isOver { return reason }
        case .seen: return reason
        case .nothing: continue
        }
      }
      return reason
    }
  }

  /// Handles the events of the room, and returns the reason why it was closed.
  private func follow(_ seat: any Seat, _ bot: BotPlayer?, _ scene: Scene<GameState>, _ company: Company) async -> RoomReason? {
    var bot = bot
    for await event in seat.events {
      bot?.react(to: event, at: seat)
      company.see(event)
      await scene.change { state, now in state.take(event, at: now) }
      if case .closed(let reason) = event { return reason }
    }
    return nil
  }

  /// Handles the player's keys, until they have seen the end of the room.
  private func hear(_ seat: any Seat, _ scene: Scene<GameState>, _ company: Company) async {
    for await input in terminal.inputs {
      switch input {
      case .resized: await scene.redraw()
      case .ended:
        await scene.change { state, _ in state.isLeaving = true }
        await seat.leave()
      case .key(let key):
        let wish = await scene.change { state, now in state.press(key, at: now) }
        company.isAsking = await scene.state.isAskedToLeave
        switch wish {
        case .act(let action): await seat.act(action)
        case .decide(let rule): await (seat as? RoomHost)?.decide(rule)
        case .letPhonesIn:
          do throws(RoomError) {
            let web = try await (seat as? RoomHost)?.openWeb()
            await scene.change { state, _ in state.web = web }
          } catch {
            await scene.change { state, _ in state.notice(error.description) }
          }
        case .leave:
          if await scene.state.isClosed { return }
          await seat.leave()
        case .repaint: await scene.repaint()
        case nil: continue
        }
      }
    }
  }
}
