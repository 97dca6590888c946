import CBonjourishLinux
import Testing

extension OnALAN {
  /// The LAN itself: programs on it, what it can do to them, and that nothing of it stays.
  struct LabTests {
    @Test func `hosts are apart and reach each other`() async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        let names = try lab.start("sh", "-c", "hostname; ip -brief address show eth0", on: .h2)
        try await names.line { $0 == "h2" }
        try await names.line {
          $0.contains("UP") && $0.contains(Lab.Host.h2.address) && $0.contains(Lab.Host.h2.linkLocalAddress)
        }

        let server = try lab.start(["/usr/bin/python3", "-c", Self.server], on: .h1)
        try await server.line { $0 == "listening" }
        for address in [Lab.Host.h1.address, "2001:db8:77::1", "fe80::1%eth0"] {
          let client = try lab.start(["/usr/bin/python3", "-c", Self.client, address], on: .h2)
          try await client.line { $0 == "hello from h1" }
          #expect(try await client.exitCode() == 0)
        }
      }
    }

    @Test func `hosts behind a router reach each other without multicast, until they are cut apart`() async throws {
      try await withLab(hosts: 3, daemons: false, isRouted: true) { lab in
        let server = try lab.start(["/usr/bin/python3", "-c", Self.server], on: .h1)
        try await server.line { $0 == "listening" }
        func greets(_ address: String, from host: Lab.Host) async throws -> Bool {
          let client = try lab.start(["timeout", "2", "/usr/bin/python3", "-c", Self.client, address], on: host)
          return try await client.exitCode() == 0
        }
        #expect(try await greets(Lab.Host.h1.address, from: .h2))
        #expect(try await greets("2001:db8:77::1", from: .h3))
        #expect(try await !greets("fe80::1%eth0", from: .h2))
        let publisher = try lab.bonjourish("publish", "Near", "http", "80", "--backend", "builtin", on: .h1)
        let browser = try lab.bonjourish("browse", "http", "--once", "--backend", "builtin", "--json", on: .h2)
        #expect(try await browser.exitCode() == 1)
        #expect(browser.events("found").isEmpty)
        #expect(publisher.errorLines.isEmpty)

        try await lab.cut(.h2, from: .h1)
        #expect(try await !greets(Lab.Host.h1.address, from: .h2))
        #expect(try await greets(Lab.Host.h1.address, from: .h3))
        try await lab.cut(.h2, from: .h1, isCut: false)
        #expect(try await greets(Lab.Host.h1.address, from: .h2))
        try await lab.link(isUp: false, of: .h1)
        #expect(try await !greets(Lab.Host.h1.address, from: .h2))
        try await lab.link(isUp: true, of: .h1)
        #expect(try await greets(Lab.Host.h1.address, from: .h2))
      }
    }

    @Test func `programs have their input, output, errors, signals and exit codes`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        let echo = try lab.start("sh", "-c", "while read -r line; do echo \"$line\"; echo oh >&2; done; exit 3", on: .h1)
        try echo.send(#"{"event":"one","n":[1,null,true,"x"]}"#)
        let event = try await echo.event("one") { $0["n"]?[0] == 1 }
        #expect(event == ["event": "one", "n": [1, .null, true, "x"]])
        try await echo.errorLine { $0 == "oh" }
        try echo.closeInput()
        #expect(try await echo.exitCode() == 3)

        let trap = try lab.start("sh", "-c", "trap 'echo bye; exit 5' INT; echo up; while :; do sleep 0.02; done", on: .h1)
        try await trap.line { $0 == "up" }
        try trap.signal(SIGINT)
        try await trap.line { $0 == "bye" }
        #expect(try await trap.exitCode() == 5)

        let victim = try lab.start("sh", "-c", "echo up; exec sleep 1000", on: .h1)
        try await victim.line { $0 == "up" }
        try victim.signal(SIGKILL)
        #expect(try await victim.exitCode() == 128 + SIGKILL)
      }
    }

    @Test func `lines are taken in any order, each once`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        let program = try lab.start("printf", "a\\nb\\na\\n", on: .h1)
        try await program.line { $0 == "b" }
        try await program.line { $0 == "a" }
        try await program.line { $0 == "a" }
        await #expect(throws: LabError.self) { try await program.line { $0 == "a" } }
        #expect(program.outputLines == ["a", "b", "a"])
      }
    }

    @Test func `a line that does not come is waited for no longer than allowed`() async throws {
      try await withLab(hosts: 1, daemons: false) { lab in
        let program = try lab.start("sleep", "1000", on: .h1)
        let time = await ContinuousClock().measure {
          await #expect(throws: LabError.self) { try await program.line(within: .milliseconds(200)) { _ in true } }
        }
        #expect(time >= .milliseconds(200))
      }
    }

    @Test func `a pulled cable, lost packets and their return`() async throws {
      try await withLab(hosts: 2, daemons: false) { lab in
        let listener = try lab.start(["/usr/bin/python3", "-c", Self.datagrams], on: .h1)
        try await listener.line { $0 == "listening" }
        let sender = try lab.start(["/usr/bin/python3", "-c", Self.sender, Lab.Host.h1.address], on: .h2)

        try sender.send("one")
        try await listener.line { $0 == "one" }
        try await lab.link(isUp: false, of: .h1)
        try sender.send("while unplugged")
        try await sender.line { $0 == "sent while unplugged" }
        try await lab.link(isUp: true, of: .h1)
        try sender.send("two")
        try await listener.line { $0 == "two" }
        try await lab.loss(percent: 100, at: .h1)
        try sender.send("while all is lost")
        try await sender.line { $0 == "sent while all is lost" }
        try await lab.loss(percent: 0, at: .h1)
        try sender.send("three")
        try await listener.line { $0 == "three" }
        #expect(listener.outputLines == ["listening", "one", "two", "three"])
      }
    }

    @Test func `programs end with the lab`() async throws {
      var program: Program?
      try await withLab(hosts: 1, daemons: false) { lab in
        program = try lab.start("sh", "-c", "echo up; exec sleep 1000", on: .h1)
        try await program?.line { $0 == "up" }
      }
      #expect(try await program?.exitCode(within: .zero) == 128 + SIGKILL)
    }

    private static let server = """
      import socket
      server = socket.create_server(("::", 4000), family=socket.AF_INET6, dualstack_ipv6=True)
      print("listening", flush=True)
      while True:
        connection, _ = server.accept()
        connection.sendall(b"hello from " + socket.gethostname().encode())
        connection.close()
      """

    private static let client = """
      import socket, sys
      print(socket.create_connection((sys.argv[1], 4000)).recv(100).decode())
      """

    private static let datagrams = """
      import socket
      listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      listener.bind(("", 4000))
      print("listening", flush=True)
      while True:
        print(listener.recv(100).decode(), flush=True)
      """

    private static let sender = """
      import socket, sys
      sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      for line in sys.stdin:
        sender.sendto(line.strip().encode(), (sys.argv[1], 4000))
        print("sent", line.strip(), flush=True)
      """
  }
}
