import Bonjourish
import BonjourishTransport
import Console
import FramedTransport
import Glibc

let name = Option.optional(
  "name", "NAME", ValueFormat("a name of at most 63 bytes") { try? InstanceName($0) },
  default: getenv("USER").flatMap { try? InstanceName(String(cString: $0)) } ?? "Somebody",
  "your name, as the others see it; your login name unless told")
let room = Option.optional(
  "room", "ROOM", ValueFormat("a text of at most 200 bytes") { (1...200).contains($0.utf8.count) ? $0 : nil }, default: "lobby",
  "talk only with those in the same room; lobby unless told")
let interface = Option.optional("interface", "IF", .text, "use this network interface only, such as eth0")
let backend = Option.optional(
  "backend", "WHICH", ValueFormat("auto, avahi or builtin") { Bonjour.Backend(rawValue: $0) },
  "who speaks mDNS: avahi (the daemon), builtin (this program) or auto (whichever there is); auto unless told")

let command = Command(
  "chat", version: "0.1.0", summary: "Talks with everybody on the local network who runs it too: type a line, Ctrl-D ends.",
  options: [name, room, interface, backend],
  examples: [
    .init("chat --name Ada", "talk with all who are in the lobby"), .init("chat --room kitchen", "or in a room of your own"),
  ])
let arguments = command.parseOrExit()
let diagnostics = Diagnostics(program: command.name)

await Program.run(diagnostics) {
  do {
    let interface = try arguments[interface].map { try NetworkInterface(named: $0) }
    let bonjour = try await Bonjour(.init(backend: arguments[backend]))
    let listener = try await Listener.bind(interface: interface?.name, format: Chat.format, on: .one)
    let number = String(UInt64.random(in: 0 ... .max), radix: 16)
    let txt = try Chat.advertisement(of: arguments[room], number: number)
    try await bonjour.withPublishedService(
      named: arguments[name], type: Chat.serviceType, listener: listener, txt: txt, interface: interface
    ) { service in
      let name = await service.name
      let chat = Chat(as: name, in: arguments[room], number: number, on: bonjour)
      Output.standard.line("* You are \(name.text.visible) in \(arguments[room].visible)")
      try await withThrowingTaskGroup { tasks in
        tasks.addTask { await listener.serve { await chat.talk(over: $0) } }
        tasks.addTask { try await chat.meetOthers(on: interface) }
        tasks.addTask {
          for await line in LineReader.standardInput {
            switch line {
            case .text(let text): try await chat.say(text)
            case .tooLong(let limit): diagnostics.warning("a line may have \(limit) bytes; this one was not sent")
            case .notText: diagnostics.warning("that was not UTF-8, and not sent")
            }
          }
        }
        // Whatever ends first ends all: the input mostly.
        try await tasks.next()
        tasks.cancelAll()
      }
    }
    await listener.close()
  } catch let error as DiscoveryError {
    throw Failure(.unavailable, error.message)
  } catch let error as TransportError {
    throw Failure(.unavailable, error.description)
  }
}
