import DirectoryModel
import Testing
import _BonjourishDirectoryProtocol

/// Owners of values, without a game: programs that count up what they own, and take what others leave while they have room.
final class OwnershipSimulation {
  /// A program that owns values.
  private final class Holder {
    let process: Process
    let store: SimulatedStore
    let room: Int
    /// What it acts upon, by name.
    var counts: [String: UInt64] = [:]
    var doubtful: Set<String> = []
    var taking: [String: UInt64] = [:]
    /// What there was no room for.
    var ignored: Set<String> = []

    init(_ process: Process, _ store: SimulatedStore, room: Int) {
      (self.process, self.store, self.room) = (process, store, room)
    }

    func acts(on name: String) -> Bool { counts[name] != nil && !doubtful.contains(name) && process.isAwake }
  }

  let timeline: Timeline
  private let network: DirectoryNetwork
  private let bucket = Bucket("matches", lease: RecordLease(duration: .seconds(600)))!
  private var holders: [Holder] = []
  private var lastName = 0
  /// The highest count of each value that its owner was told to be stored.
  private var confirmed: [String: UInt64] = [:]
  private(set) var faults: [String] = []
  private(set) var course: [String] = []
  private var isStormy = true

  private static let storm = Duration.seconds(60)

  init(seed: UInt64) {
    timeline = Timeline(seed: seed)
    network = DirectoryNetwork(timeline, bucket)
    network.observe = { [unowned self] in check() }
  }

  func run() {
    for _ in 0..<timeline.number(in: 2...5) { start() }
    plan()
    timeline.pass(until: Self.storm) { faults.isEmpty }
    heal()
    timeline.pass(until: Self.storm + .seconds(40)) { faults.isEmpty }
    if faults.isEmpty { finish() }
  }

  private func note(_ text: @autoclosure () -> String) { course.append("\(timeline.now) \(text())") }

  // MARK: - Programs

  private func start() {
    let process = Process(timeline)
    let store = SimulatedStore(
      timeline, process, network, bucket, owner: UInt64(holders.count + 1), timing: Ownership.Timing())
    store.link.delays = (timeline.milliseconds(in: 0...150), timeline.milliseconds(in: 0...150))
    store.link.jitter = timeline.choice([0, 5, 150])!
    let holder = Holder(process, store, room: timeline.number(in: 1...6))
    let number = holders.count
    holders.append(holder)
    note("\(number) starts with room for \(holder.room)")
    store.changed = { [unowned self, unowned holder] in changed($0, holder, number) }
    store.link.open()
    count(holder)
  }

  /// Counts up what a program acts upon, and opens something new now and then.
  private func count(_ holder: Holder) {
    timeline.after(timeline.milliseconds(in: 200...1_500)) { [self] in
      guard holder.process.isAlive else { return }
      holder.process.run(on: .connections) { [self] in
        for name in holder.counts.keys.sorted() where !holder.doubtful.contains(name) {
          holder.counts[name]! += 1
          put(name, holder)
        }
        if holder.counts.count + holder.taking.count < holder.room, let name = holder.ignored.min() {
          holder.ignored.remove(name)
          holder.store.perform { machine, _ in
            machine.reconsider(name)
            return []
          }
        }
        if isStormy, holder.counts.count + holder.taking.count < holder.room, timeline.once(in: 8) {
          lastName += 1
          holder.counts["m\(lastName)"] = 1
          put("m\(lastName)", holder)
        }
      }
      count(holder)
    }
  }

  private func put(_ name: String, _ holder: Holder) {
    let count = holder.counts[name]!
    holder.store.perform { $0.put(name, withUnsafeBytes(of: count) { Array($0) }, version: count, at: $1) }
  }

  private func changed(_ change: SimulatedStore.Change, _ holder: Holder, _ number: Int) {
    note("\(number): \(change)")
    switch change {
    case .orphaned(let name, let bytes):
      if holder.counts.count + holder.taking.count < holder.room, holder.counts[name] == nil {
        holder.taking[name] = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        holder.store.perform { $0.take(name, at: $1) }
      } else {
        holder.ignored.insert(name)
        holder.store.perform { machine, _ in
          machine.ignore(name)
          return []
        }
      }
    case .changed(let name, .owned(let stored)):
      holder.doubtful.remove(name)
      if let count = holder.taking.removeValue(forKey: name) {
        holder.counts[name] = count
        if let known = confirmed[name], count < known { fail("\(name) goes on with \(count), and \(known) was stored") }
      }
      confirmed[name] = max(confirmed[name] ?? 0, stored)
    case .changed(let name, .doubtful): holder.doubtful.insert(name)
    case .changed(let name, .lost):
      holder.counts[name] = nil
      holder.doubtful.remove(name)
      holder.taking[name] = nil
    case .changed(let name, .failed(let failure)): fail("\(name) is refused: \(failure)")
    }
    check()
  }

  // MARK: - Faults

  private func plan() {
    for _ in 0..<timeline.number(in: 2...10) {
      timeline.at(timeline.milliseconds(in: 5_000...58_000)) { [self] in fault() }
    }
  }

  private func fault() {
    guard isStormy,
      let number = holders.indices.filter({ holders[$0].process.isAlive }).randomElement(using: &timeline.generator)
    else {
      return
    }
    let holder = holders[number]
    switch timeline.number(in: 0...8) {
    case 0:
      note("\(number) dies")
      holder.process.kill()
      holder.store.link.lose()
      if timeline.once(in: 2) { timeline.after(timeline.milliseconds(in: 500...8_000)) { [self] in start() } }
    case 1:
      let time = timeline.milliseconds(in: 500...20_000)
      note("\(number) is paused for \(time)")
      holder.process.pause()
      timeline.after(time) { holder.process.wake() }
    case 2:
      note("\(number) ends")
      holder.store.end()
      timeline.after(.seconds(1)) { holder.process.kill() }
      holder.counts = [:]
      start()
    case 3...4: elect()
    case 5:
      note("\(number) loses the connection")
      holder.store.link.lose()
    case 6:
      let time = timeline.milliseconds(in: 1_000...20_000)
      note("\(number) is cut off for \(time)")
      holder.store.link.cut()
      timeline.after(time) { holder.store.link.heal() }
    case 7:
      let time = timeline.milliseconds(in: 1_000...20_000)
      note("\(number) hears nothing for \(time)")
      holder.store.link.stall(time)
    default:
      note("full")
      network.model.isFull = true
      timeline.after(timeline.milliseconds(in: 1_000...9_000)) { [self] in network.model.isFull = false }
    }
  }

  private func elect() {
    let time = timeline.milliseconds(in: 4_000...9_000)
    let answer = timeline.choice([DirectoryModel.Outage.Answer.silence, .doneInSilence, .refusal])!
    note("an election for \(time): \(answer)")
    // What is done while nobody answers is what was under way.
    network.model.outage = DirectoryModel.Outage(answer, answersReads: timeline.once(in: 2))
    if answer == .doneInSilence {
      timeline.after(.milliseconds(300)) { [self] in network.model.outage?.answer = .silence }
    }
    network.model.loseConsumers { [timeline] _ in timeline.once(in: 3) }
    timeline.after(time) { [self] in network.model.outage = nil }
  }

  private func heal() {
    note("quiet")
    isStormy = false
    network.model.outage = nil
    network.model.isFull = false
    for holder in holders {
      holder.process.wake()
      holder.store.link.heal()
    }
  }

  // MARK: - What must hold

  private func fail(_ text: String) {
    faults.append("\(timeline.now) \(text)")
    note(text)
  }

  private func check() {
    var owners: [String: Int] = [:]
    for (number, holder) in holders.enumerated() {
      for name in holder.counts.keys where holder.acts(on: name) {
        if let other = owners.updateValue(number, forKey: name), isStored(name) {
          fail("\(name) has two owners: \(other) and \(number)")
        }
      }
    }
  }

  /// Whether the directory has a value: before, two programs may want the same name.
  private func isStored(_ name: String) -> Bool { confirmed[name] != nil }

  private func finish() {
    let living = holders.filter(\.process.isAlive)
    let room = living.reduce(0) { $0 + $1.room - $1.counts.count }
    for name in confirmed.keys.sorted() where !living.contains(where: { $0.acts(on: name) }) {
      if network.model.value("world.value.\(name)") == nil {
        fail("\(name) is lost")
      } else if room > 0 {
        fail("\(name) has no owner, and there is room for \(room)")
      }
    }
  }
}

@Suite struct OwnershipSimulationTests {
  @Test(arguments: SimulationSettings.seeds) func `of each value one program is the owner, and none is lost`(seed: Int) {
    let simulation = OwnershipSimulation(seed: UInt64(seed))
    simulation.run()
    SimulationSettings.report(seed, simulation.timeline.count, simulation.course)
    #expect(simulation.faults.prefix(5) == [], "make simulate-group REPLAY=\(seed)")
  }
}
