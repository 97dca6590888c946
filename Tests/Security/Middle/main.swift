import Foundation
import FramedSecurity
import FramedTransport
// Somebody who sits between a host and its players, ends the encryption on both sides, and passes frames on.
//
// man-in-the-middle PORT HOST PORT [GUESS]: listens at the first port, and connects each connection with the host's port. Towards both
// it has keys of its own; with a guess it claims to know the passcode, without one it asks for none. A line of standard output tells
// of each connection: how far it has come.
import _BonjourishConsole
import _BonjourishJSONOutput

let arguments = CommandLine.arguments.dropFirst().map(\.self)
guard arguments.count >= 3, let port = UInt16(arguments[0]), let target = UInt16(arguments[2]),
  let host = SocketAddress(numericHost: arguments[1], port: target)
else {
  FileHandle.standardError.write(Data("man-in-the-middle PORT HOST PORT [GUESS]\n".utf8))
  exit(64)
}
let guess = arguments.count > 3 ? Passcode(text: arguments[3]) : nil
let service = "_twentyfour._tcp"
let format = FrameFormat(maximumBodySize: 65_536)

/// A line about a connection.
struct Line: Encodable {
  let event: String
  var error: String?
}

let key = try Identity.ephemeral()
// Never pauses: the middle does not mind how often players try.
let listening =
  guess.map {
    ListenerSecurity.passcode(PasscodeGuard($0, limit: 1_000_000, limitPerAddress: 1_000_000), service: service, identity: key)
  }
  ?? .encrypted(key)
let connecting: ConnectionSecurity =
  guess.map { .passcode($0, service: service, identity: key) } ?? .anyKey(identity: key)
let listener = try await Listener.bind(port: port, format: format, security: listening)
Output.standard.json(Line(event: "ready"))
await listener.serve { player in
  do throws(TransportError) {
    Output.standard.json(Line(event: "player"))
    let upstream = try await Connection.connect(to: [host], format: format, security: connecting, within: .seconds(5))
    Output.standard.json(Line(event: "host"))
    await withTaskGroup { group in
      group.addTask { await pass(from: player, to: upstream) }
      group.addTask { await pass(from: upstream, to: player) }
    }
  } catch {
    Output.standard.json(Line(event: "failed", error: error.code.description))
  }
}

/// Passes frames on until one side ends.
@Sendable func pass(from source: Connection, to target: Connection) async {
  do throws(TransportError) {
    for try await frame in source.frames { try await target.send(frame) }
  } catch {
    Output.standard.json(Line(event: "broken", error: error.code.description))
  }
  await target.close()
}
