#if Daemon
import Foundation
import TestSupport
import Testing
import _BonjourishDaemonConfiguration
import _BonjourishDaemonService
import _BonjourishDiscovery

struct ServiceFolderTests {
  private let folder: TemporaryFolder
  private let services: ServiceFolder

  init() throws {
    folder = try TemporaryFolder()
    services = ServiceFolder(path: folder.path)
    try FileManager.default.createDirectory(atPath: services.services, withIntermediateDirectories: false)
  }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
  }

  /// As Debian's ssh.service says it.
  static let ssh = """
    <?xml version="1.0" standalone='no'?><!--*-nxml-*-->
    <!DOCTYPE service-group SYSTEM "avahi-service.dtd">
    <service-group>
      <name replace-wildcards="yes">%h &amp; Co. &#x41;<![CDATA[<x>]]></name>
      <service>
        <type>_ssh._tcp</type>
        <port>22</port>
        <txt-record>u=ada</txt-record>
      </service>
    </service-group>
    """

  @Test func `service files and hosts are read`() throws {
    try write(Self.ssh, to: "services/ssh.service")
    try write("not read", to: "services/ssh.service.dpkg-new")
    try write("not read", to: "services/.ssh.service")
    try write("10.77.0.9 printer.local\n", to: "hosts")
    let content = services.read()
    #expect(content.errors.isEmpty)
    #expect(Array(content.services.keys) == [services.services + "/ssh.service"])
    let file = try #require(content.services.values.first)
    #expect(file.name == "%h & Co. A<x>" && file.replacesWildcards)
    #expect(file.services.map(\.port) == [22])
    #expect(file.services[0].txt == [Array("u=ada".utf8)])
    #expect(content.hosts?.map(\.name) == ["printer.local"])
  }

  @Test func `nothing there is nothing to publish`() throws {
    #expect(ServiceFolder(path: folder.path + "/none").read() == ServiceFolder.Content())
  }

  @Test func `a file that cannot be used does not affect the others`() throws {
    try write(Self.ssh, to: "services/b.service")
    try write("<service-group>\n\n<service>", to: "services/a.service")
    try write(Self.ssh.replacing("<port>", with: "\n<prt>"), to: "services/c.service")
    try write("", to: "services/d.service")
    try FileManager.default.createDirectory(atPath: services.services + "/e.service", withIntermediateDirectories: false)
    #expect(mkfifo(services.services + "/f.service", 0o600) == 0)
    try write("nonsense", to: "hosts")
    let content = services.read()
    #expect(content.services.count == 1)
    #expect(content.hosts == nil)
    let errors = content.errors.map { $0.description.replacing(folder.path, with: "") }
    #expect(errors.count == 6)
    #expect(errors[0].hasPrefix("/hosts:1: write an address"))
    #expect(errors[1] == "/services/a.service:3: no XML: no element found")
    #expect(errors[2] == "/services/c.service:8: <prt> does not belong into <service>")
    #expect(errors[3] == "/services/d.service:1: no XML: no element found")
    #expect(errors[4] == "/services/e.service: it is no regular file")
    #expect(errors[5] == "/services/f.service: it is no regular file")
  }

  @Test func `of too many service files the first are read, and that is told`() throws {
    for number in 0...ServiceFolder.maximumCount {
      let name = String(10_000 + number) + ".service"
      try write(number == 0 || number >= 4_095 ? Self.ssh : "", to: "services/\(name)")
    }
    let content = services.read()
    #expect(content.services.keys.map { $0.suffix(13) }.sorted() == ["10000.service", "14095.service"])
    #expect(content.errors.first?.reason == "it has 4097 service files; the first 4096 are used")
    #expect(content.errors.first?.path == services.services && !content.isIncomplete)
  }

  @Test func `a folder that is none is told`() throws {
    try FileManager.default.removeItem(atPath: services.services)
    try write("", to: "services")
    let content = services.read()
    #expect(content.errors.count == 1 && content.errors[0].reason.hasPrefix("it cannot be listed ("))
    #expect(content.hosts == [] && content.services.isEmpty && !content.isIncomplete)
  }

  /// Entities that grow to gigabytes, or that name a file of the machine.
  @Test(arguments: [
    "<!DOCTYPE service-group [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>",
    "<!DOCTYPE service-group [<!ENTITY a SYSTEM \"/etc/passwd\">]>",
    "<!DOCTYPE service-group [<!ENTITY % a SYSTEM \"/etc/passwd\"> %a;]>",
  ])
  func `entities are refused`(type: String) throws {
    try write(
      "<?xml version=\"1.0\"?>\(type)\n" + Self.ssh.split(separator: "\n").dropFirst(2).joined(), to: "services/a.service")
    let content = services.read()
    #expect(content.services.isEmpty)
    #expect(content.errors.map(\.reason) == ["a service file declares no entities"])
  }

  @Test func `an entity of a document type that is not loaded has no text`() throws {
    try write(Self.ssh.replacing("&amp;", with: "&other;"), to: "services/a.service")
    #expect(services.read().services.values.first?.name == "%h  Co. A<x>")
  }

  @Test func `files are bounded`() throws {
    let filler = "<!--" + String(repeating: "x", count: 1 << 20) + "-->"
    try write(Self.ssh + filler, to: "services/a.service")
    #expect(services.read().errors.map(\.reason) == ["it has more than 1048576 bytes"])
  }

  @Test func `a file that is too long is not parsed, and a group that is not complete is told with its line`() {
    func error(_ text: String) -> SettingsError? {
      #expect(throws: SettingsError.self) { try ServiceFile(Array(text.utf8), path: "a") }
    }
    let incomplete = error("<service-group><name>x</name></service-group>")
    #expect(incomplete?.description == "a:1: the service group has no service")
    let (longest, longer) = (error(String(repeating: " ", count: 1_048_576)), error(String(repeating: " ", count: 1_048_577)))
    #expect(longest?.reason == "no XML: no element found" && longest?.line == 1)
    #expect(longer?.reason == "it has more than 1048576 bytes" && longer?.line == nil)
  }

  @Test func `other encodings are understood`() throws {
    let text = Self.ssh.replacing("version=\"1.0\"", with: "version=\"1.0\" encoding=\"ISO-8859-1\"").replacing(
      "%h", with: "Caf\u{E9}")
    let data = try #require(text.data(using: .isoLatin1))
    try data.write(to: URL(fileURLWithPath: services.services + "/a.service"))
    #expect(services.read().services.values.first?.name == "Caf\u{E9} & Co. A<x>")
  }
}
#endif
