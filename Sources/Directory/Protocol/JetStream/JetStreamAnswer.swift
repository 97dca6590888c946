package import _BonjourishBase

/// An answer of JetStream to a request or a publication.
package enum JetStreamAnswer: Hashable, Sendable {
  /// A message was stored with this sequence in the stream.
  case stored(UInt64)
  /// A request was carried out. The fields are those of its response.
  case done(JSONValue)
  case refused(JetStreamFailure)

  /// Reads an answer; anything else is a failure too.
  package init(_ message: DirectoryMessage) {
    if let status = message.status {
      self = .refused(JetStreamFailure(message, status: status))
      return
    }
    guard !message.isOversized, let json = try? JSONReader.read(message.data) else {
      self = .refused(.senseless)
      return
    }
    if let error = json["error"] {
      let kind = Int(clamping: error["err_code"]?.integer ?? 0)
      let reason = String((error["description"]?.string ?? "no reason given").prefix(200))
      let text =
        switch kind {
        // A record that is there already can be written again, so only new ones meet this.
        case JetStreamFailure.storeFailed: "the directory is full (\(reason))"
        case JetStreamFailure.limitOfWatches:
          "its bucket allows no more watches (\(reason)); set max_consumers of its stream to \(Bucket.mostWatches)"
        default: reason
        }
      self = .refused(JetStreamFailure(code: Int(clamping: error["code"]?.integer ?? 0), kind: kind, text: text))
    } else if json["type"] == nil, let sequence = json["seq"]?.integer.flatMap({ UInt64(exactly: $0) }), sequence > 0 {
      self = .stored(sequence)
    } else {
      self = .done(json)
    }
  }
}

/// A failure that JetStream reports.
package struct JetStreamFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The code, like one of HTTP; 0 when the answer has none.
  package let code: Int
  /// JetStream's own number of the kind of failure; 0 when the answer has none.
  package let kind: Int
  package let text: String

  package init(code: Int, kind: Int, text: String) {
    self.code = code
    self.kind = kind
    self.text = text
  }

  /// A failure that only a status tells, such as 503, with which the server says that nobody listens.
  ///
  /// - Parameter message: The answer. That of a refused subject has this subject.
  package init(_ message: DirectoryMessage, status: Int) {
    let text =
      switch status {
      case Self.notPermitted: "this user may not publish to \(message.subject); its permissions at the server lack this subject"
      case 503: "nobody answers for the bucket"
      default: "status \(status)"
      }
    self.init(code: status, kind: 0, text: text)
  }

  /// JetStream's words and numbers, for those who look behind an error of discovery.
  package var description: String { "JetStream: \(text) (code \(code), kind \(kind))" }

  package static let senseless = JetStreamFailure(code: 0, kind: 0, text: "the answer makes no sense")

  /// The code of what the user may not do.
  package static let notPermitted = 403
  /// The kind of a message that the stream has no room for.
  package static let storeFailed = 10_077
  /// The kind of a consumer, or of settings of a stream, that exceed a limit of consumers.
  package static let limitOfWatches = 10_026

  /// The last message of the subject has another sequence than was expected.
  package var isWrongSequence: Bool { kind == 10_071 }
  /// There is a stream of this name with other settings.
  package var isOtherStream: Bool { kind == 10_058 }
  /// Another stream has these subjects, or somebody makes one with them at this moment.
  package var overlaps: Bool { kind == 10_065 }
  /// There is no such stream, or nobody answers for it.
  package var isMissing: Bool { (code == 404 || code == 503) && !isFull }
  /// There is no room for it.
  package var isFull: Bool { kind == Self.storeFailed || isShortOfStorage }
  /// There are as many watches as are allowed.
  package var isLimitOfWatches: Bool { kind == Self.limitOfWatches }
  /// The user lacks a permission.
  package var isNotPermitted: Bool { code == Self.notPermitted }
  /// The account or the servers have not as much storage as a new bucket wants.
  package var isShortOfStorage: Bool { [10_002, 10_023, 10_028, 10_047].contains(kind) }
  /// It will be the same next time: the request itself is wrong, or the user may not make it.
  package var isFinal: Bool { code == 400 && !isWrongSequence && !isLimitOfWatches || isNotPermitted }
}
