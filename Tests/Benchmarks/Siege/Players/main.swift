// siege-players honest PORT CODE COUNT MATCH: players who behave.
// siege-players crowd PORT CODE: strangers who come with all that costs a host most, until standard input ends.
import Console
import Foundation
import FramedTransport
import SecureTransport

let words = CommandLine.arguments.dropFirst()
guard words.count >= 3, let port = words.dropFirst().first.flatMap({ UInt16($0) }),
  let code = Passcode(text: words[3]),
  let address = SocketAddress(numericHost: "127.0.0.1", port: port)
else {
  Output.error.line("usage: siege-players honest PORT CODE COUNT MATCH | crowd PORT CODE")
  exit(64)
}

let host = BesiegedHost(address: address)

switch words.first {
case "honest":
  guard words.count == 5, let count = Int(words[4]), let match = Int(words[5]) else { exit(64) }
  let players = HonestPlayers(at: host)
  for number in 1...count { try await players.add("Player \(number)", players: match, code) }
  for await _ in LineReader.standardInput { Output.standard.json(players.report()) }
  Output.standard.json(await players.end())
case "crowd":
  let crowd = Crowd(at: host, code)
  let attacks = Task { await crowd.run() }
  for await _ in LineReader.standardInput {}
  attacks.cancel()
  Output.standard.json(await attacks.value)
default:
  exit(64)
}
