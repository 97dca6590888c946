import _BonjourishBase
import _BonjourishDiscovery

/// The time and the results of one call of the engine.
struct Step {
  /// A report of a link to the engine, which combines those of all links.
  enum Report {
    /// The prompt answers have arrived on the link.
    case settled(MulticastEngine.QueryID)
    /// The owner's records are announced on the link.
    case established(RecordOwner)
    /// Another host on the link has a name of the owner.
    case lost(RecordOwner, DNSName)
    /// Other addresses of the host are announced on the link than before.
    case renewedHost
    /// Another host has withdrawn an address on the link.
    case withdrawn(DNSName, DNSData)
  }

  let now: Instant
  var random: SeededGenerator
  var effects: [MulticastEngine.Effect] = []
  var reports: [(link: MulticastLink, report: Report)] = []

  init(now: Instant, random: SeededGenerator) {
    self.now = now
    self.random = random
  }

  /// A random time in a range of milliseconds from now, evenly distributed.
  mutating func moment(in milliseconds: ClosedRange<Int64>) -> Instant {
    let microseconds = Int64.random(in: (milliseconds.lowerBound * 1000)...(milliseconds.upperBound * 1000), using: &random)
    return Instant(microseconds: now.microseconds + microseconds)
  }

  mutating func send(_ packets: [[UInt8]], on link: MulticastLink, to destination: MulticastEngine.Destination = .multicast) {
    for packet in packets { effects.append(.send(packet, on: link, to: destination)) }
  }
}

/// The owner of published records.
enum RecordOwner: Hashable {
  /// This host, for its address records.
  case host
  /// This host, for the pointer from one of its addresses to its name.
  case reversePointer(IPAddress)
  case registration(MulticastEngine.RegistrationID)
}
