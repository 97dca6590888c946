import DirectoryModel
import _BonjourishDirectoryProtocol

/// The directory of a simulation, and the connections with it.
final class DirectoryNetwork {
  let timeline: Timeline
  var model: DirectoryModel
  private var links: [Int: DirectoryLink] = [:]
  private var lastClient = 0
  private var timer: (time: Duration, entry: Timeline.Entry)?
  /// Called when something may have changed.
  var observe: () -> Void = {}

  init(_ timeline: Timeline, _ bucket: Bucket) {
    self.timeline = timeline
    model = DirectoryModel(bucket)
    // Small, so that consumers ask to be told to go on.
    model.window = 1_500
  }

  func add(_ link: DirectoryLink) -> Int {
    lastClient += 1
    links[lastClient] = link
    return lastClient
  }

  func remove(_ client: Int) {
    links[client] = nil
    model.disconnect(client, at: timeline.now)
    settle([])
  }

  func handle(_ body: (inout DirectoryModel, Duration) -> [DirectoryModel.Sent]) {
    settle(body(&model, timeline.now))
    observe()
  }

  private func settle(_ sent: [DirectoryModel.Sent]) {
    for sent in sent { links[sent.client]?.deliver(sent) }
    let deadline = model.nextDeadline
    guard deadline != timer?.time else { return }
    timeline.cancel(timer?.entry)
    timer = deadline.map { time in
      (time, timeline.at(time) { [weak self] in self?.wake() })
    }
  }

  private func wake() {
    timer = nil
    settle(model.advance(to: timeline.now))
    observe()
  }
}

/// The connection of a process with the directory: messages arrive late and in order, wait while the network swallows everything, and
/// those that are under way when the connection is lost may have arrived or not.
final class DirectoryLink {
  private let network: DirectoryNetwork
  private let process: Process
  private var client = 0
  /// The number of the connection; messages of former ones are lost.
  private var epoch = 0
  private var arrivals = (up: Duration.zero, down: Duration.zero)
  private var counts = (sent: 0, arrived: 0, limit: Int.max)
  private(set) var isConnected = false
  /// Until when nothing arrives.
  private var stalledUntil = Duration.zero
  /// Whether it can be connected.
  private(set) var isCut = false
  private var retry: Timeline.Entry?
  /// The subjects to which the process may not write, as patterns.
  var denied: [String] = [] {
    didSet { network.model.denied[client] = denied }
  }

  /// The shortest times there and back, and what is added at random.
  var delays: (up: Duration, down: Duration) = (.zero, .zero)
  var jitter = 5

  var connected: () -> Void = {}
  var disconnected: () -> Void = {}
  var received: (DirectoryModel.Sent) -> Void = { _ in }

  private var timeline: Timeline { network.timeline }

  init(_ network: DirectoryNetwork, _ process: Process) {
    self.network = network
    self.process = process
  }

  // MARK: - The process's side

  func open() {
    guard process.isAlive, !isConnected else { return }
    guard !isCut else { return reconnect() }
    epoch += 1
    client = network.add(self)
    network.model.denied[client] = denied
    isConnected = true
    (arrivals, counts) = ((timeline.now, timeline.now), (0, 0, .max))
    process.run(on: .directory) { [self] in if isConnected { connected() } }
  }

  /// Ends the connection from this side: what was written arrives.
  func close() {
    guard isConnected else { return }
    isConnected = false
    let (client, network) = (client, network)
    timeline.at(max(arrivals.up, timeline.now) + .milliseconds(1)) { network.remove(client) }
  }

  func send(_ body: @escaping (inout DirectoryModel, Int, Duration) -> [DirectoryModel.Sent]) {
    guard isConnected else { return }
    let (epoch, client, network) = (epoch, client, network)
    counts.sent += 1
    let number = counts.sent
    arrivals.up = max(arrivals.up, timeline.now + delays.up + timeline.milliseconds(in: 0...jitter), stalledUntil)
    timeline.at(arrivals.up) { [weak self] in
      // Messages of a process that has died arrive.
      if let self, self.epoch == epoch {
        guard number <= counts.limit else { return }
        counts.arrived = number
      }
      network.handle { $0.publishing(body, client, $1) }
    }
  }

  // MARK: - The directory's side

  func deliver(_ sent: DirectoryModel.Sent) {
    guard isConnected, sent.client == client else { return }
    let epoch = epoch
    arrivals.down = max(arrivals.down, timeline.now + delays.down + timeline.milliseconds(in: 0...jitter), stalledUntil)
    timeline.at(arrivals.down) { [weak self] in
      guard let self else { return }
      process.run(on: .directory) { [weak self] in
        guard let self, isConnected, self.epoch == epoch else { return }
        received(sent)
      }
    }
  }

  // MARK: - Faults

  /// Loses the connection: some of what was under way has arrived.
  func lose() {
    guard isConnected else { return }
    isConnected = false
    counts.limit = timeline.number(in: counts.arrived...max(counts.sent, counts.arrived))
    let (client, network) = (client, network)
    timeline.at(max(arrivals.up, timeline.now)) { network.remove(client) }
    process.run(on: .directory) { [self] in disconnected() }
    reconnect()
  }

  /// Loses the connection, and connects no more until ``heal()``.
  func cut() {
    isCut = true
    lose()
  }

  func heal() { isCut = false }

  /// Lets nothing arrive for a time; then everything does, unless the process has given up meanwhile.
  func stall(_ time: Duration) {
    stalledUntil = max(stalledUntil, timeline.now + time)
    // Two pings without an answer.
    guard time > .seconds(10) else { return }
    timeline.after(.seconds(timeline.number(in: 10...15))) { [weak self] in
      if let self, stalledUntil > timeline.now { lose() }
    }
  }

  private func reconnect() {
    timeline.cancel(retry)
    retry = timeline.after(timeline.milliseconds(in: 125...2_000)) { [weak self] in
      guard let self else { return }
      guard process.isAlive else { return }
      if isCut || stalledUntil > timeline.now { reconnect() } else { process.run(on: .directory) { [self] in open() } }
    }
  }
}

extension DirectoryModel {
  fileprivate mutating func publishing(
    _ body: (inout DirectoryModel, Int, Duration) -> [Sent], _ client: Int, _ now: Duration
  ) -> [Sent] { body(&self, client, now) }
}
