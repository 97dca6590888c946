import CBonjourishLinux
import Foundation
import Testing

extension PublishingOnALAN {
  /// Servers of Debian that publish themselves by the daemon of h1, and are found, resolved and missed by the other daemon's clients on h2.
  struct ServersTests {
    static let daemons = ["bonjourishd", "avahi-daemon"]

    /// A service that a server is expected to publish.
    private struct Expected {
      let type: String
      /// A part of its name: some have random numbers.
      let name: String
      let port: String
      /// A string of its TXT record; nil if it has none to speak of.
      var txt: String?
    }

    /// Starts a server on h1, waits until h2 has resolved what it publishes over both families, ends it, and waits until h2 misses it.
    private func check(
      with daemon: String, _ command: (Lab) throws -> [String], _ services: [Expected], ends signal: Int32 = SIGTERM
    ) async throws {
      try await withLab(hosts: 2, running: "\(daemon) avahi-daemon") { lab in
        let browsers = try services.map { try lab.start("avahi-browse", "-rp", $0.type, on: .h2) }
        let server = try lab.start(try command(lab), on: .h1)
        for (expected, browser) in zip(services, browsers) {
          for family in ["IPv4", "IPv6"] {
            let line = try await browser.line { line in
              AvahiBrowseLine(line).map { $0.event == .resolved && $0.family == family && $0.name.contains(expected.name) }
                ?? false
            }
            let service = try #require(AvahiBrowseLine(line))
            #expect([service.place[0], service.place[2]] == ["h1.local", expected.port])
            if let txt = expected.txt { #expect(service.txt.contains("\"\(txt)\""), "\(service.txt)") }
          }
        }
        try server.signal(signal)
        for (expected, browser) in zip(services, browsers) {
          for family in ["IPv4", "IPv6"] {
            try await browser.line { line in
              AvahiBrowseLine(line).map { $0.event == .vanished && $0.family == family && $0.name.contains(expected.name) }
                ?? false
            }
          }
        }
      }
    }

    /// A file of the test in the lab's folder.
    private func file(_ name: String, _ content: String, in lab: Lab) throws -> String {
      let path = "\(lab.folder)/\(name)"
      try content.write(toFile: path, atomically: true, encoding: .utf8)
      return path
    }

    @Test(.needs("shairport-sync", of: "shairport-sync"), arguments: daemons)
    func `shairport-sync is a speaker`(_ daemon: String) async throws {
      try await check(
        with: daemon, { _ in ["shairport-sync", "-u", "-a", "Ada's room", "-o", "dummy", "-m", "avahi", "-p", "5001"] },
        [Expected(type: "_raop._tcp", name: "@Ada's room", port: "5001", txt: "txtvers=1")])
    }

    @Test(.needs("snapserver", of: "snapserver"), arguments: daemons)
    func `snapserver publishes each of its ports`(_ daemon: String) async throws {
      try await check(
        with: daemon,
        { lab in
          let fifo = "\(lab.folder)/fifo"
          #expect(mkfifo(fifo, 0o600) == 0)
          return [
            "snapserver", "--config=/dev/null", "--server.datadir=\(lab.folder)", "--stream.source=pipe://\(fifo)?name=default",
            "--logging.sink=stdout",
          ]
        },
        [
          Expected(type: "_snapcast._tcp", name: "Snapcast", port: "1704"),
          Expected(type: "_snapcast-http._tcp", name: "Snapcast", port: "1780"),
        ])
    }

    @Test(.needs("mpd", ofLarge: "mpd"), arguments: daemons) func `mpd plays music`(_ daemon: String) async throws {
      try await check(
        with: daemon,
        { lab in
          let configuration = try file(
            "mpd.conf",
            """
            state_file "\(lab.folder)/state"
            bind_to_address "any"
            zeroconf_enabled "yes"
            zeroconf_name "Music @ %h"
            audio_output {
              type "null"
              name "none"
            }
            """, in: lab)
          return ["mpd", "--no-daemon", "--stderr", configuration]
        }, [Expected(type: "_mpd._tcp", name: "Music @ h1", port: "6600")])
    }

    /// It is a client of Apple's interface over Avahi's library.
    @Test(.needs("murmurd", ofLarge: "mumble-server"), arguments: daemons)
    func `mumble-server has rooms to talk in`(_ daemon: String) async throws {
      try await check(
        with: daemon,
        { lab in
          let settings = "database=\(lab.folder)/rooms.sqlite\nlogfile=\nbonjour=True\nregisterName=Rooms of Ada\nuname=root\n"
          return ["murmurd", "-fg", "-ini", try file("rooms.ini", settings, in: lab)]
        }, [Expected(type: "_mumble._tcp", name: "Rooms of Ada", port: "64738")])
    }

    /// It changes its groups when it starts, which nobody may in a LAN that is a namespace of users. The library lets it believe that it did.
    private static let wrapper = "/usr/lib/x86_64-linux-gnu/libuid_wrapper.so"

    @Test(.needs("smbd", ofLarge: "samba"), .needs(wrapper, ofLarge: "libuid-wrapper"), arguments: daemons)
    func `smbd shares files, and says what the host looks like`(_ daemon: String) async throws {
      try await check(
        with: daemon,
        { lab in
          let folders = ["private dir", "lock directory", "state directory", "cache directory", "pid directory", "ncalrpc dir"]
          let settings = """
            [global]
            server role = standalone server
            disable netbios = yes
            load printers = no
            smb ports = 445
            log file = \(lab.folder)/log
            \(folders.map { "\($0) = \(lab.folder)" }.joined(separator: "\n"))
            [files]
            path = \(lab.folder)
            """
          return [
            "env", "LD_PRELOAD=\(Self.wrapper)", "UID_WRAPPER=1", "UID_WRAPPER_ROOT=1", "smbd", "--foreground",
            "--no-process-group", "--debug-stdout", "-s", try file("smb.conf", settings, in: lab),
          ]
        },
        [
          Expected(type: "_smb._tcp", name: "H1", port: "445"),
          Expected(type: "_device-info._tcp", name: "H1", port: "0", txt: "model=MacSamba"),
        ])
    }
  }
}
