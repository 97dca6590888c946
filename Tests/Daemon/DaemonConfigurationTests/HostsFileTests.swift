import Testing
import _BonjourishDaemonConfiguration

struct HostsFileTests {
  private func read(_ text: String) throws(SettingsError) -> [HostsFile.Host] {
    try HostsFile.read(Array(text.utf8), path: "hosts")
  }

  @Test func `each line has an address and a name`() throws {
    let hosts = try read(
      "# Examples:\n\n192.168.0.1 router.local\r\n \t2001::81:1\ttest.local # ours\n192.168.0.1 router.local")
    #expect(hosts.map { "\($0.address) \($0.name)" } == ["192.168.0.1 router.local", "2001::81:1 test.local"])
  }

  @Test(arguments: [
    ("\n192.168.0.1", "hosts:2: write an address and one name, such as 192.0.2.1 router.local"),
    ("192.168.0.1 a.local b.local", "hosts:1: write an address and one name, such as 192.0.2.1 router.local"),
    ("router.local 192.168.0.1", "hosts:1: \"router.local\" is no IP address"),
    ("fe80::1%eth0 a.local", "hosts:1: \"fe80::1%eth0\" is no IP address"),
  ])
  func `anything else is an error with its line`(text: String, reason: String) {
    let error = #expect(throws: SettingsError.self) { try read(text) }
    #expect(error?.description == reason)
  }

  @Test func `a name follows the rules of names`() {
    let error = #expect(throws: SettingsError.self) { try read("192.168.0.1 a..local") }
    #expect(error?.line == 1)
    #expect(error?.reason.hasPrefix("\"a..local\" is no host name: ") == true)
  }

  @Test func `there are as many hosts as are useful`() throws {
    let lines = (0..<10_000).map { "10.\($0 >> 16).\($0 >> 8 & 255).\($0 & 255) host-\($0).local" }
    #expect(try read(lines.joined(separator: "\n")).count == 10_000)
    #expect(throws: SettingsError.self) { try read((lines + ["10.9.9.9 x.local"]).joined(separator: "\n")) }
  }
}
