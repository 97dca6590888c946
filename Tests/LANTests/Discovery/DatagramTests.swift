import CBonjourishLinux
import Testing

extension TalkingOnALAN {
  /// `bonjourish query` about who says what, and `query --raw`.
  struct DatagramTests {
    @Test func `datagrams of Avahi, zeroconf and this machine are shown beside the daemon`() async throws {
      try await withLab { lab in
        let ada = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "80", "path=/", on: .h1)
        try await ada.errorLine { $0.contains("Established") }
        let bob = try lab.start(LAN.peer("publish") + ["Bob", "_http._tcp", "81"], on: .h3)
        try await bob.event("published")

        let asker = try lab.bonjourish("query", "_http._tcp.local", "PTR", "--raw", "--json", on: .h2)
        for (host, name) in [(Lab.Host.h1, "Ada"), (.h3, "Bob")] {
          let answer = try await asker.event("datagram") { datagram in
            let pointers = datagram["answers"]?.array ?? []
            return datagram["source"]?.string == host.address
              && pointers.contains { $0["data"]?.string == "\(name)._http._tcp.local." && $0["ttl"] != 0 }
          }
          #expect(
            answer["kind"] == "response" && answer["own"] == false && answer["interface"] == "eth0" && answer["port"] == 5353)
          #expect(answer["flags"] == ["AA"] && answer["fault"] == nil)
        }
        let own = asker.events("datagram").first { $0["own"] == true && $0["kind"] == "query" }
        #expect(own?["questions"]?[0]?["name"] == "_http._tcp.local" && own?["questions"]?[0]?["unicast"] == false)
        #expect(asker.events("datagram").allSatisfy { $0["source"] != nil })

        // It listens only, and the daemon beside it goes on.
        let listener = try lab.bonjourish("query", "--raw", "--family", "4", on: .h2)
        let listed = try lab.start("avahi-browse", "-rpt", "_http._tcp", on: .h2)
        try await listed.line { AvahiBrowseLine($0).map { $0.event == .resolved && $0.name == "Ada" } ?? false }
        // It listens once it shows what the other one asks again.
        try await listener.line { $0 == "  question _http._tcp.local. IN PTR QM" }
        try ada.signal(SIGTERM)
        try await listener.line { $0.contains(" eth0 < 10.77.0.1:5353 response AA, ") }
        try await listener.line { $0 == "  answer _http._tcp.local. 0 IN PTR Ada._http._tcp.local." }
        for program in [asker, listener] {
          try program.signal(SIGINT)
          #expect(try await program.exitCode() == 0)
          #expect(program.errorLines == [])
        }
      }
    }

    @Test func `malformed and hostile datagrams are told with the place`() async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        let listener = try lab.bonjourish("query", "--raw", "--family", "4", on: .h2)
        let json = try lab.bonjourish("query", "--raw", "--family", "4", "--json", "--for", "20", on: .h2)
        // Both listen once they show what somebody asks.
        let other = try lab.bonjourish("query", "marker.local", "A", "--raw", "--family", "4", on: .h1)
        try await listener.line { $0 == "  question marker.local. IN A QM" }
        try await json.event("datagram")
        let send = """
          import socket
          group = ("224.0.0.251", 5353)
          s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
          s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("10.77.0.1"))
          s.sendto(bytes.fromhex("000084000000000100000000" "80"), group)
          s.sendto(bytes.fromhex("000000000001000000000000" "041b5b324a" "00" "0001" "0001"), group)
          """
        #expect(try await lab.start("/usr/bin/python3", "-c", send, on: .h1).exitCode() == 0)
        try await listener.line { $0 == ##"  malformed: the name at byte 12 has a label without a length: \# 1 80"## }
        try await listener.line { $0.contains("question ") && $0.contains(#"\u{1B}[2J"#) || $0.contains(#"\\027[2J"#) }
        let fault = try await json.event("datagram") { $0["fault"] != nil }
        #expect(fault["fault"]?["offset"] == 12 && fault["fault"]?["base64"] == "gA==")
        #expect(listener.outputLines.allSatisfy { !$0.contains("\u{1B}") })
        try other.signal(SIGINT)
      }
    }

    @Test func `the sender of a record is shown if the backend knows it`() async throws {
      try await withLab(hosts: 2) { lab in
        let ada = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "80", on: .h1)
        try await ada.errorLine { $0.contains("Established") }
        for backend in Backend.allCases {
          let query = try lab.bonjourish(
            "query", "Ada._http._tcp.local", "SRV", "--json", "--family", "4", "--backend", backend.rawValue, on: .h2)
          let record = try await query.event("found")
          #expect(record["sender"]?.string == (backend == .builtin ? Lab.Host.h1.address : nil))
          #expect(record["unique"] == (backend == .builtin ? true : nil) && (record["ttl"] != nil) == (backend == .builtin))
        }
      }
    }
  }
}
