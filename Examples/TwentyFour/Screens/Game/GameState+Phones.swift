import Rooms
import _BonjourishTerminal

/// The panel with the code for phones, on the host's screen.
extension GameState {
  /// The address that is shown, and its place among all; nil if the panel is not.
  var shownAddress: (address: String, place: (number: Int, count: Int))? {
    guard let number = hosting?.phones, let web, web.indices.contains(number), !isClosed else { return nil }
    return (web[number], (number + 1, web.count))
  }

  /// The wish of the key for the panel. The first value is false if the key means something else.
  mutating func phonesWish(for key: Key) -> (isTaken: Bool, wish: Wish?) {
    let isShown = shownAddress != nil
    if key == .escape, isShown {
      hosting?.phones = nil
      return (true, nil)
    }
    // No line begins with this letter.
    guard key == .text("w"), !writes || editor.text.isEmpty else { return (false, nil) }
    guard isShown, let web, let number = hosting?.phones else {
      hosting?.phones = 0
      // Phones may not be let in yet, or the interfaces may have changed.
      return (true, .letPhonesIn)
    }
    hosting?.phones = number + 1 < web.count ? number + 1 : nil
    return (true, nil)
  }
}
