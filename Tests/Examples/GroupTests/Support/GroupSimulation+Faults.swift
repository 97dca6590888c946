import DirectoryModel

/// Which faults come in a simulation, and how often.
struct FaultMix {
  enum Kind: CaseIterable {
    case crash, pause, end, drain, fill, newPlayers, election, connection, cut, stall, quota, permission, playersLost, newServer
  }

  let kinds: [Kind]
  let count: Int
  /// The longest time there and back to the directory, in milliseconds each.
  let mostDelay: Int
  let mostPlaces: Int
  /// How far the servers of the directory are behind their leader.
  let readLag: Duration

  init(_ timeline: Timeline) {
    // A few kinds at a time: what they do together is seen best. One of them makes matches go to other servers.
    kinds =
      [timeline.choice([.crash, .crash, .pause, .cut, .stall, .end])!]
      + (0..<timeline.number(in: 0...4)).map { _ in timeline.choice(Kind.allCases)! }
    count = timeline.number(in: 2...12)
    mostDelay = timeline.choice([1, 20, 150, 300])!
    readLag = timeline.choice([.zero, .zero, .milliseconds(300)])!
    mostPlaces = timeline.number(in: 2...5)
  }
}

extension GroupSimulation {
  func plan() {
    for _ in 0..<mix.count {
      timeline.at(timeline.milliseconds(in: 8_000...58_000)) { [self] in if isStormy { fault(timeline.choice(mix.kinds)!) } }
    }
  }

  private func fault(_ kind: FaultMix.Kind) {
    guard let server = timeline.choice(servers.filter(\.isServing)) else { return }
    let time = timeline.milliseconds(in: 500...20_000)
    switch kind {
    case .crash:
      // The last one lives.
      guard servers.count(where: \.isServing) > 1 else { return }
      let isSilent = timeline.once(in: 4)
      note("\(server.name) dies\(isSilent ? " without a word" : "")")
      server.kill(silently: isSilent)
      if isSilent { for player in players where player.connection?.server === server { player.strand() } }
      restart(server)
    case .pause:
      note("\(server.name) is paused for \(time)")
      server.pause(until: timeline.now + time)
      for player in players where player.connection?.server === server { player.strand() }
    case .end:
      guard servers.count(where: \.isServing) > 1 else { return }
      note("\(server.name) ends")
      server.stop()
      restart(server)
    case .drain:
      guard servers.count(where: \.isServing) > 1 else { return }
      note("\(server.name) drains")
      server.drain()
      restart(server)
    case .fill: for _ in 0..<timeline.number(in: 2...8) { join(server) }
    case .newPlayers: for _ in 0..<timeline.number(in: 1...4) { join() }
    case .election: elect()
    case .connection:
      note("\(server.name) loses the directory")
      server.store.link.lose()
    case .cut:
      note("\(server.name) is cut off from the directory for \(time)")
      server.store.link.cut()
      timeline.after(time) { server.store.link.heal() }
    case .stall:
      note("\(server.name) hears nothing of the directory for \(time)")
      server.store.link.stall(time)
    case .quota:
      note("the bucket is full for \(time)")
      network.model.isFull = true
      timeline.after(time) { [self] in network.model.isFull = false }
    case .permission:
      let denied = timeline.choice([["$KV.*.world.value.*"], ["$KV.*.world.owner.*"], ["$JS.API.>"], ["$KV.>", "$JS.>"]])!
      note("\(server.name) may not write to \(denied) for \(time)")
      server.store.link.denied = denied
      timeline.after(time) { server.store.link.denied = [] }
    case .playersLost:
      note("players lose \(server.name)")
      for player in players where player.connection?.server === server && !timeline.once(in: 3) { player.lose() }
    case .newServer:
      if servers.count(where: \.isServing) < 5 { start("S\(servers.count + 1)") }
    }
  }

  private func restart(_ server: SimulatedServer) {
    guard timeline.once(in: 2) else { return }
    func attempt(after delay: Duration) {
      timeline.after(delay) { [self] in
        if server.process.isAlive { attempt(after: .seconds(1)) } else { start(server.name) }
      }
    }
    attempt(after: timeline.milliseconds(in: 200...10_000))
  }

  private func elect() {
    let time = timeline.milliseconds(in: 4_000...9_000)
    let answer = timeline.choice([DirectoryModel.Outage.Answer.silence, .doneInSilence, .refusal])!
    note("an election for \(time): \(answer)")
    network.model.outage = DirectoryModel.Outage(answer, answersReads: timeline.once(in: 2))
    // What is done while nobody answers is what was under way.
    if answer == .doneInSilence { timeline.after(.milliseconds(300)) { [self] in network.model.outage?.answer = .silence } }
    network.model.loseConsumers { [timeline] _ in timeline.once(in: 3) }
    timeline.after(time) { [self] in network.model.outage = nil }
  }
}
