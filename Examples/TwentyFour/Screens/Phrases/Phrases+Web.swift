/// The texts of the page for phones, by the names that its script knows.
extension Phrases {
  static let web: [String: String] = [
    "game": game
  ]
}
