import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

/// An error of owning values in a directory.
public struct OwnedValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a failure; kinds may be added, so a `switch` over them needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind, such as `tooLarge`.
    public let description: String

    /// The `Bonjour` object was made without a directory.
    public static let noDirectory = Code(description: "noDirectory")
    /// The configuration cannot be used.
    public static let invalidConfiguration = Code(description: "invalidConfiguration")
    /// A name is not 1–64 lower-case letters, digits and hyphens.
    public static let invalidName = Code(description: "invalidName")
    /// A value is larger than the configuration or the server permits.
    public static let tooLarge = Code(description: "tooLarge")
  }

  /// The kind of the error.
  public let code: Code
  /// A sentence for people.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message, escaped for display.
  public var description: String { message.escapedForDisplay }

  static func check(_ name: String) throws(OwnedValueError) {
    guard Ownership.isName(name) else {
      throw OwnedValueError(.invalidName, "\"\(name)\" is no name of a value: 1–64 lower-case letters, digits and hyphens")
    }
  }
}
