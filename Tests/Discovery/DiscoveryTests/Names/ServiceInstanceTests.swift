import Testing

@testable import _BonjourishDiscovery

struct ServiceInstanceTests {
  @Test func `the description is the full name`() {
    #expect(ada.description == "Ada's game._twentyfour._tcp.local")
    #expect(ServiceInstance(#"Dr. A\B"#, type: game).description == #"Dr\. A\\B._twentyfour._tcp.local"#)
    #expect(
      ServiceInstance("\u{301}.", type: game, domain: "example.org").description == "\u{301}\\.._twentyfour._tcp.example.org")
  }

  @Test func `an instance is equal by name, type and domain`() {
    #expect(ada.domain == .local)
    #expect(ada.id == ServiceInstance("ADA'S GAME", type: "_TwentyFour._tcp", domain: "LOCAL."))
    #expect(ada != ServiceInstance(ada.name, type: "_twentyfour._udp"))
    #expect(ada != ServiceInstance(ada.name, type: game, domain: "example.org"))
    #expect(ada != bob)
  }
}
