import Bonjourish
import Testing
import _BonjourishConsole
import _BonjourishDiscovery
import _BonjourishDoctor
import _BonjourishJSONOutput

@testable import bonjourish_cli

/// Lines of `--json` about the network and this machine.
struct ReachEventTests {
  @Test func `each link has its state, and what is wrong has a code, a reason and a remedy`() {
    let (eth0, wlan0) = (NetworkInterface(index: 2, name: "eth0"), NetworkInterface(index: 3, name: "wlan0"))
    let reach = Reach(
      [
        Reach.Item(Link(eth0, .ipv4), .works), Reach.Item(Link(eth0, .ipv6), .unproven),
        Reach.Item(Link(wlan0, .ipv4), .fails(Reach.Cause(.noCarrier, "has no carrier", remedy: "plug in its cable"))),
        Reach.Item(Link(wlan0, .ipv6), .unused(Reach.Cause(.notSelected, "is not selected"))),
      ], causes: [Reach.Cause(.thisMachineOnly, "only this machine")])
    #expect(
      JSONLine.text(of: ReachEvent(reach))
        == #"{"causes":[{"code":"thisMachineOnly","reason":"only this machine"}],"event":"reach","links":["#
        + #"{"family":"ipv4","interface":"eth0","state":"works"},{"family":"ipv6","interface":"eth0","state":"unproven"},"#
        + #"{"cause":{"code":"noCarrier","reason":"has no carrier","remedy":"plug in its cable"},"#
        + #""family":"ipv4","interface":"wlan0","state":"fails"},"#
        + #"{"cause":{"code":"notSelected","reason":"is not selected"},"family":"ipv6","interface":"wlan0","state":"unused"}]}"#
    )
  }

  private let finding = Finding(
    .containerNetwork, .warning, on: ["eth0"], seen: "it is a container's", because: "multicast does not leave it",
    remedies: [.command("docker run --network host"), .advice("use a directory")])

  @Test func `a finding has what was seen, why it matters and what to do`() {
    #expect(
      JSONLine.text(of: FindingEvent(finding))
        == #"{"event":"finding","id":"container-network","interfaces":["eth0"],"#
        + #""remedies":[{"command":"docker run --network host"},{"advice":"use a directory"}],"#
        + #""seen":"it is a container's","severity":"warning","why":"multicast does not leave it"}"#)
  }

  @Test func `a warning that nothing was found has the remedies in lines of their own`() {
    #expect(
      ContainerCheck.warning(finding) == [
        "nothing was found: it is a container's; multicast does not leave it", "- docker run --network host",
        "- use a directory",
      ])
  }
}
