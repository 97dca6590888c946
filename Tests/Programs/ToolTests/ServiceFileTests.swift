import Bonjourish
import Foundation
import Testing

@testable import bonjourish_cli

/// The file of `publish --file`.
struct ServiceFileTests {
  private func plan(_ text: String) throws(ServiceFileError) -> PublishPlan { try ServiceFile.plan(of: Array(text.utf8)) }

  @Test func `a file has services, hosts and records`() throws {
    let plan = try plan(
      #"""
      {"services": [
         {"name": "Ada's pages", "type": "http", "port": 8080, "subtypes": ["_printer", "_x"],
          "txt": ["b=2", "a", {"base64": "Yz3/AA=="}, "a=again", ""], "rename": false},
         {"name": "Label", "type": "_ipp._tcp", "port": 631, "host": "LABELS.local"},
         {"name": "Far", "type": "_ipp._tcp", "port": 631, "host": "far.local", "rename": true}],
       "hosts": [{"name": "labels.local", "addresses": ["10.77.0.9", "fd00::9"]}, {"name": "wiki.local", "addresses": ["10.0.0.1"]}],
       "records": [{"name": "docs.local", "alias": "wiki.local"}, {"name": "x.local", "type": "hinfo", "base64": "AUEBQg==", "unique": true}]}
      """#)
    #expect(plan.services.map(\.name) == ["Ada's pages", "Label", "Far"])
    let pages = plan.services[0]
    #expect(pages.type == "_http._tcp" && pages.port == 8080 && pages.subtypes == ["_printer", "_x"])
    #expect(pages.txt.strings == [Array("b=2".utf8), Array("a".utf8), [0x63, 0x3D, 0xFF, 0], Array("a=again".utf8), []])
    #expect(plan.services.map(\.conflictPolicy) == [.fail, .rename, .rename])
    let addresses = [try #require(IPAddress("10.77.0.9")), try #require(IPAddress("fd00::9"))]
    #expect(plan.services.map(\.host) == [nil, .init("labels.local", addresses: addresses), .init("far.local")])
    let wiki = try #require(IPAddress("10.0.0.1"))
    #expect(plan.hosts == [.init("wiki.local", addresses: [wiki])])
    let system = try CustomRecord("x.local", type: .hinfo, data: [1, 65, 1, 66], isUnique: true)
    #expect(plan.records == [.alias("docs.local", for: "wiki.local"), system])
  }

  @Test(arguments: [
    ("", "x: the file is not valid JSON"), ("{", "x: the file is not valid JSON"),
    ("[]", "x: the file must be an object, not an array"),
    ("{}", "x: the file has nothing to publish; give services, hosts or records"),
    (#"{"services": []}"#, "x: the file has nothing to publish"),
    (#"{"service": []}"#, #"x: the file has the unknown key "service"; the keys are services, hosts, records"#),
    (#"{"services": {}}"#, "x: services must be an array, not an object"),
    (#"{"services": [1]}"#, "x: services[0] must be an object, not 1"),
    (#"{"services": [{"type": "http", "port": 1}]}"#, #"x: services[0] lacks "name"; give it"#),
    (
      #"{"services": [{"name": "A", "type": "http", "port": "1"}]}"#,
      #"x: services[0].port must be a whole number from 1 to 65535, not "1""#
    ),
    (#"{"services": [{"name": "A", "type": "http", "port": 65536}]}"#, "x: services[0].port must be a whole number"),
    (
      #"{"services": [{"name": "A", "type": "http", "port": 1.5}]}"#,
      "x: services[0].port must be a whole number from 1 to 65535, not 1.5"
    ),
    (#"{"services": [{"name": "", "type": "http", "port": 1}]}"#, "x: services[0].name is wrong: "),
    (#"{"services": [{"name": "A", "type": "ht tp", "port": 1}]}"#, "x: services[0].type is wrong: "),
    // It can be looked for, but not published.
    (#"{"services": [{"name": "A", "type": "_0._tcp", "port": 1}]}"#, "x: services[0].type is wrong: "),
    (
      #"{"services": [{"name": "A", "type": "http", "port": 1, "txt": {"a": "b"}}]}"#,
      "x: services[0].txt must be an array, not an object"
    ),
    (#"{"services": [{"name": "A", "type": "http", "port": 1, "txt": ["a", 2]}]}"#, "x: services[0].txt[1] must be a text or"),
    (
      #"{"services": [{"name": "A", "type": "http", "port": 1, "txt": [{"base64": "!"}]}]}"#,
      "x: services[0].txt[0].base64 must be base64"
    ),
    (#"{"services": [{"name": "A", "type": "http", "port": 1, "subtypes": [""]}]}"#, "x: services[0].subtypes[0] is wrong: "),
    (
      #"{"services": [{"name": "A", "type": "http", "port": 1, "rename": "no"}]}"#,
      #"x: services[0].rename must be true or false, not "no""#
    ),
    (
      #"{"services": [{"name": "A", "type": "http", "port": 1, "prot": 2}]}"#,
      #"x: services[0] has the unknown key "prot"; the keys are name"#
    ),
    (
      #"{"services": [{"name": "A", "type": "http", "port": 1}, {"name": "a", "type": "_HTTP._tcp", "port": 2}]}"#,
      "x: services[1] has the name and type of another service in the file"
    ),
    (#"{"hosts": [{"name": "a.local", "addresses": []}]}"#, "x: hosts[0].addresses is empty; give at least one address"),
    (
      #"{"hosts": [{"name": "a.local", "addresses": ["ten"]}]}"#,
      #"x: hosts[0].addresses[0] must be an IPv4 or IPv6 address, not "ten""#
    ),
    (
      #"{"hosts": [{"name": "a.local", "addresses": ["10.0.0.1"]}, {"name": "A.local", "addresses": ["10.0.0.2"]}]}"#,
      "x: hosts[1] has the name A.local once more"
    ),
    (#"{"records": [{"name": "a.local", "type": "NONE", "base64": ""}]}"#, "x: records[0].type is wrong: "),
    (#"{"records": [{"name": "a.local", "type": "NSEC", "base64": ""}]}"#, "x: records[0] is wrong: "),
    (
      #"{"records": [{"name": "a.local", "alias": "b.local", "type": "A"}]}"#,
      #"x: records[0] has both "alias" and "type"; give one"#
    ),
  ])
  func `a wrong file is refused with the place and what to do`(text: String, message: String) {
    let error = #expect(throws: ServiceFileError.self) { try plan(text) }
    #expect(error?.message(about: "x").hasPrefix(message) == true, "\(error?.message(about: "x") ?? "")")
  }

  @Test func `a file that is too long is refused`() {
    let error = #expect(throws: ServiceFileError.self) {
      try ServiceFile.plan(of: [UInt8](repeating: 0x20, count: ServiceFile.maximumByteCount + 1))
    }
    #expect(error?.reason.hasPrefix("has more than 4194304 bytes") == true)
  }

  @Test func `the example is valid`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Examples/ServiceFile")
      .standardized
    let plan = try ServiceFile.plan(of: Array(try Data(contentsOf: folder.appending(path: "services.json"))))
    #expect(plan.services.count >= 2 && plan.hosts.count == 1 && plan.records.count == 1)
  }

  @Test func `lines of a file of strings are kept byte for byte`() {
    func lines(_ bytes: [UInt8]) -> [[UInt8]] { PublishPlan.lines(of: bytes).map { Array($0) } }
    #expect(lines([]) == [])
    #expect(lines(Array("a=1\n b \\n\r\n\nc".utf8)) == ["a=1", " b \\n\r", "", "c"].map { Array($0.utf8) })
    #expect(lines([0xFF, 0x00, 0x0A]) == [[0xFF, 0x00]])
  }
}
