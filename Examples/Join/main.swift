import Bonjourish
import Console
import FramedTransport
import PlayerConsole
import Rooms

let room = Operand.optional("ROOM", .text, "the room's name, such as \"Ada's game\"; without it you choose from a list")
let any = Option.flag("any", "join the first room that has a free place")
let address = Option.optional(
  "connect", "HOST:PORT", Destination.format, "join the room there, without looking for it on the network")

let command = Command(
  "twentyfour-join", version: PlayerOptions.version, summary: "Joins a room for TwentyFour.", operands: [room],
  options: [any, address] + PlayerOptions.all,
  examples: [
    .init("twentyfour-join --name Bob", "choose from the rooms that are open"),
    .init("twentyfour-join \"Ada's game\" --name Bob", "join a certain one"),
    .init("twentyfour-join --any --name Bob --bot", "let the program play in any room"),
  ])
let arguments = command.parseOrExit()

await Program.run(Diagnostics(program: command.name)) {
  guard [arguments[room] != nil, arguments[any], arguments[address] != nil].count(where: { $0 }) <= 1 else {
    throw command.usageError("ROOM, --any and --connect exclude each other; give one of them")
  }
  let invocation = try PlayerInvocation(arguments, program: command.name)
  do {
    if let destination = arguments[address] {
      let addresses = try await destination.addresses()
      try await RoomPlayer.withRoom(at: addresses, called: destination.description, as: PlayerEntry(name: invocation.name)) {
        player in
        try await PlayerSession(invocation).play(in: player)
      }
      return
    }
    let bonjour = try await invocation.bonjour()
    let instance: ServiceInstance
    if let name = arguments[room] {
      instance = ServiceInstance(try invocation.instanceName(name), type: RoomHost.serviceType)
    } else {
      let lobby = LobbyScreen(invocation, on: bonjour)
      let lines = arguments[any] ? nil : invocation.lines
      let chosen = if let lines { try await lobby.choice(from: lines) } else { try await lobby.firstWithRoom() }
      guard let chosen else { return }
      instance = chosen.instance
    }
    try await RoomPlayer.withRoom(
      instance, as: PlayerEntry(name: invocation.name), interface: invocation.interface, on: bonjour
    ) { player in
      let place = RoomPlace(name: instance.name.text, port: player.peer.port)
      try await PlayerSession(invocation, at: place).play(in: player)
    }
  } catch let error as RoomError {
    throw Failure(error)
  }
}
