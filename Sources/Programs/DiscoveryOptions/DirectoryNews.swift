public import Bonjourish
public import _BonjourishConsole

/// What a user should know about the directory.
public struct DirectoryNews: Hashable, Sendable {
  /// What has happened.
  public enum Event: Hashable, Sendable {
    /// It answers for the first time.
    case reached
    /// It has not answered for a while, for this reason.
    case lost(String)
    /// It refuses this program, or is not used any more, for this reason. Time alone does not mend that. `endsProgram` says whether
    /// everything fails with this error, which is then told at the end.
    case refused(DiscoveryError, endsProgram: Bool = false)
    /// It does not permit something, which goes on without it.
    case denied(String)
    /// It answers again.
    case restored
  }

  /// The part of the directory that is used.
  public let region: String
  /// What has happened.
  public let event: Event

  /// Makes news.
  public init(region: String, event: Event) {
    (self.region, self.event) = (region, event)
  }

  /// Writes a line, unless it is only what was to be expected.
  public func tell(_ diagnostics: Diagnostics) {
    switch event {
    case .reached: diagnostics.detail("the directory answers")
    case .lost(let reason): diagnostics.warning("\(reason); it is tried again")
    case .refused(let error, let endsProgram): if !endsProgram { diagnostics.warning(error.message) }
    case .denied(let reason): diagnostics.warning(reason)
    case .restored: diagnostics.warning("the directory answers again")
    }
  }
}

extension DirectoryNews: Encodable {
  private enum Key: CodingKey {
    case event, region, state, reason
  }

  /// The line of `--json`.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode("directory", forKey: .event)
    try fields.encode(region, forKey: .region)
    switch event {
    case .reached, .restored: try fields.encode("available", forKey: .state)
    case .denied(let reason):
      try fields.encode("available", forKey: .state)
      try fields.encode(reason, forKey: .reason)
    case .lost(let reason):
      try fields.encode("unavailable", forKey: .state)
      try fields.encode(reason, forKey: .reason)
    case .refused(let error, _):
      try fields.encode("unavailable", forKey: .state)
      try fields.encode(error.message, forKey: .reason)
    }
  }
}
