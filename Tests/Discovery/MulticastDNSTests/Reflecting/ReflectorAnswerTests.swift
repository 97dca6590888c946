import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Known answers, and answers for one host alone.
@Suite struct ReflectorAnswerTests {
  private let type: DNSName = "_ipp._tcp.local"
  private let printer = ReflectedService("Label", "_ipp._tcp.local", on: "printer.local")

  private func links() -> ReflectedLinks {
    let links = ReflectedLinks()
    links.add(.among(1, 2, filter: ReflectionFilter("_ipp._tcp.local")))
    return links
  }

  // MARK: - Known answers

  @Test func `known answers cross that tell hosts of the other link something`() {
    let links = links()
    let local = ReflectedService("Near", "_ipp._tcp.local", on: "near.local")
    let unknown = ReflectedService("Never heard of", "_ipp._tcp.local", on: "x.local")
    links.say(printer.records, on: 1)
    links.say(local.records, on: 2)
    links.clear()
    links.ask([DNSQuestion(type, .ptr)], knowing: [local.pointer, printer.pointer, unknown.pointer], on: 2)
    #expect(links.crossed(to: 1).map(\.answers) == [[printer.pointer]])
    #expect(links.crossed(to: 1).map(\.isTruncated) == [false])
  }

  // RFC 6762 §7.2
  @Test func `known answers in several datagrams are asked with as one`() {
    let links = links()
    let services = (0..<120).map { ReflectedService("Printer number \($0)", "_ipp._tcp.local", on: "printer.local") }
    links.say(services.map(\.pointer), on: 1)
    links.clear()
    for (index, part) in [services[..<40], services[40..<80], services[80...]].enumerated() {
      var message = DNSMessage(isResponse: false)
      if index == 0 { message.questions = [DNSQuestion(type, .ptr)] }
      message.answers = part.map(\.pointer)
      message.isTruncated = index < 2
      links.say(message, on: 2)
      // Another host asks meanwhile. Its question has no part in it.
      if index == 0 { links.ask([DNSQuestion(printer.instance, .srv)], on: 2, from: 5) }
    }
    let crossed = links.crossed(to: 1).filter { $0.questions != [DNSQuestion(printer.instance, .srv)] }
    #expect(crossed.flatMap(\.questions) == [DNSQuestion(type, .ptr)])
    #expect(crossed.flatMap(\.answers) == services.map(\.pointer))
    #expect(crossed.count > 1)
    #expect(crossed.map(\.isTruncated) == crossed.indices.map { $0 < crossed.count - 1 })
    #expect(Set(links.datagrams.filter { $0.link == 1 }.map(\.time)).count == 2, "one after another")
  }

  @Test func `a question whose known answers do not come is asked after half a second`() {
    let links = links()
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion(type, .ptr)]
    message.isTruncated = true
    links.say(message, on: 2)
    #expect(links.questions(on: 1).isEmpty)
    links.run(for: .milliseconds(500))
    #expect(links.crossed(to: 1).map(\.questions) == [[DNSQuestion(type, .ptr)]])
    #expect(links.crossed(to: 1).map(\.isTruncated) == [false])
  }

  // RFC 6762 §7.3
  @Test func `a question is not repeated unless who asks knows less`() {
    let links = links()
    links.say(printer.records, on: 1)
    links.clear()
    links.ask([DNSQuestion(type, .ptr)], knowing: [printer.pointer], on: 2, from: 3)
    links.ask([DNSQuestion(type, .ptr)], knowing: [printer.pointer], on: 2, from: 4)
    #expect(links.questions(on: 1).count == 1)
    links.ask([DNSQuestion(type, .ptr)], on: 2, from: 5)
    links.ask([DNSQuestion(type, .ptr)], knowing: [printer.pointer], on: 2, from: 6)
    #expect(links.crossed(to: 1).map(\.answers) == [[printer.pointer], []])
    links.run(for: .seconds(1))
    links.ask([DNSQuestion(type, .ptr)], on: 2, from: 5)
    #expect(links.questions(on: 1).count == 3)
  }

  // MARK: - Unicast

  // RFC 6762 §6.7
  @Test func `a legacy resolver gets its answer with its number and its question`() throws {
    let links = links()
    links.ask([DNSQuestion(printer.instance, .srv)], on: 2, port: 40_000, id: 4711)
    #expect(links.questions(on: 1) == [DNSQuestion(printer.instance, .srv)])
    #expect(links.crossed(to: 1).map(\.id) == [0])
    var message = DNSMessage(isResponse: true)
    (message.answers, message.additionals) = ([printer.location], [printer.address])
    links.say(message, on: 1)
    let unicast = links.datagrams.filter { $0.destination != nil }
    #expect(unicast.count == 1)
    let answer = try #require(unicast.first)
    #expect(answer.destination?.address == ReflectedLinks.address(ofHost: 8, on: 2) && answer.destination?.port == 40_000)
    let read = try #require(answer.message)
    #expect(read.id == 4711 && read.isResponse)
    #expect(read.questions == [DNSQuestion(printer.instance, .srv)])
    #expect(read.answers == [DNSRecord(printer.instance, printer.location.data, timeToLive: 10)])
    #expect(read.additionals == [DNSRecord("printer.local", printer.address.data, timeToLive: 10)])
    // The others on its link hear it, too.
    #expect(links.records(on: 2) == [printer.location, printer.address])
  }

  @Test func `who has waited long, is not on the link or asks for what does not cross gets nothing`() {
    let links = links()
    links.ask([DNSQuestion(printer.instance, .srv)], on: 2, port: 40_000, id: 1)
    links.run(for: .seconds(3))
    links.ask([DNSQuestion("pages._http._tcp.local", .srv)], on: 2, port: 40_001, id: 2)
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion(printer.instance, .srv)]
    links.send(message.written(), on: 2, from: .ipv4(0x0808_0808), port: 40_002)
    links.run(for: .milliseconds(10))
    links.say([printer.location, ReflectedService("pages", "_http._tcp.local", on: "server.local").location], on: 1)
    #expect(!links.datagrams.contains { $0.destination != nil })
  }

  // RFC 6762 §5.4
  @Test func `who accepts a unicast answer gets one where the link has just had it`() throws {
    let links = links()
    links.say([printer.pointer, printer.location], on: 1)
    links.clear()
    links.ask([DNSQuestion(type, .ptr, wantsUnicast: true)], on: 2)
    #expect(links.questions(on: 1) == [DNSQuestion(type, .ptr)], "answers come to the group, where all can hear them")
    links.say([printer.pointer], on: 1)
    #expect(links.records(on: 2).isEmpty)
    let unicast = try #require(links.datagrams.last { $0.link == 2 })
    #expect(unicast.destination?.address == ReflectedLinks.address(ofHost: 8, on: 2) && unicast.destination?.port == 5353)
    #expect(unicast.message?.answers == [printer.pointer])
    // Otherwise the group gets it, and nobody else.
    links.run(for: .seconds(3))
    links.clear()
    links.ask([DNSQuestion(type, .ptr, wantsUnicast: true)], on: 2)
    links.say([printer.pointer], on: 1)
    #expect(links.records(on: 2) == [printer.pointer])
    #expect(!links.datagrams.contains { $0.destination != nil })
  }

  @Test func `a flood of legacy questions gets a limited number of answers`() {
    let links = links()
    for id in 0..<500 { links.ask([DNSQuestion(type, .ptr)], on: 2, from: 7, port: UInt16(20_000 + id), id: UInt16(id)) }
    links.say([printer.pointer], on: 1)
    #expect(links.datagrams.count { $0.destination != nil } <= 64)
  }

  // RFC 6762 §6.7
  @Test func `a legacy resolver that asks what was just asked gets an answer`() {
    let links = links()
    links.ask([DNSQuestion(printer.instance, .srv)], on: 2, from: 5)
    links.say([printer.location], on: 1)
    links.clear()
    links.ask([DNSQuestion(printer.instance, .srv)], on: 2, port: 40_000, id: 4711)
    #expect(links.questions(on: 1).isEmpty)
    links.run(for: .seconds(1))
    #expect(links.questions(on: 1) == [DNSQuestion(printer.instance, .srv)])
    links.say([printer.location], on: 1)
    #expect(links.datagrams.count { $0.destination?.port == 40_000 } == 1)
    // That is once.
    links.run(for: .seconds(5))
    #expect(links.questions(on: 1).count == 1)
    #expect(links.reflectors[0].nextDeadline == nil)
  }

  // RFC 6762 §6.1
  @Test func `a legacy resolver is told that there is no record`() throws {
    let links = links()
    links.say([printer.location], on: 1)
    links.ask([DNSQuestion("printer.local", .aaaa)], on: 2, port: 40_000, id: 4711)
    var message = DNSMessage(isResponse: true)
    message.answers = [
      DNSRecord("printer.local", .nsec(next: "printer.local", types: DNSTypeSet([.a])!), timeToLive: 120, cacheFlush: true)
    ]
    message.additionals = [printer.address]
    links.say(message, on: 1)
    let answer = try #require(links.datagrams.last { $0.destination != nil }?.message)
    #expect(answer.id == 4711 && answer.questions == [DNSQuestion("printer.local", .aaaa)] && !answer.isTruncated)
    #expect(answer.answers.isEmpty && answer.additionals.isEmpty)
  }

  @Test func `who asks again waits once, and a host that asks much displaces nobody else`() {
    let links = links()
    links.ask([DNSQuestion(printer.instance, .srv)], on: 2, from: 5, port: 40_000, id: 1)
    links.ask([DNSQuestion(printer.instance, .srv)], on: 2, from: 5, port: 40_000, id: 2)
    for id in 0..<100 as Range<UInt16> { links.ask([DNSQuestion(type, .ptr)], on: 2, from: 7, port: 20_000 + id, id: id) }
    links.say([printer.pointer, printer.location], on: 1)
    let answers = links.datagrams.filter { $0.destination != nil }
    #expect(answers.filter { $0.destination?.port == 40_000 }.map(\.message?.id) == [2])
    #expect(answers.filter { $0.destination?.port != 40_000 }.map(\.message?.id) == Array(92..<100))
  }
}
