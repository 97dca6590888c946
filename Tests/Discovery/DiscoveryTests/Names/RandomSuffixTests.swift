import Testing

@testable import _BonjourishDiscovery

struct RandomSuffixTests {
  private static let wish = Registration("Ada's game #3", type: game, domain: .local, port: 4242, txt: ["v": "1"])

  @Test func `after eight conflicts a service gets a name that nobody can have or dispute`() throws {
    func registrations(seed: UInt64, established isEstablished: Bool) -> [Registration] {
      var publication = Publication(Self.wish, engine: .builtIn, seed: seed)
      var all = publication.handle(.serverRunning)
      for _ in 1...9 {
        // A stranger may also wait for the name to be established each time.
        if isEstablished { _ = publication.handle(.established) }
        all += publication.handle(.collision)
      }
      return all.compactMap { if case .register(let registration) = $0 { registration } else { nil } }
    }
    for isEstablished in [false, true] {
      let (one, other) = (
        registrations(seed: 1, established: isEstablished), registrations(seed: 2, established: isEstablished)
      )
      #expect(one.map(\.isAssured) == [Bool](repeating: false, count: 8) + [true, true])
      for registration in one.suffix(2) {
        #expect(registration.name.text.hasPrefix("Ada's game #") && registration.name.text.count == 20, "\(registration.name)")
        #expect(registration.service == Self.wish.service)
      }
      #expect(Set(one.suffix(2).map(\.name)).count == 2 && one.last?.name != other.last?.name)
      // Another name is asked for as ever.
      #expect(try !#require(one.last).renamed(to: "Bob").isAssured)
    }
  }

  @Test func `a name with a random suffix fits`() throws {
    let long = try InstanceName(String(repeating: "é", count: 31) + "x")
    #expect(long.alternative(suffix: "k7f3x2q9").text == String(repeating: "é", count: 26) + " #k7f3x2q9")
    #expect(("Ada #12" as InstanceName).alternative(suffix: "k7f3x2q9").text == "Ada #k7f3x2q9")
  }
}
