public import Bonjourish
public import TwentyFour

extension House {
  /// What kind of house to open.
  public struct Configuration: Sendable {
    /// What the house is called on the network.
    public var name: InstanceName
    /// How many matches there can be at a time.
    public var matches = 100
    /// The rules of each match. Their minimum and maximum of players are between what may be asked for.
    public var rules = Match.Rules(gathering: .seconds(10), rounds: 10, minimumPlayers: 2)
    /// The port to listen on; 0 lets the system choose.
    public var port = House.standardPort
    /// The only interface to listen and advertise on; nil for all.
    public var interface: NetworkInterface?
    /// The path of a file to keep the house's state in; nil to forget it.
    ///
    /// When the file is there, the matches that it tells of go on, with their players' seats. It is written at most once a
    /// second, and removed when the house was drained. A process that ends in any other way leaves it, and the players come back
    /// as soon as the house is open again.
    public var state: String?
    /// Told when the state cannot be written: once, until it can again.
    public var stateFailed: @Sendable (RoomError) -> Void = { _ in }
    /// Deals the hands; the same seed deals the same ones.
    public var generator: SeededGenerator
    /// Told what happens in each match, in order. It is called on the connections' thread, and must not block.
    public var observe: @Sendable (RoomID, RoomEvent) -> Void = { _, _ in }

    public init(name: InstanceName, generator: SeededGenerator) {
      self.name = name
      self.generator = generator
    }
  }
}
