#if Avahi
import Testing

@testable import _BonjourishAvahiBackend

struct RegistrationGateTests {
  private final class Publication {}

  private let gate = RegistrationGate(BusLine())

  /// Lets publications enter; returns what tells which of them have begun, in order.
  private func enter(_ publications: [Publication]) -> () -> [Int] {
    final class Begun { var places: [Int] = [] }
    let begun = Begun()
    for (place, publication) in publications.enumerated() { gate.enter(publication) { begun.places.append(place) } }
    return { begun.places }
  }

  @Test func `a few register at once and the others in their order when those have`() {
    let publications = (0..<(RegistrationGate.width + 3)).map { _ in Publication() }
    let begun = enter(publications)
    #expect(begun() == Array(0..<RegistrationGate.width))
    gate.leave(publications[5])
    gate.leave(publications[5])
    #expect(begun().last == RegistrationGate.width && begun().count == RegistrationGate.width + 1)
    // One that waits and is ended never begins.
    gate.leave(publications[RegistrationGate.width + 1])
    gate.leave(publications[0])
    #expect(begun().last == RegistrationGate.width + 2)
    for publication in publications { gate.leave(publication) }
    #expect(begun().count == RegistrationGate.width + 2)
  }

  @Test func `one that left may enter again, and one that is in does nothing`() {
    let publication = Publication()
    let first = enter([publication, publication])
    #expect(first() == [0])
    gate.leave(publication)
    #expect(enter([publication])() == [0])
  }
}
#endif
