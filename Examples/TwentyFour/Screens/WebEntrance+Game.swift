import Foundation
public import Rooms
import TwentyFourWeb

extension WebEntrance {
  /// The entrance with the page of the game.
  ///
  /// - Parameter port: The port to listen on; nil for the usual one, or any free port.
  public init(port: UInt16?) {
    let encoder = JSONEncoder()
    // The same file each time, so that browsers need not load it again.
    encoder.outputFormatting = .sortedKeys
    do {
      self.init(GameSite.make(texts: Array(try encoder.encode(Phrases.web))), port: port)
    } catch {
      preconditionFailure("texts must be valid JSON: \(error)")
    }
  }
}
