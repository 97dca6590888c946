import Bonjourish
import Rooms
import Screens
import TwentyFour
import _BonjourishConsole
import _BonjourishDiscoveryOptions

let room = Operand.optional(
  "ROOM", .secret(if: RoomLink.isLink), Phrases.Options.room
)
let any = Option.flag("any", Phrases.Options.any)
let address = Option.optional(
  "connect", "HOST[:PORT]", .hostPort(default: 1955),
  Phrases.Options.address)
let players = Option.optional(
  "players", "MIN:MAX", .range(in: 1...Match.Rules.playerLimit), Phrases.Options.players)
let passcode = Option.optional(
  "passcode", "CODE", .secret(), Phrases.Options.passcode)
let newKey = Option.flag("new-key", Phrases.Options.newKey)
let watch = Option.flag("watch", Phrases.Options.watch)
let practice = Option.flag("practice", Phrases.Options.practice)

let command = Command(
  "twentyfour-join", summary: Phrases.Commands.join, operands: [room],
  options: [any, address, players, passcode, newKey, watch, practice] + PlayerOptions.all + [NetworkOptions.shard],
  exclusive: PlayerOptions.exclusive + [[passcode, PlayerOptions.insecure]],
  examples: [
    .init("twentyfour-join", Phrases.Commands.chooses),
    .init("twentyfour-join \"Ada's game\" --name Bob", Phrases.Commands.joinsOne),
    .init("twentyfour-join --any --name Bob --bot", Phrases.Commands.botJoins),
    .init("twentyfour-join --practice --difficulty easy", Phrases.Commands.practises),
  ], manual: JoinManual.page)
let arguments = command.parseOrExit()

await Program.run(Diagnostics(program: command.name)) {
  guard [arguments[room] != nil, arguments[any], arguments[address] != nil, arguments[practice]].count(where: { $0 }) <= 1
  else {
    throw command.usageError(Phrases.oneRoom)
  }
  var invocation = try PlayerInvocation(arguments, program: command.name, shard: arguments[NetworkOptions.shard])
  invocation.spectates = arguments[watch]
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
      if link != nil, invocation.isInsecure { throw command.usageError(Phrases.linkOfInsecureRoom) }
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
