import CBonjourishLinux
import Foundation
import Testing

extension PublishingOnALAN {
  /// Printers as CUPS publishes and finds them. The same for avahi-daemon.
  struct PrintersTests {
    /// The daemons of h1, where the printer is, and of h2, where it is looked for.
    static let pairs = BonjourishdTests.pairs

    /// Starts a printer of CUPS on h1. It listens on the loopback alone: told no name, it asks the daemon for the host's, without the
    /// lock that keeps its two threads apart, and now and then libavahi-client aborts it.
    private func printer(_ name: String, in lab: Lab) throws -> Program {
      try lab.start(
        [
          "env", "HOME=\(lab.folder)", "ippeveprinter", "-n", "localhost", "-p", "8631", "-r", "_print,_universal",
          "-d", "\(lab.folder)/spool", "-K", lab.folder, name,
        ], on: .h1)
    }

    @Test(.needs("ippeveprinter", of: "cups-ipp-utils"), arguments: pairs)
    func `ippfind finds a printer by type, subtype, name and key`(_ daemons: String) async throws {
      try await withLab(hosts: 2, running: daemons) { lab in
        let printer = try printer("Ada's printer", in: lab)
        let browser = try lab.start("avahi-browse", "-rp", "_ipp._tcp", on: .h2)
        let line = try await browser.line { $0.hasPrefix("=;eth0;IPv4;") }
        let service = try #require(AvahiBrowseLine(line))
        #expect(service.name == "Ada's printer" && service.txt.contains("\"rp=ipp/print\""))
        // Each looks as long as it may.
        let finders = try [
          [], ["_ipp._tcp"], ["_ipp._tcp,_print"], ["_ipp._tcp,_universal"], ["--literal-name", "Ada's printer", "-p"],
          ["_ipp._tcp", "--remote", "--port", "8631", "--txt-rp", "ipp/print", "-p"],
        ].map { try lab.start(["ippfind", "-T", "5"] + $0, on: .h2) }
        let other = try lab.start("ippfind", "-T", "3", "_ipp._tcp,_other", on: .h2)
        let local = try lab.start("ippfind", "-T", "5", "_ipp._tcp", "--local", "--print-name", on: .h1)
        for finder in finders {
          #expect(try await finder.exitCode() == 0)
          #expect(finder.outputLines == ["ipp://h1.local:8631/ipp/print"])
        }
        #expect(try await other.exitCode() == 1)
        #expect(try await local.exitCode() == 0)
        #expect(local.outputLines == ["Ada's printer"])
        for family in ["IPv4", "IPv6"] { #expect(!browser.outputLines.contains { $0.hasPrefix("-;eth0;\(family)") }) }
        try printer.signal(SIGTERM)
        for family in ["IPv4", "IPv6"] { try await browser.line { $0.hasPrefix("-;eth0;\(family);") } }
      }
    }

    /// Of two types of a printer, CUPS lists the one with the lower `priority` in its TXT record, as `cupsd` writes it for what it shares. If
    /// both say nothing, it takes `_printer._tcp` for the protocol of port 9100, and prefers that to `_ipp._tcp` unless it comes late.
    @Test(.needs("/usr/lib/cups/backend/dnssd", ofLarge: "cups"), arguments: pairs)
    func `CUPS lists a printer as the type that the printer prefers`(_ daemons: String) async throws {
      try await withLab(hosts: 2, running: daemons) { lab in
        let finder = try lab.start("avahi-browse", "-rp", "_ipp._tcp", on: .h2)
        _ = try lab.start("avahi-publish", "-s", "Ada", "_printer._tcp", "0", on: .h1)
        _ = try lab.start("avahi-publish", "-s", "Ada", "_ipp._tcp", "631", "ty=Some Printer", "priority=0", on: .h1)
        try await finder.line { $0.hasPrefix("=;eth0;IPv4;Ada;") }
        let backend = try lab.start("/usr/lib/cups/backend/dnssd", on: .h2)
        #expect(try await backend.exitCode() == 0)
        #expect(backend.outputLines.contains { $0.hasPrefix("network dnssd://Ada._ipp._tcp.local/") }, "\(backend.outputLines)")
      }
    }

    /// A print server without printers of its own.
    private func startServer(on host: Lab.Host, in lab: Lab) async throws {
      let folder = "\(lab.folder)/cups"
      for name in ["", "root", "cache", "state", "spool"] {
        try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
      }
      // It wants a user without rights, which it has no work for here.
      let files = """
        SystemGroup lpadmin
        User lp
        Group lp
        ServerRoot \(folder)/root
        CacheDir \(folder)/cache
        StateDir \(folder)/state
        RequestRoot \(folder)/spool
        AccessLog stderr
        ErrorLog stderr
        PageLog stderr
        """
      let settings = """
        Listen localhost:631
        Browsing Off
        <Location />
          Allow all
        </Location>
        <Policy default>
          <Limit All>
            Allow all
          </Limit>
        </Policy>
        """
      try files.write(toFile: folder + "/files.conf", atomically: true, encoding: .utf8)
      try settings.write(toFile: folder + "/cupsd.conf", atomically: true, encoding: .utf8)
      _ = try lab.start("cupsd", "-f", "-c", folder + "/cupsd.conf", "-s", folder + "/files.conf", on: host)
    }

    @Test(.needs("cups-browsed", of: "cups-browsed"), .needs("ippeveprinter", of: "cups-ipp-utils"), arguments: pairs)
    func `cups-browsed finds a printer and its host`(_ daemons: String) async throws {
      try await withLab(hosts: 2, running: daemons) { lab in
        try await startServer(on: .h2, in: lab)
        _ = try printer("Ada's printer", in: lab)
        let finder = try lab.start(
          "cups-browsed", "--debug", "-o", "BrowseRemoteProtocols dnssd", "-o", "CacheDir \(lab.folder)", on: .h2)
        for family in ["IPv4", "IPv6"] {
          try await finder.errorLine {
            $0.contains("Avahi Browser: NEW: service 'Ada's printer' of type '_ipp._tcp'") && $0.contains("'eth0' (\(family))")
          }
        }
        try await finder.errorLine {
          $0.contains("Avahi Resolver: Service 'Ada's printer' of type '_ipp._tcp'") && $0.contains("'h1.local' and port 8631")
        }
      }
    }
  }
}
