import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

@testable import _BonjourishMulticastBackend

@Suite struct NetworkSurveyTests {
  @Test func `all are asked for types, the host's names and the neighbours' names`() throws {
    var questions = SurveyQuestions()
    questions.hostNames = [try DNSName("ada.local")]
    questions.neighbours = ["eth0": [.ipv4(0x0A4D_0002)], "eth1": [.ipv4(0x0A4D_0003)]]
    questions.ownAddresses = ["eth0": [.ipv4(0x0A4D_0001)]]
    let link = MulticastLink(interface: 4, family: .ipv6)
    let message = try DNSMessage(parsing: questions.message(for: "eth0", on: link, types: [DNSName]()))
    #expect(!message.isResponse && message.id == 0)
    #expect(
      message.questions == [
        DNSQuestion(try DNSName("_services._dns-sd._udp.local"), .ptr), DNSQuestion(try DNSName("ada.local"), .a),
        DNSQuestion(try DNSName("ada.local"), .aaaa), DNSQuestion(try DNSName("1.0.77.10.in-addr.arpa"), .ptr),
        DNSQuestion(try DNSName("2.0.77.10.in-addr.arpa"), .ptr),
      ])
  }

  @Test func `each link is asked for a name of its own, and in the end for services`() throws {
    var questions = SurveyQuestions()
    questions.marker = try DNSName("mark.local")
    let links = IPAddress.Family.allCases.map { MulticastLink(interface: 4, family: $0) }
    let asked = try links.map { link in
      try DNSMessage(parsing: questions.message(for: "eth0", on: link, types: [try DNSName("_x._tcp.local")])).questions
        .dropFirst()
    }
    #expect(
      asked == [
        [DNSQuestion(try DNSName("ipv4-4.mark.local"), .txt), DNSQuestion(try DNSName("_x._tcp.local"), .ptr)],
        [DNSQuestion(try DNSName("ipv6-4.mark.local"), .txt), DNSQuestion(try DNSName("_x._tcp.local"), .ptr)],
      ])
  }

  @Test(arguments: [
    ("+++-------", true), ("-------+++", true), ("+-", true), ("++-++", true), ("++++++++++", false), ("----------", false),
    ("", false),
    ("-+-", false), ("+--+-+", false),
  ])
  func `what is not answered in one go went to another program`(_ answers: String, _ hasOneGap: Bool) {
    #expect(DirectQuestions.hasOneGap(answers.map { $0 == "+" }) == hasOneGap)
  }

  @Test func `questions whose answers are counted have numbers`() throws {
    let types = DNSQuestion(try DNSName("_services._dns-sd._udp.local"), .ptr)
    let one = try DNSMessage(parsing: SurveyQuestions.message(to: .ipv4(0x0A4D_0002), number: 7))
    let name = DNSQuestion(try DNSName("2.0.77.10.in-addr.arpa"), .ptr)
    #expect(one.id == 7 && one.questions == [name, types])
    let all = try DNSMessage(parsing: SurveyQuestions.message(to: nil, number: 8))
    #expect(all.id == 8 && all.questions == [types])
  }

  @Test func `what is asked on the loopback interface comes back, and is nobody else's`() async throws {
    let loop = try EventLoop(name: "survey")
    let links = await withCheckedContinuation { continuation in
      loop.execute {
        var questions = SurveyQuestions()
        questions.interface = "lo"
        _ = NetworkSurvey(on: loop, questions) { continuation.resume(returning: $0) }
      }
    }
    await loop.shutdown()
    let link = try #require(links.first { $0.link.family == .ipv4 })
    #expect(link.interface == "lo" && link.isHeard && link.outage == nil && link.refusal == nil)
    #expect(link.others.isDisjoint(with: [.ipv4(0), .ipv4(0x7F00_0001)]) && link.foreignAnswers.isEmpty)
  }

  @Test func `the question of another program is heard and answered`() async throws {
    let loop = try EventLoop(name: "survey")
    let trial = try DNSName("trial.local")
    let links = await withCheckedContinuation { continuation in
      loop.execute {
        var questions = SurveyQuestions()
        (questions.interface, questions.trial) = ("lo", trial)
        _ = NetworkSurvey(on: loop, questions) { continuation.resume(returning: $0) }
        do {
          // As the daemon, which shares the port.
          let other = try MulticastSocket(.ipv4)
          var message = DNSMessage(isResponse: false)
          message.questions = [DNSQuestion(trial, .txt)]
          try other.send(message.written(), on: 1, to: .multicast)
        } catch {
          Issue.record(error)
        }
      }
    }
    await loop.shutdown()
    #expect(try #require(links.first { $0.link.family == .ipv4 }).isTried)
    let answer = try DNSMessage(parsing: SurveyQuestions.answer(to: trial))
    #expect(answer.isResponse && answer.answers.map(\.name) == [trial])
  }

  @Test func `a survey of an interface that is not there is empty`() async throws {
    let loop = try EventLoop(name: "survey")
    let links = await withCheckedContinuation { continuation in
      loop.execute {
        var questions = SurveyQuestions()
        questions.interface = "nonexistent0"
        _ = NetworkSurvey(on: loop, questions) { continuation.resume(returning: $0) }
      }
    }
    await loop.shutdown()
    #expect(links.isEmpty)
  }
}
