import TwentyFour
import _BonjourishTerminal

/// The page for phones, as the host sees it.
extension Phrases {
  static func webAddress(_ address: String) -> String { "Phones join at \(address)" }
  /// The name of a player, with a mark for one on a phone: a short one where the long one does not fit.
  static func name(_ standing: Standing, columns: Int = .max) -> String {
    let name = name(standing.player)
    guard standing.isOnPhone else { return name }
    let marked = "\(name) (phone)"
    return marked.columns <= columns ? marked : "\(name)*"
  }
  static let scan = "Scan this with the camera of a phone, or type the address."
  static func otherAddress(_ number: Int, of count: Int) -> String {
    "Address \(number) of \(count); if a phone cannot reach it, press w for the next."
  }
  static let codeDoesNotFit = "The window is too small for the code; type the address, or make the window larger."
  static let phonesKeys = ["w: next, or back", "Esc: back to the game"]
}
