package import TwentyFour

extension RoomMachine {
  /// What can happen to a room.
  package enum Event: Hashable, Sendable {
    /// The shell listens. First and once.
    case open
    /// Someone connected; the shell never uses the same ID twice.
    case connected(ConnectionID)
    case received(ConnectionID, RoomMessage)
    /// A frame that is no message, or no frame.
    case malformed(ConnectionID, MalformedMessage)
    case disconnected(ConnectionID)
    /// The host's own player answers the running round.
    case answer(String)
    /// The host's own player gives up in the running round.
    case giveUp
    /// The host's own player wants a hint for the running round.
    case hint
    /// The host shows a player out.
    case kick(PlayerID)
    /// Nothing but time passed.
    case timePassed
    /// The host goes away for a while: the connections end without a word, so that the players come back by themselves.
    case suspend
    /// The host wants to close the room.
    case close
  }

  /// What the shell is to do.
  package enum Effect: Hashable, Sendable {
    /// Send a message, encoded once, to one or more connections.
    case send(RoomMessage, to: [ConnectionID])
    /// A connection may stay; before, it was one of those who have not said hello yet.
    case admit(ConnectionID)
    /// Close a connection once what was sent, and this message, has gone out. The machine has forgotten it already.
    case disconnect(ConnectionID, after: RoomMessage?)
    /// Publish this instead of what was published before.
    case advertise(RoomAdvertisement)
    /// Tell the app. After ``RoomEvent/closed(_:)`` nothing follows: the shell stops listening and advertising.
    case report(RoomEvent)
  }
}

/// Tells the connections of a room apart.
package struct ConnectionID: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  package static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.rawValue < right.rawValue }
}
