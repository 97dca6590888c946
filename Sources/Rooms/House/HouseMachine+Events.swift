package import TwentyFour

/// Tells the matches of a house apart: counted from 1, and no number is given twice.
package struct MatchNumber: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  package static func < (left: MatchNumber, right: MatchNumber) -> Bool { left.rawValue < right.rawValue }
}

extension MatchNumber: CustomStringConvertible {
  package var description: String { String(rawValue) }
}

extension HouseMachine {
  /// What can happen to a house.
  package enum Event: Hashable, Sendable {
    /// The shell listens. First and once.
    case open
    /// Someone connected; the shell never uses the same ID twice.
    case connected(ConnectionID)
    case received(ConnectionID, RoomMessage)
    /// A frame that is no message, or no frame.
    case malformed(ConnectionID, MalformedMessage)
    case disconnected(ConnectionID)
    /// Nothing but time passed.
    case timePassed
    /// Whoever runs the house shows a player out.
    case kick(PlayerID, from: MatchNumber)
    /// Whoever runs the house ends a match.
    case closeMatch(MatchNumber)
    /// Nobody new is let in, and no match begins any more; the house closes when the last of those that are played is over.
    case drain
    /// The host goes away for a while: the connections end without a word, so that the players come back by themselves.
    case suspend
    /// The house closes now.
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
    case advertise(HouseAdvertisement)
    /// Tell whoever keeps results or logs what happened in a match; the first of each is `open`, and the last `closed`.
    case report(MatchNumber, RoomEvent)
    /// The house is closed, and nothing follows.
    case closed
  }
}
