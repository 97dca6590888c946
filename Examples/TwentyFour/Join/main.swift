import Bonjourish
import Console
import Rooms
import Screens
import TwentyFour

let room = Operand.optional("ROOM", .text, "the room's name, such as \"Ada's game\" (default: choose from a list)")
let any = Option.flag("any", "join the first room that has a free place")
let address = Option.optional(
  "connect", "HOST[:PORT]", .hostPort(default: 1955),
  "join the room at this address, without a search; the default port is 1955")
let players = Option.optional(
  "players", "MIN:MAX", .range(in: 1...Match.Rules.playerLimit), "the number of players you want, on a server of many matches")
let watch = Option.flag("watch", "watch without playing")
let practice = Option.flag("practice", "play alone, without any network")

let command = Command(
  "twentyfour-join", summary: "Joins a room for TwentyFour.", operands: [room],
  options: [any, address, players, watch, practice] + PlayerOptions.all, exclusive: PlayerOptions.exclusive,
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
  var invocation = try PlayerInvocation(arguments, program: command.name)
  invocation.watches = arguments[watch]
  invocation.players = arguments[players]
  try await invocation.withFace { [invocation] face in
    guard let name = try await invocation.playerName(on: face) else { return }
    let session = PlayerSession(invocation, face, as: name)
    if arguments[practice] { return try Failure.check(await session.practise()) }
    if let place = arguments[address] { return try Failure.check(try await session.join(at: place)) }
    let bonjour = try await invocation.bonjour()
    let lobby = Lobby(invocation, face, on: bonjour)
    if let room = arguments[room] {
      let instance = ServiceInstance(try invocation.instanceName(room), type: RoomHost.serviceType)
      try Failure.check(try await session.join(instance, on: bonjour))
    } else if arguments[any] || invocation.isBot {
      guard let room = try await lobby.firstWithRoom() else { return }
      try Failure.check(try await session.join(room.instance, on: bonjour))
    } else {
      try await lobby.visit(as: name)
    }
  }
}
