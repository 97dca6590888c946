#if Avahi
/// Lets publications register a few at a time. Confined to the loop.
///
/// The daemon's work for names that it probes for grows with the square of their number: with 1,500 at once it answers no call for
/// seconds.
final class RegistrationGate {
  /// The most publications that register at once.
  static let width = 128

  private let line: BusLine
  private var active: Set<ObjectIdentifier> = []
  private var waiting: [(publication: ObjectIdentifier, begin: () -> Void)] = []

  init(_ line: BusLine) {
    self.line = line
  }

  /// Lets a publication begin, now or when others have left. Does nothing if it has entered already.
  func enter(_ publication: AnyObject, _ begin: @escaping () -> Void) {
    let id = ObjectIdentifier(publication)
    guard !active.contains(id), !waiting.contains(where: { $0.publication == id }) else { return }
    guard active.count < Self.width else { return waiting.append((id, begin)) }
    active.insert(id)
    begin()
  }

  /// Notes that a publication has registered, or no longer wants to.
  func leave(_ publication: AnyObject) {
    let id = ObjectIdentifier(publication)
    guard active.remove(id) != nil else { return waiting.removeAll { $0.publication == id } }
    guard active.count < Self.width, !waiting.isEmpty else { return }
    let next = waiting.removeFirst()
    active.insert(next.publication)
    line.goOn()
    next.begin()
  }
}
#endif
