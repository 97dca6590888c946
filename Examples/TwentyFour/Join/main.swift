import Bonjourish
import Rooms
import Screens
import TwentyFour
import _BonjourishConsole
import _BonjourishDiscoveryOptions

let room = Operand.optional(
  "ROOM", .secret(if: RoomLink.isLink), "the room's name, such as \"Ada's game\", or a link to it (default: choose from a list)"
)
let any = Option.flag("any", "join the first room that has a free place")
let address = Option.optional(
  "connect", "HOST[:PORT]", .hostPort(default: 1955),
  "join the room at this address, without a search; the default port is 1955")
let players = Option.optional(
  "players", "MIN:MAX", .range(in: 1...Match.Rules.playerLimit), "the number of players you want, on a server of many matches")
let passcode = Option.optional(
  "passcode", "CODE", .secret(), "the room's passcode; prefer to leave it out: the program asks for it")
let newKey = Option.flag("new-key", "trust a room that has another key than before")
let watch = Option.flag("watch", "watch without playing")
let practice = Option.flag("practice", "play alone, without any network")

let command = Command(
  "twentyfour-join", summary: "Joins a room for TwentyFour.", operands: [room],
  options: [any, address, players, passcode, newKey, watch, practice] + PlayerOptions.all + [NetworkOptions.shard],
  exclusive: PlayerOptions.exclusive + [[passcode, PlayerOptions.insecure]],
  examples: [
    .init("twentyfour-join", "choose from the open rooms, or host one"),
    .init("twentyfour-join \"Ada's game\" --name Bob", "join a certain room"),
    .init("twentyfour-join --any --name Bob --bot", "let the program play in any room"),
    .init("twentyfour-join --practice --difficulty easy", "practise alone"),
  ], manual: JoinManual.page)
let arguments = command.parseOrExit()

await Program.run(Diagnostics(program: command.name)) {
  guard [arguments[room] != nil, arguments[any], arguments[address] != nil, arguments[practice]].count(where: { $0 }) <= 1
  else {
    throw command.usageError("ROOM, --any, --connect and --practice exclude each other; give one of them")
  }
  var invocation = try PlayerInvocation(arguments, program: command.name, shard: arguments[NetworkOptions.shard])
  invocation.watches = arguments[watch]
  invocation.players = arguments[players]
  invocation.trustsNewKey = arguments[newKey]
  if let text = arguments[passcode] { try invocation.give(passcode: text) }
  try await invocation.withFace { [invocation] face in
    guard let name = try await invocation.playerName(on: face) else { return }
    let session = PlayerSession(invocation, face, as: name)
    if arguments[practice] { return try Failure.check(await session.practise()) }
    if let place = arguments[address] { return try Failure.check(try await session.join(at: place)) }
    let bonjour = try await invocation.bonjour()
    let lobby = Lobby(invocation, face, on: bonjour)
    if let room = arguments[room] {
      let link = try invocation.link(room)
      if link != nil, invocation.isInsecure { throw command.usageError("--insecure and a link exclude each other") }
      let instance = ServiceInstance(try invocation.instanceName(link?.name ?? room), type: RoomHost.serviceType)
      try Failure.check(try await session.join(instance, link: link, on: bonjour))
    } else if arguments[any] || invocation.isBot {
      guard let room = try await lobby.firstWithRoom() else { return }
      try Failure.check(try await session.join(room, on: bonjour))
    } else {
      try await lobby.visit(as: name)
    }
  }
}
