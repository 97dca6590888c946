import CBonjourishLinux
import Foundation
import TestSupport
import Testing

extension PublishingOnALAN {
  /// What bonjourishd does without D-Bus: nss-mdns, files, and its own process.
  struct DaemonFilesTests {
    /// Debian's libnss-mdns.
    private static let hasNameService = !["/lib", "/usr/lib"].flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).map { "\(folder)/\($0)/libnss_mdns.so.2" }
    }.filter(FileManager.default.fileExists(atPath:)).isEmpty

    /// Puts a file or a folder of the test in place of one of a host, which others do not see.
    private func replace(_ path: String, by source: String, on host: Lab.Host, in lab: Lab) async throws {
      let mount = try lab.start("mount", "--bind", source, path, on: host)
      #expect(try await mount.exitCode() == 0)
    }

    @Test(
      .enabled(if: hasNameService || LAN.isRequired, "libnss-mdns is not installed"),
      arguments: ["bonjourishd", "avahi-daemon"])
    func `getent looks up names and addresses of other hosts`(_ daemon: String) async throws {
      let folder = try TemporaryFolder()
      try "hosts: files mdns\n".write(toFile: folder.path + "/nsswitch.conf", atomically: true, encoding: .utf8)
      try await withLab(hosts: 2, running: daemon) { lab in
        try await replace("/etc/nsswitch.conf", by: folder.path + "/nsswitch.conf", on: .h1, in: lab)
        for (arguments, words) in [
          (["ahostsv4", "h2.local"], ["10.77.0.2", "STREAM", "h2.local"]),
          (["hosts", "10.77.0.2"], ["10.77.0.2", "h2.local"]),
          (["ahostsv4", "h1.local"], ["10.77.0.1", "STREAM", "h1.local"]),
          (["hosts", "2001:db8:77::2"], ["2001:db8:77::2", "h2.local"]),
        ] {
          let getent = try lab.start(["getent"] + arguments, on: .h1)
          #expect(try await getent.exitCode() == 0, "\(arguments)")
          let first = getent.outputLines.first?.split(separator: " ").map(String.init)
          #expect(first == words, "\(arguments)")
        }
        let missing = try lab.start("getent", "ahostsv4", "h9.local", on: .h1)
        #expect(try await missing.exitCode() == 2)
      }
    }

    private func service(_ name: String, port: Int) -> String {
      """
      <?xml version="1.0" standalone='no'?>
      <!DOCTYPE service-group SYSTEM "avahi-service.dtd">
      <service-group>
        <name replace-wildcards="yes">\(name)</name>
        <service>
          <type>_http._tcp</type>
          <subtype>_pages._sub._http._tcp</subtype>
          <port>\(port)</port>
          <txt-record>path=/a b</txt-record>
        </service>
      </service-group>
      """
    }

    @Test func `service files and hosts are published while they are there`() async throws {
      let folder = try TemporaryFolder()
      let services = folder.path + "/services"
      try FileManager.default.createDirectory(atPath: services, withIntermediateDirectories: false)
      try await withLab(hosts: 2, running: "bonjourishd avahi-daemon") { lab in
        let browser = try lab.start("avahi-browse", "-rp", "_http._tcp", on: .h2)
        // The daemon has not followed this folder: SIGHUP tells it.
        try service("Pages of %h", port: 80).write(toFile: services + "/a.service", atomically: true, encoding: .utf8)
        try await replace("/etc/avahi", by: folder.path, on: .h1, in: lab)
        let reload = try lab.start(LAN.program("bonjourishd"), "--reload", on: .h1)
        #expect(try await reload.exitCode() == 0)
        try await browser.line { line in
          guard let service = AvahiBrowseLine(line), service.event == .resolved, service.family == "IPv4" else { return false }
          return service.name == "Pages of h1" && service.place[2] == "80" && service.txt == "\"path=/a b\""
        }
        let subtype = try lab.start("avahi-browse", "-p", "_pages._sub._http._tcp", on: .h2)
        try await subtype.line { $0.hasPrefix("+;eth0;IPv4;") }
        // From now on it follows: another file, a change, a broken file, a file that goes.
        try service("Two", port: 81).write(toFile: services + "/b.service", atomically: true, encoding: .utf8)
        try await browser.line { $0.hasPrefix("+;eth0;IPv4;Two;") }
        try service("Three", port: 82).write(toFile: services + "/b.service", atomically: true, encoding: .utf8)
        try await browser.line { $0.hasPrefix("-;eth0;IPv4;Two;") }
        try await browser.line { $0.hasPrefix("+;eth0;IPv4;Three;") }
        try "<service-group>".write(toFile: services + "/a.service", atomically: true, encoding: .utf8)
        try await browser.line { $0.hasPrefix("-;eth0;IPv4;Pages") }
        try FileManager.default.removeItem(atPath: services + "/b.service")
        try await browser.line { $0.hasPrefix("-;eth0;IPv4;Three;") }
        try "10.77.0.99 router.local\n".write(toFile: folder.path + "/hosts", atomically: true, encoding: .utf8)
        let resolver = try lab.start("sh", "-c", "until avahi-resolve -4 -n router.local | grep .; do :; done", on: .h2)
        try await resolver.line { $0 == "router.local\t10.77.0.99" }
      }
    }

    @Test func `it is checked, reloaded and ended by its own command`() async throws {
      try await withLab(hosts: 2, running: "bonjourishd avahi-daemon") { lab in
        let browser = try lab.start("avahi-browse", "-p", "_http._tcp", on: .h2)
        let publisher = try lab.start("avahi-publish", "-s", "Ada", "_http._tcp", "80", on: .h1)
        try await publisher.errorLine { $0 == "Established under name 'Ada'" }
        try await browser.line { $0.hasPrefix("+;eth0;IPv4;Ada;") }
        for (options, code) in [
          (["--check"], 0), (["-r"], 0), (["-c"], 0), (["--no-drop-root"], 69), (["-k"], 0), (["-c"], 1), (["-r"], 69),
        ] {
          let command = try lab.start([LAN.program("bonjourishd")] + options, on: .h1)
          #expect(try await command.exitCode() == Int32(code), "\(options)")
        }
        // It has said goodbye.
        try await browser.line { $0.hasPrefix("-;eth0;IPv4;Ada;") }
      }
    }

    @Test func `of daemons that are started in the same moment one serves, and keeps its files`() async throws {
      let script = """
        "$0" --kill
        for round in 1 2 3 4 5; do
          for one in 1 2 3 4; do { "$0" --no-drop-root 2>/dev/null; echo $?; } & done | head -n 3
          until "$0" --check; do :; done
          ls /run/avahi-daemon
          "$0" --kill || exit
        done
        """
      try await withLab(hosts: 1, running: "bonjourishd") { lab in
        let race = try lab.start("bash", "-c", script, LAN.program("bonjourishd"), on: .h1)
        #expect(try await race.exitCode() == 0)
        let round = ["69", "69", "69", "lock", "pid", "socket"]
        #expect(race.outputLines == Array(repeating: round, count: 5).flatMap(\.self))
      }
    }
  }
}
