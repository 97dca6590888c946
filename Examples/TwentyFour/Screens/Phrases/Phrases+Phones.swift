/// The page for phones, as the host sees it.
extension Phrases {
  static func webAddress(_ address: String) -> String { "Phones join at \(address)" }
}
