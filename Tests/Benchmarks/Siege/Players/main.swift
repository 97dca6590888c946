import Foundation
import FramedSecurity
import FramedTransport
// siege-players honest PORT CODE PAGE COUNT MATCH: players who behave, and a visitor who comes from another address.
// siege-players crowd PORT CODE PAGE: strangers who come with all that costs a host most, until standard input ends.
// CODE may be - for none, and the port PAGE 0 for a host without pages.
import _BonjourishConsole
import _BonjourishJSONOutput

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 4, let port = UInt16(words[1]), let page = UInt16(words[3]),
  words[2] == "-" || Passcode(text: words[2]) != nil,
  let address = SocketAddress(numericHost: "127.0.0.1", port: port),
  let otherAddress = SocketAddress(numericHost: "::1", port: port)
else {
  Output.error.line("usage: siege-players honest PORT CODE PAGE COUNT MATCH | crowd PORT CODE PAGE")
  exit(64)
}

let host = BesiegedHost(
  address: address, code: Passcode(text: words[2]), page: page == 0 ? nil : SocketAddress(numericHost: "127.0.0.1", port: page))

switch words[0] {
case "honest":
  guard words.count == 6, let count = Int(words[4]), let match = Int(words[5]) else { exit(64) }
  let visitor = Visitor(at: BesiegedHost(address: otherAddress, code: nil, page: nil))
  let players = HonestPlayers(at: host, visitor)
  for number in 1...count { try await players.add(number, players: match) }
  let visits = Task { await visitor.run() }
  for await _ in LineReader.standardInput { Output.standard.json(players.report()) }
  visits.cancel()
  Output.standard.json(await players.end())
case "crowd":
  let crowd = Crowd(at: host)
  let attacks = Task { await crowd.run() }
  for await _ in LineReader.standardInput {}
  attacks.cancel()
  Output.standard.json(await attacks.value)
default:
  exit(64)
}
