import CBonjourishLinux
import _BonjourishBusProtocol
import _BonjourishMulticastDNS
import _BonjourishSystemBus

/// Gives avahi-daemon a question to ask. Whether it does is heard on the network, where it is also answered
/// (`SurveyQuestions.trial`); here it is seen whether the daemon hears the answer.
package final class DaemonTrial {
  /// What the daemon heard.
  package struct Result: Hashable, Sendable {
    /// The indices of the interfaces on which it heard the answer.
    package var interfaces: Set<UInt32>

    package init(interfaces: Set<UInt32> = []) {
      self.interfaces = interfaces
    }
  }

  /// A name that nobody has.
  let name: DNSName
  private let conversation: BusConversation

  /// Reaches the daemon in time; nil if that fails. Blocks its thread meanwhile.
  init?(at path: String? = BusConversation.path, within timeout: Duration = .milliseconds(300)) {
    let random = String(UInt64.random(in: .min ... .max), radix: 16)
    guard let name = try? DNSName(labels: [Array("bonjourish-doctor-\(random)".utf8), Array("local".utf8)]),
      let path, let conversation = try? BusConversation(with: path, by: .now + timeout), (try? conversation.begin()) != nil
    else { return nil }
    (self.name, self.conversation) = (name, conversation)
  }

  /// Lets the daemon ask on all interfaces, over all families. Returns false if it does not obey.
  func begin() -> Bool {
    let any = BusValue.int32(-1)
    // The class IN and the type TXT.
    return
      (try? conversation.call(
        "RecordBrowserNew", of: "org.freedesktop.Avahi.Server", at: "/", in: "org.freedesktop.Avahi", any, any,
        .text(name.description), .uint16(1), .uint16(16), .uint32(0))) != nil
  }

  /// What the daemon has heard so far.
  func result() -> Result? {
    guard let values = try? conversation.values(ofSignal: "ItemNew") else { return nil }
    return Result(
      interfaces: Set(
        values.compactMap { value in value.number.flatMap { UInt32(exactly: $0) } }))
  }
}
