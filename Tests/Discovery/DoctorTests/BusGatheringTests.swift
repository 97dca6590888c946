import Testing
import _BonjourishBusProtocol
import _BonjourishMulticastDNS

@testable import _BonjourishDoctor
@testable import _BonjourishSystemBus

/// What is asked of the bus and of avahi-daemon, and what follows from the answers.
@Suite(.timeLimit(.minutes(1))) struct BusGatheringTests {
  private func facts(welcome: String = "OK 0", _ answer: @escaping FakeBus.Answer = FakeBus.healthy) throws -> BusFacts {
    let bus = try FakeBus(welcome: welcome, answer)
    return BusFacts.gather(at: bus.path, within: .seconds(30))
  }

  /// A bus on which one method is answered with an error.
  private func failing(_ member: String, _ name: String, _ text: String) -> FakeBus.Answer {
    { message, call in message.member == member ? [.error(name, text, to: call)] : FakeBus.healthy(message, call) }
  }

  @Test func `a daemon that is well says who it is`() throws {
    let bus = try FakeBus()
    var expected = BusFacts()
    expected.daemon = .answers(.init(version: "avahi 0.8", hostName: "ada.local", state: 2))
    (expected.process, expected.hasFirewalld) = (77, true)
    #expect(BusFacts.gather(at: bus.path, within: .seconds(30)) == expected)
    func asked(_ member: String, _ name: String) -> String {
      "org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus.\(member) \([BusValue.text(name)])"
    }
    let members = ["GetVersionString", "GetHostNameFqdn", "GetState", "EntryGroupNew"]
    #expect(
      bus.calls == [
        asked("NameHasOwner", "org.fedoraproject.FirewallD1"), asked("NameHasOwner", "org.freedesktop.Avahi"),
        asked("GetConnectionUnixProcessID", "org.freedesktop.Avahi"),
      ] + members.map { "org.freedesktop.Avahi / org.freedesktop.Avahi.Server.\($0) []" })
  }

  @Test func `a bus without the daemon, and one that it has just left`() throws {
    let empty = try facts { message, call in [.answer(to: call, [.truth(false)])] }
    #expect(
      empty
        == {
          var facts = BusFacts(); facts.daemon = .absent; return facts
        }())
    for name in ["org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner"] {
      #expect(try facts(failing("GetHostNameFqdn", name, "gone")).daemon == .absent)
    }
  }

  @Test func `a daemon that refuses something, or all, says why`() throws {
    let denied = try facts(failing("GetVersionString", "org.freedesktop.DBus.Error.AccessDenied", "not allowed"))
    #expect(denied.daemon == .denied(reason: "not allowed") && denied.state == .reachable && denied.process == 77)
    let full = try facts(failing("EntryGroupNew", "org.freedesktop.Avahi.TooManyObjectsError", "too many objects"))
    #expect(full.answers?.refusal == "too many objects" && full.answers?.version == "avahi 0.8")
    let other = try facts(failing("EntryGroupNew", "org.freedesktop.DBus.Error.AccessDenied", "no groups"))
    #expect(other.daemon == .denied(reason: "no groups"))
  }

  @Test func `a bus that refuses the program, or ends the connection, is not usable`() throws {
    #expect(try facts(welcome: "REJECTED EXTERNAL").state == .denied(reason: "it does not accept this user"))
    #expect(try facts(welcome: "ERROR").state == .failed(reason: "it has ended the connection"))
    let limit = failing("NameHasOwner", "org.freedesktop.DBus.Error.LimitsExceeded", "too many")
    #expect(try facts(limit).state == .limitReached(reason: "too many"))
    #expect(BusFacts.gather(at: "/nonexistent/bus", within: .seconds(30)).state == .missing(path: "/nonexistent/bus"))
  }

  @Test func `the daemon is given a question, and says on which interfaces it heard the answer`() throws {
    let bus = try FakeBus { _, call in
      func signal(_ member: String, _ interface: Int32) -> BusMessage {
        .signal(member, of: "org.freedesktop.Avahi.RecordBrowser", at: "/Client0/RecordBrowser0", to: nil, [.int32(interface)])
      }
      let heard = [2, 3, -1].map { signal("ItemNew", $0) } + [signal("ItemRemove", 4)]
      return heard + [.answer(to: call, [.path("/Client0/RecordBrowser0")])]
    }
    let trial = try #require(DaemonTrial(at: bus.path, within: .seconds(30)))
    #expect(trial.begin())
    #expect(trial.result() == DaemonTrial.Result(interfaces: [2, 3]))
    let arguments: [BusValue] = [
      .int32(-1), .int32(-1), .text(trial.name.description), .uint16(1), .uint16(16), .uint32(0),
    ]
    #expect(bus.calls == ["org.freedesktop.Avahi / org.freedesktop.Avahi.Server.RecordBrowserNew \(arguments)"])
  }

  @Test func `a daemon that does not obey, or is not there, is not tried`() throws {
    let bus = try FakeBus(failing("RecordBrowserNew", "org.freedesktop.DBus.Error.AccessDenied", "no"))
    #expect(try #require(DaemonTrial(at: bus.path, within: .seconds(30))).begin() == false)
    #expect(DaemonTrial(at: "/nonexistent/bus", within: .seconds(30)) == nil && DaemonTrial(at: nil) == nil)
  }
}
