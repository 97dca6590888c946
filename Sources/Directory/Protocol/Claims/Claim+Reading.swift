import _BonjourishBase
extension Claim {
  /// What a read has found.
  package enum Reading: Hashable, Sendable {
    case none
    /// A mark that the key was deleted.
    case deleted(revision: UInt64)
    case record(owner: DirectoryRecord.Owner?, program: RelayNumber? = nil, revision: UInt64)
    case refused(JetStreamFailure)
  }

  /// What became of a question to the program that has written the key.
  package enum Presence: Hashable, Sendable {
    /// It has answered.
    case here
    /// The server knows nobody at its address.
    case gone
  }
}

extension Claim.Reading {
  package init(_ answer: DirectAnswer) {
    switch answer {
    case .none: self = .none
    case .refused(let failure): self = .refused(failure)
    case .message(let message, let revision) where message.isDeletion: self = .deleted(revision: revision)
    case .message(let message, let revision):
      let json = try? JSONReader.read(message.data)
      let owner = json?["owner"]?.string.flatMap { DirectoryRecord.Owner(digits: $0) }
      self = .record(owner: owner, program: json?["relay"]?.string.flatMap { RelayNumber($0) }, revision: revision)
    }
  }
}
