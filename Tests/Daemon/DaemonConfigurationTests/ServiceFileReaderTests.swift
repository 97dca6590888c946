import Testing
import _BonjourishDaemonConfiguration
import _BonjourishDiscovery

struct ServiceFileReaderTests {
  /// A step of a document: `<tag attribute=value>`, `</>` or text.
  private func read(_ steps: [String]) throws(ServiceFileReader.Problem) -> ServiceFile {
    var reader = ServiceFileReader()
    for step in steps {
      if step == "</>" {
        try reader.end()
      } else if step.hasPrefix("<") {
        let words = step.dropFirst().dropLast().split(separator: " ")
        let attributes = words.dropFirst().map { word in
          let parts = word.split(separator: "=", omittingEmptySubsequences: false)
          return (String(parts[0]), String(parts[1]))
        }
        try reader.begin(String(words[0]), attributes)
      } else {
        try reader.add(Array(step.utf8))
      }
    }
    return try reader.finish()
  }

  private func problem(_ steps: [String]) -> String? {
    do throws(ServiceFileReader.Problem) {
      _ = try read(steps)
      return nil
    } catch {
      return error.reason
    }
  }

  private static let name = ["<name>", "Web", "</>"]
  private static let type = ["<type>", "_http._tcp", "</>"]

  private func group(_ steps: [String]) -> [String] { ["<service-group>"] + steps + ["</>"] }

  private func service(_ steps: [String]) -> [String] {
    group(Self.name + ["<service>"] + Self.type + steps + ["</>"])
  }

  @Test func `a document becomes a group of services`() throws {
    let file = try read(
      group(
        [
          "\n  ", "<name replace-wildcards=yes>", "Prin", "ter on %h", "</>", "<service protocol=ipv6>", "<type>",
          " _ipp._tcp\n", "</>",
        ]
          + ["<subtype>", "_universal._sub._ipp._tcp", "</>", "<domain-name>", "local", "</>", "<host-name>", "p.local", "</>"]
          + [
            "<port>", " 631 ", "</>", "<txt-record>", "rp=", "a b", "</>", "<txt-record>", "</>", "</>",
            "<service protocol=any>",
          ]
          + Self.type + ["</>", "<service protocol=ipv4>"] + Self.type + ["</>"]))
    var ipp = ServiceFile.Service()
    ipp.type = "_ipp._tcp"
    ipp.subtypes = ["_universal._sub._ipp._tcp"]
    ipp.domain = "local"
    ipp.host = "p.local"
    ipp.port = 631
    ipp.txt = [Array("rp=a b".utf8), []]
    ipp.families = [.ipv6]
    #expect(file.name == "Printer on %h" && file.replacesWildcards)
    #expect(file.services.count == 3)
    #expect(file.services[0] == ipp)
    #expect(file.services.map(\.families) == [[.ipv6], [], [.ipv4]])
    #expect(file.services[1].port == 0 && file.services[1].domain == nil)
  }

  @Test func `wildcards stay as they are unless yes is said`() throws {
    for attribute in ["", " replace-wildcards=no", " replace-wildcards=Yes"] {
      let steps = group(["<name\(attribute)>", "%h", "</>", "<service>"] + Self.type + ["</>"])
      #expect(try !read(steps).replacesWildcards)
    }
  }

  @Test(arguments: [
    ("<txt-record value-format=text>", "key=dmFsdWU=", "key=dmFsdWU="),
    ("<txt-record value-format=binary-hex>", "key=76616C7565", "key=value"),
    ("<txt-record value-format=binary-hex>", "key=", "key="),
    ("<txt-record value-format=binary-hex>", "key", "key"),
    ("<txt-record value-format=binary-base64>", "key=dmFsdWU=", "key=value"),
    ("<txt-record value-format=binary-base64>", "key=dmFsdQ==", "key=valu"),
    ("<txt-record value-format=binary-base64>", "key=dmFs", "key=val"),
    ("<txt-record value-format=binary-base64>", "key=", "key="),
  ])
  func `values of TXT strings are decoded`(element: String, text: String, string: String) throws {
    #expect(try read(service([element, text, "</>"])).services[0].txt == [Array(string.utf8)])
  }

  @Test func `all bytes can be written in base64 and in hexadecimal`() throws {
    let hexadecimal = (0...255).prefix(200).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let txt = try read(service(["<txt-record value-format=binary-hex>", "k=" + hexadecimal, "</>"])).services[0].txt
    #expect(txt == [Array("k=".utf8) + Array(0...199)])
    let base64 = try read(service(["<txt-record value-format=binary-base64>", "k=+/9/AIA=", "</>"])).services[0].txt
    #expect(base64 == [Array("k=".utf8) + [0xFB, 0xFF, 0x7F, 0x00, 0x80]])
  }

  @Test(arguments: [
    ("<txt-record value-format=hex>", "k=00", "value-format must be text, binary-hex or binary-base64, not \"hex\""),
    ("<txt-record value-format=binary-hex>", "k=0", "a value with value-format=\"binary-hex\" is pairs of hexadecimal digits"),
    ("<txt-record value-format=binary-hex>", "k=0x", "a value with value-format=\"binary-hex\" is pairs of hexadecimal digits"),
    ("<txt-record>", String(repeating: "x", count: 256), "a TXT string has 256 bytes, and may have 255"),
    ("<txt-record>", String(repeating: "x", count: 2_049), "<txt-record> has more than 2048 bytes"),
    ("<port>", "65536", "a port is a number from 0 to 65535, not \"65536\""),
    ("<port>", "+80", "a port is a number from 0 to 65535, not \"+80\""),
    ("<port>", "", "a port is a number from 0 to 65535, not \"\""),
    ("<priority>", "1", "<priority> does not belong into <service>"),
    ("<name>", "x", "<name> does not belong into <service>"),
    ("<port kind=tcp>", "1", "<port> has no attribute kind"),
    ("<type>", "_x._tcp", "<type> is there twice"),
  ])
  func `an element that makes no sense is an error`(element: String, text: String, reason: String) {
    #expect(problem(service([element, text, "</>"])) == reason)
  }

  @Test(arguments: ["k=A", "k=AAA", "k=A===", "k=AA=A", "k=AA-_", "k=====", "k=AAA=AAAA"])
  func `base64 that makes no sense is an error`(text: String) {
    let reason = problem(service(["<txt-record value-format=binary-base64>", text, "</>"]))
    #expect(reason?.hasPrefix("a value with value-format=\"binary-base64\" is groups of four") == true, "\(text)")
  }

  @Test func `a group is complete`() {
    #expect(problem([]) == "there is no service group")
    #expect(problem(group(Self.name)) == "the service group has no service")
    #expect(problem(group(["<service>"] + Self.type + ["</>"])) == "the service group has no name")
    #expect(problem(group(Self.name + ["<service>", "</>"])) == "a service has no type")
    #expect(problem(group(Self.name + Self.name)) == "<name> is there twice")
    #expect(problem(group(Self.name + ["<service protocol=ipv5>"])) == "protocol must be ipv4, ipv6 or any, not \"ipv5\"")
    #expect(problem(["<service>"]) == "<service> does not belong here")
    #expect(problem(service([]) + ["<service-group>"]) == "<service-group> does not belong here")
    #expect(problem(group(["x"])) == "there is text in <service-group> outside of an element")
    #expect(problem(["</>"]) == "an element ends that has not begun")
  }

  @Test func `each service may have what another one has`() throws {
    let one = ["<service>"] + Self.type + ["<port>", "1", "</>", "</>"]
    #expect(try read(group(Self.name + one + one)).services.map(\.port) == [1, 1])
  }

  @Test func `services, subtypes and strings are bounded`() {
    let one = ["<service>"] + Self.type + ["</>"]
    let many = [[String]](repeating: one, count: 1_000).flatMap { $0 }
    #expect(problem(group(Self.name + many)) == nil)
    #expect(problem(group(Self.name + many + one)) == "there are more than 1000 services")
    let subtypes = [[String]](repeating: ["<subtype>", "_x", "</>"], count: 1_001).flatMap { $0 }
    #expect(problem(service(subtypes)) == "a service has more than 1000 subtypes")
    let strings = [[String]](repeating: ["<txt-record>", "x", "</>"], count: 1_001).flatMap { $0 }
    #expect(problem(service(strings)) == "a service has more than 1000 TXT strings")
  }
}
