extension RoomMessage {
  /// A page asks whose room it is before it says who plays, and whether its token is good.
  public struct Look: Hashable, Sendable {
    public var version: Int
    /// The token that the page has from its address, or from its last welcome.
    public var admission: String?
    /// The name with which the page would come in; nil if nobody has said one yet.
    public var name: String?
    /// Whether it would only watch.
    public var spectates: Bool

    public init(
      version: Int = RoomMessage.version, admission: String? = nil, name: String? = nil, spectates: Bool = false
    ) {
      self.version = version
      self.admission = admission
      self.name = name
      self.spectates = spectates
    }

    /// The hello with which the page would come in.
    public var hello: Hello { Hello(name: name ?? "", admission: admission, spectates: spectates) }
  }

  /// The host's answer to a look.
  public struct Introduction: Hashable, Sendable {
    /// The room, or the server of several matches. A page that was in another one does not come in by itself.
    public var room: RoomID
    /// The name and the host of the room.
    public var title: RoomTitle
    /// Whether a page may come in with what it has shown.
    public var admits: Bool

    public init(room: RoomID, title: RoomTitle, admits: Bool) {
      self.room = room
      self.title = title
      self.admits = admits
    }
  }
}

/// Whose room it is.
public struct RoomTitle: Hashable, Sendable {
  /// The name of the room or server on the network.
  public var name: String
  /// The name of the person who opened the room; nil for a server.
  public var host: String?

  public init(name: String, host: String? = nil) {
    self.name = name
    self.host = host
  }
}

extension RoomMessage.Look: Codable {
  private enum Key: String, CodingKey {
    case version, admission, name, watch
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(version, forKey: .version)
    try fields.encodeIfPresent(admission, forKey: .admission)
    try fields.encodeIfPresent(name, forKey: .name)
    if spectates { try fields.encode(true, forKey: .watch) }
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let version = try fields.decode(Int.self, forKey: .version)
    // The other fields of another version are unknown.
    guard version == RoomMessage.version else {
      self.init(version: version)
      return
    }
    self.init(
      admission: try fields.decodeIfPresent(String.self, forKey: .admission),
      name: try fields.decodeIfPresent(String.self, forKey: .name),
      spectates: try fields.decodeIfPresent(Bool.self, forKey: .watch) ?? false)
  }
}

extension RoomMessage.Introduction: Codable {
  private enum Key: String, CodingKey {
    case room, name, host, admits
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(room, forKey: .room)
    try fields.encode(title.name, forKey: .name)
    try fields.encodeIfPresent(title.host, forKey: .host)
    try fields.encode(admits, forKey: .admits)
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    self.init(
      room: try fields.decode(RoomID.self, forKey: .room),
      title: RoomTitle(
        name: try fields.decode(String.self, forKey: .name), host: try fields.decodeIfPresent(String.self, forKey: .host)),
      admits: try fields.decode(Bool.self, forKey: .admits))
  }
}
