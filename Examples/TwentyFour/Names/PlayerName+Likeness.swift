public import TwentyFour

extension PlayerName {
  /// Reads a name that somebody typed, on this machine or another: in Normalization Form KC, so that there is one way to write it.
  ///
  /// - Throws: ``TwentyFour/PlayerName/Invalid``, also for a name that looks as if it had a mark of the game, such as "(host)".
  public init(typed text: String) throws(Invalid) {
    // Checked before the text is processed: it may come from the network.
    guard text.utf8.count <= 4 * PlayerName.maximumByteCount else { throw .tooLong }
    try self.init(ICU.compatibilityComposed(text))
    let likeness = Likeness(of: self.text)
    for mark in PlayerName.reserved where likeness.contains(Likeness(of: mark)) { throw .reserved(mark) }
  }

  /// What the name looks like.
  public var likeness: Likeness { Likeness(of: text) }

  /// The first of some names that is not this one, and is easily mistaken for it.
  public func lookalike(in names: [PlayerName]) -> PlayerName? {
    // The same name gets a number.
    if names.contains(where: { $0.text.lowercased() == text.lowercased() }) { return nil }
    let likeness = likeness
    return names.first { $0.likeness.isConfusable(with: likeness) }
  }
}
