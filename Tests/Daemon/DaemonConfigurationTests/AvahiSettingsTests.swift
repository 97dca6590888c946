import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDaemonConfiguration
import _BonjourishDiscovery

struct AvahiSettingsTests {
  private func read(_ text: String) throws(SettingsError) -> AvahiSettings {
    try AvahiSettings(Array(text.utf8), path: "a.conf")
  }

  private func error(_ text: String) -> String? {
    do throws(SettingsError) {
      _ = try read(text)
      return nil
    } catch {
      return error.description
    }
  }

  /// Debian's file without its comments.
  static let debian = """
    # A comment.
    % Another one.

    [server]
    use-ipv4=yes
    use-ipv6=yes
    ratelimit-interval-usec=1000000
    ratelimit-burst=1000

    [wide-area]
    enable-wide-area=yes

    [publish]
    publish-hinfo=no
    publish-workstation=no

    [reflector]

    [rlimits]
    """

  @Test func `Debian's file is read, and tells what is not obeyed`() throws {
    var settings = try read(Self.debian)
    let remarks = settings.remarks
    var expected = AvahiSettings()
    expected.enablesWideArea = true
    settings.remarks = []
    #expect(settings == expected)
    #expect(settings.interfaces == .all)
    #expect(remarks.map(\.isWarning) == [false, false, true])
    #expect(remarks[2].text.hasPrefix("a.conf:11: enable-wide-area=yes is not obeyed"))
  }

  @Test func `every key is obeyed`() throws {
    let settings = try read(
      """
      [server]
      host-name = ada.example
      browse-domains=0pointer.de,  zeroconf.org , ZEROCONF.org
      use-ipv4=0
      use-ipv6=True
      allow-interfaces=eth0, wlan*
      deny-interfaces=eth1
      enable-dbus=warn
      clients-max=5
      objects-per-client-max=0x10
      entries-per-entry-group-max=010
      [PUBLISH]
      disable-publishing=1
      Disable-User-Service-Publishing=Yes
      add-service-cookie=t
      publish-addresses=no
      publish-hinfo=yes
      publish-workstation=yes
      publish-domain=off
      [rlimits]
      rlimit-core=0
      rlimit-fsize=-1
      rlimit-nofile=768
      rlimit-nproc=40
      """)
    #expect(settings.hostName == .named("ada"))
    #expect(settings.browseDomains == ["0pointer.de", "zeroconf.org"])
    #expect(settings.families == [.ipv6])
    #expect(settings.interfaces == InterfaceSelection(included: ["eth0", "wlan*"], excluded: ["eth1"], families: [.ipv6]))
    #expect(settings.bus == .wanted)
    #expect(settings.maximumClients == 5)
    #expect(settings.maximumObjectsPerClient == 16)
    #expect(settings.maximumEntriesPerGroup == 8)
    #expect(settings.disablesPublishing && settings.disablesUserPublishing && settings.addsServiceCookie)
    #expect(!settings.publishesAddresses && !settings.publishesDomain)
    #expect(settings.publishesHostInformation && settings.publishesWorkstation)
    #expect(settings.resourceLimits == [.core: 0, .fileSize: .max, .openFiles: 768, .processes: 40])
    #expect(settings.remarks.isEmpty)
  }

  @Test(arguments: [
    ("[server]\nenable-dbus=no", AvahiSettings.Bus.unused), ("[server]\nenable-dbus=yes", .required), ("", .required),
  ])
  func `the bus is used as the file says`(text: String, bus: AvahiSettings.Bus) throws {
    #expect(try read(text).bus == bus)
  }

  @Test(arguments: [
    ("[server]\nhost-name=ada\nhost-name-from-machine-id=yes", AvahiSettings.HostName.named("ada")),
    ("[server]\nhost-name-from-machine-id=yes\nhost-name=ada", .ofMachineID),
    ("[server]\nhost-name-from-machine-id=no", .ofMachine),
  ])
  func `the first of two names counts`(text: String, name: AvahiSettings.HostName) throws {
    #expect(try read(text).hostName == name)
  }

  @Test func `the first of two lines for a key counts, and the other one is told`() throws {
    let settings = try read("[server]\nallow-interfaces=eth0\n\n[server]\nallow-interfaces=eth1\n")
    #expect(settings.allowedInterfaces == ["eth0"])
    #expect(settings.remarks.map(\.text) == ["a.conf:5: allow-interfaces=eth1 is given a second time, and line 2 counts"])
    // Even then it has to make sense.
    #expect(error("[server]\nuse-ipv4=no\nuse-ipv4=maybe") == "a.conf:3: use-ipv4 must be yes or no, not \"maybe\"")
  }

  /// Keys whose silent neglect would change a network, or weaken it.
  @Test(arguments: [
    "[reflector]\nenable-reflector=yes", "[server]\ndomain-name=example.org", "[server]\ncheck-response-ttl=yes",
    "[server]\ndisallow-other-stacks=yes",
  ])
  func `what must not be left undone is refused by name`(text: String) throws {
    let line = text.split(separator: "\n")[1]
    #expect(error(text)?.hasPrefix("a.conf:2: \(line) is refused: ") == true)
    // What asks for nothing is accepted.
    let harmless = line.hasPrefix("domain-name") ? "domain-name=.local" : line.replacing("yes", with: "no")
    let remarks = try? read(text.replacing(line, with: harmless == "domain-name=.local" ? "domain-name=local." : harmless))
      .remarks
    #expect(remarks == [])
  }

  @Test(arguments: [
    "[server]\nallow-point-to-point=yes", "[server]\ncache-entries-max=100", "[server]\nratelimit-burst=1",
    "[wide-area]\nenable-wide-area=yes", "[publish]\npublish-dns-servers=192.0.2.1, 2001:db8::1",
    "[publish]\npublish-resolv-conf-dns-servers=yes", "[publish]\npublish-aaaa-on-ipv4=no", "[rlimits]\nrlimit-nproc=3",
    "[rlimits]\nrlimit-data=4194304", "[rlimits]\nrlimit-nofile=30",
  ])
  func `what is not obeyed is named with its line`(text: String) throws {
    let settings = try read(text)
    #expect(settings.remarks.map(\.isWarning) == [true])
    #expect(settings.remarks[0].text.hasPrefix("a.conf:2: \(text.split(separator: "\n")[1]) is not "))
    #expect(settings.resourceLimits.isEmpty)
  }

  @Test(arguments: [
    "[server]\nuse-iff-running=yes", "[server]\ncache-entries-max=4096", "[server]\nratelimit-burst=1000",
    "[publish]\npublish-a-on-ipv6=yes",
  ])
  func `what is done anyway is no warning`(text: String) throws {
    #expect(try read(text).remarks.map(\.isWarning) == [false])
  }

  @Test(arguments: [
    "[server]\nuse-iff-running=no\nallow-point-to-point=no\n[publish]\npublish-aaaa-on-ipv4=yes\npublish-a-on-ipv6=no\n",
    "[publish]\npublish-dns-servers=\npublish-resolv-conf-dns-servers=no\n[wide-area]\nenable-wide-area=no",
    "[reflector]\nenable-reflector=no\nreflect-ipv=no\nreflect-filters=_airplay._tcp.local,_raop._tcp.local\n",
  ])
  func `what asks for nothing is accepted without a word`(text: String) throws {
    #expect(try read(text) == AvahiSettings())
  }

  @Test func `all that is said of keys is as it was`() throws {
    let limits = ResourceLimit.allCases.flatMap { limit in
      ["[rlimits] rlimit-\(limit.rawValue)=\(limit.minimum)"]
        + (limit.minimum > 0 ? ["[rlimits] rlimit-\(limit.rawValue)=\(limit.minimum - 1)"] : [])
    }
    let lines = [
      "[server] cache-entries-max=100", "[server] cache-entries-max=4096", "[server] cache-entries-max=0",
      "[server] ratelimit-interval-usec=1000000", "[server] ratelimit-interval-usec=5", "[server] ratelimit-burst=1000",
      "[server] ratelimit-burst=999", "[server] allow-point-to-point=yes", "[server] use-iff-running=yes",
      "[server] check-response-ttl=yes", "[server] disallow-other-stacks=yes", "[server] domain-name=example.org",
      "[server] domain-name=a..b", "[server] browse-domains=local, a..b", "[publish] publish-dns-servers=192.0.2.1",
      "[publish] publish-resolv-conf-dns-servers=yes", "[publish] publish-aaaa-on-ipv4=no", "[publish] publish-a-on-ipv6=yes",
      "[wide-area] enable-wide-area=yes", "[reflector] enable-reflector=yes", "[reflector] reflect-ipv=maybe",
      "[rlimits] rlimit-core=-2",
    ]
    var text = ""
    for line in lines + limits {
      do throws(SettingsError) {
        let settings = try read(line.replacing("] ", with: "]\n"))
        let remarks = settings.remarks.map { "\($0.isWarning ? "warning" : "note") \($0.text)" }
        text += "\(line): \(remarks.isEmpty ? "obeyed" : remarks.joined(separator: ", "))\n"
      } catch {
        text += "\(line): \(error)\n"
      }
    }
    try Transcript("avahi-daemon-conf").compare(text)
  }

  @Test(arguments: [
    ("y", true), ("Yes", true), ("1", true), ("10", true), ("t", true), ("True", true), ("n", false), ("No", false),
    ("0", false),
    ("f", false), ("off", false), ("OFF", false), ("", false),
  ])
  func `yes and no are read as avahi-daemon does`(text: String, isYes: Bool) throws {
    #expect(try read("[publish]\npublish-hinfo=\(text)").publishesHostInformation == isYes)
  }

  @Test(
    arguments: [
      ("7", 7), ("0x1F", 31), ("0X1f", 31), ("017", 15), ("00", nil), ("4294967295", 4_294_967_295),
      ("0xFFFFFFFF", 4_294_967_295),
    ] as [(String, Int?)])
  func `numbers are decimal, hexadecimal or octal`(text: String, number: Int?) throws {
    #expect(try read("[server]\nclients-max=\(text)").maximumClients == number)
  }

  @Test(arguments: ["", "+7", "0x", "0x+7", "08", "7 7", "-1", "0x100000000", "1.5"])
  func `what is no number is refused`(text: String) {
    #expect(error("[server]\nclients-max=\(text)")?.hasPrefix("a.conf:2: clients-max must be ") == true)
  }

  @Test func `blanks, empty parts and line endings do not count`() throws {
    let text = " \t[SERVER]x\r\n\tallow-interfaces \t= ,eth0,, eth 1\t, \r\ndeny-interfaces==a=b\n%x\n #y\n \t\r\n"
    let settings = try read(text)
    #expect(settings.allowedInterfaces == ["eth0", "eth 1"] && settings.deniedInterfaces == ["=a=b"])
  }

  @Test(arguments: [
    ("[server]\n\nhost-nam=x", "a.conf:3: there is no key \"host-nam\" in the group [server]"),
    ("[publish]\nuse-ipv4=no", "a.conf:2: there is no key \"use-ipv4\" in the group [publish]"),
    ("[rlimits]\nnofile=300", "a.conf:2: there is no key \"nofile\" in the group [rlimits]"),
    ("[rlimits]\nrlimit-all=300", "a.conf:2: there is no key \"rlimit-all\" in the group [rlimits]"),
    ("[wide-area]\nx=1", "a.conf:2: there is no key \"x\" in the group [wide-area]"),
    ("[reflector]\nx=1", "a.conf:2: there is no key \"x\" in the group [reflector]"),
    (
      "[avahi]\nx=1",
      "a.conf:2: there is no group [avahi]; the groups are server, wide-area, publish, reflector and rlimits"
    ),
    ("use-ipv4=yes", "a.conf:1: \"use-ipv4=yes\" stands before the first group; write [server] in front of it"),
    ("[server\n", "a.conf:1: the group's name has no closing bracket; write [server]"),
    ("[server]\nuse-ipv4", "a.conf:2: \"use-ipv4\" is no assignment; write key=value"),
    ("[server]\nuse-ipv4=on", "a.conf:2: use-ipv4 must be yes or no, not \"on\""),
    ("[server]\nclients-max=many", "a.conf:2: clients-max must be a whole number of at least 0, not \"many\""),
    ("[server]\nclients-max=-1", "a.conf:2: clients-max must be a whole number of at least 0, not \"-1\""),
    ("[server]\nclients-max=4294967296", "a.conf:2: clients-max must be at most 4294967295, not \"4294967296\""),
    ("[server]\nhost-name=.local", "a.conf:2: host-name must have 1 to 63 bytes before its first dot, not \".local\""),
    ("[publish]\npublish-dns-servers=10.0.0", "a.conf:2: \"10.0.0\" in publish-dns-servers is no IP address"),
    ("[server]\nhost-name=\u{1B}[31m\n\nx", "a.conf:4: \"x\" is no assignment; write key=value"),
  ])
  func `a file with an error is refused with its line`(text: String, reason: String) {
    #expect(error(text) == reason)
  }

  @Test func `lines are bounded, and text`() {
    let longest = "[server]\n#" + String(repeating: "x", count: 1_021)
    #expect(error(longest) == nil)
    #expect(error(longest + "x") == "a.conf:2: the line has more than 1022 bytes; make it shorter")
    #expect(throws: SettingsError.self) { try AvahiSettings([0x23, 0xFF], path: "a.conf") }
    #expect(error("[server]\nhost-name=a\0b") == "a.conf:2: the line is not text in UTF-8")
  }

  @Test func `no limit of the daemon is 0`() throws {
    #expect(try read("[server]\nclients-max=0\nobjects-per-client-max=0x0\n") == AvahiSettings())
  }

  @Test func `random bytes never stop the reader`() {
    var random = SeededGenerator(seed: 7)
    let words = [
      "[server]", "[rlimits]", "host-name", "=", "yes", "\n", "\0", "é", "#", "]", "rlimit-as", "99999999999999999999",
    ]
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 0..<20, using: &random)).map { _ in words.randomElement(using: &random)! }.joined()
      if let error = error(text) { #expect(error.hasPrefix("a.conf:")) }
    }
  }
}
