public import Bonjourish
public import Rooms
public import TwentyFour

extension MatchServer {
  /// The configuration of a server: what a server has above the ``plan`` of every host, whose properties it has, too.
  @dynamicMemberLookup
  public struct Configuration: Sendable {
    /// What every host has. Its port is at first the server's ``MatchServer/standardPort``.
    public var plan: HostPlan
    /// The largest number of matches at a time.
    public var matches = 100
    /// The rules of each match. Players may ask for a match size between the rules' minimum and maximum.
    public var rules = Match.Rules(gathering: .seconds(10), rounds: 10, minimumPlayers: 2)
    /// The most that the connections from one address may have, in all matches together.
    public var shares = ShareLimits()
    /// Deals the hands; the same seed deals the same ones.
    public var generator: SeededGenerator
    /// As `observe`, for what must not be told twice: an event comes when the state after it is stored in the ``group``, and from one
    /// server only. Without a group it comes at once.
    public var observeStored: @Sendable (RoomID, RoomEvent) -> Void = { _, _ in }
    /// Where each match is advertised as an instance of its own, such as in a directory; nil for nowhere.
    public var advertising: InterfaceSelection?
    /// The servers that go on with each other's matches; nil for none. Not together with a `state`, and only with a ``listing``.
    public var group: MatchGroup?

    public init(name: InstanceName, _ protection: HostProtection, generator: SeededGenerator) {
      self.generator = generator
      plan = HostPlan(name: name, protection)
      plan.port = MatchServer.standardPort
    }

    public subscript<Value>(dynamicMember path: WritableKeyPath<HostPlan, Value>) -> Value {
      get { plan[keyPath: path] }
      set { plan[keyPath: path] = newValue }
    }
  }
}
