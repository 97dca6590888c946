import Testing

@testable import Discovery

@Suite("Service instance") struct ServiceInstanceTests {
  @Test func writesItsFullName() {
    #expect(ada.description == "Ada's game._twentyfour._tcp.local")
    #expect(ServiceInstance(#"Dr. A\B"#, type: game).description == #"Dr\. A\\B._twentyfour._tcp.local"#)
    #expect(
      ServiceInstance("\u{301}.", type: game, domain: "example.org").description == "\u{301}\\.._twentyfour._tcp.example.org")
  }

  @Test func isItsNameTypeAndDomain() {
    #expect(ada.domain == .local)
    #expect(ada.id == ServiceInstance("ADA'S GAME", type: "_TwentyFour._tcp", domain: "LOCAL."))
    #expect(ada != ServiceInstance(ada.name, type: "_twentyfour._udp"))
    #expect(ada != ServiceInstance(ada.name, type: game, domain: "example.org"))
    #expect(ada != bob)
  }
}
