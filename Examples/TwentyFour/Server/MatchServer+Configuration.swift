public import Bonjourish
public import Rooms
public import TwentyFour

extension MatchServer {
  /// The configuration of a server.
  public struct Configuration: Sendable {
    /// The server's name on the network.
    public var name: InstanceName
    /// The protection of the server.
    public var protection: HostProtection
    /// The largest number of matches at a time.
    public var matches = 100
    /// The rules of each match. Players may ask for a match size between the rules' minimum and maximum.
    public var rules = Match.Rules(gathering: .seconds(10), rounds: 10, minimumPlayers: 2)
    /// The most that the connections from one address may have, in all matches together.
    public var shares = ShareLimits()
    /// The port to listen on; 0 lets the system choose.
    public var port = MatchServer.standardPort
    /// The entrance for phones and browsers; nil for none.
    public var web: WebEntrance?
    /// The interfaces to advertise on. The server listens on one only, or on all.
    public var interfaces = InterfaceSelection.all
    /// The path of a file for the server's state; nil to keep no state.
    ///
    /// If the file exists, its matches continue, with their players' seats. It is written at most once a second, and removed when
    /// the server has drained. A process that ends in any other way leaves it, and the players come back as soon as the server is
    /// open again.
    public var state: String?
    /// Called when the state cannot be written: once, until writing works again.
    public var stateFailed: @Sendable (RoomError) -> Void = { _ in }
    /// Deals the hands; the same seed deals the same ones.
    public var generator: SeededGenerator
    /// Called with the events of each match, in order, on the connections' thread. It must not block.
    public var observe: @Sendable (RoomID, RoomEvent) -> Void = { _, _ in }
    /// As `observe`, for what must not be told twice: an event comes when the state after it is stored in the ``group``, and from one
    /// server only. Without a group it comes at once.
    public var observeStored: @Sendable (RoomID, RoomEvent) -> Void = { _, _ in }
    /// Where each match is listed as an instance of its own, such as in a directory; nil for nowhere.
    public var listing: InterfaceSelection?
    /// The servers that go on with each other's matches; nil for none. Not together with a ``state``, and only with a ``listing``.
    public var group: MatchGroup?
    /// Called with wrong guesses at the passcode, with a new passcode, and with new addresses of the page for phones: `guess`, `passcode`
    /// and `web`. It must not block.
    public var observeDoor: @Sendable (RoomEvent) -> Void = { _ in }

    public init(name: InstanceName, _ protection: HostProtection, generator: SeededGenerator) {
      self.name = name
      self.protection = protection
      self.generator = generator
    }
  }
}
