/// What a server tells a user who may not use a subject. It answers nothing else to the message or subscription.
package struct PermissionViolation: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    case publish, subscribe
  }

  package let action: Action
  /// The subject, or how it begins: the C library keeps the first 255 bytes of what a server says.
  package let subject: String
  private let isWhole: Bool

  /// - Parameter text: What the server says, such as `Permissions Violation for Publish to "a.b"`.
  /// - Returns: Nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, !parts[1].isEmpty else { return nil }
    switch parts[0].lowercased() {
    case "permissions violation for publish to ": action = .publish
    case "permissions violation for subscription to ": action = .subscribe
    default: return nil
    }
    subject = String(parts[1])
    isWhole = parts.count == 3
  }

  /// Whether it is about a message to a subject.
  package func concerns(_ subject: String) -> Bool {
    action == .publish && (isWhole ? subject == self.subject : subject.hasPrefix(self.subject))
  }
}
