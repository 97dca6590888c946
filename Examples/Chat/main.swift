import Bonjourish
import BonjourishTransport
import Foundation
import FramedTransport

// Chats with all other running copies of this program on the local network. Type a line to send it; Ctrl-D or Ctrl-C ends.

var options = ["--name": "Somebody", "--room": "lobby", "--interface": "", "--backend": "auto"]
options["--name"] = ProcessInfo.processInfo.environment["USER"] ?? options["--name"]
var words = CommandLine.arguments.dropFirst()
let usage = "usage: chat [--name NAME] [--room ROOM] [--interface IF] [--backend auto|avahi|builtin]"
while let option = words.popFirst() {
  if ["--help", "-h"].contains(option) {
    show(
      "Chats with all who run this program on the local network.\n\n\(usage)\n\nType a line to send it; Ctrl-D or Ctrl-C ends.")
    exit(0)
  }
  guard options.keys.contains(option), let value = words.popFirst() else {
    complain("\(usage) (see chat --help)")
    exit(64)
  }
  options[option] = value
}
let (name, room) = (options["--name"] ?? "", options["--room"] ?? "")
let (interfaceName, backend) = (options["--interface"] ?? "", options["--backend"] ?? "")

do {
  let interfaces = try InterfaceSelection(parsing: interfaceName.isEmpty ? [] : [interfaceName])
  let bonjour = try await Bonjour(.init(backend: Bonjour.Backend(rawValue: backend)))
  let listener = try await Listener.bind(interface: interfaces.onlyName, format: Chat.format, limits: Chat.limits, on: .one)
  let number = String(UInt64.random(in: 0 ... .max), radix: 16)
  // Ctrl-C cancels this body. Then the scopes end in order: the service says goodbye, the connections are closed.
  _ = try await withTerminationSignals {
    try await bonjour.withPublishedService(
      named: try InstanceName(name), type: Chat.serviceType, listener: listener,
      txt: try Chat.advertisement(of: room, number: number), interfaces: interfaces
    ) { service in
      // The name is a different one if another host uses the wanted name.
      let name = await service.name
      let chat = Chat(as: name, in: room, number: number, on: bonjour)
      show("* You are \(name) in \(room.escapedForDisplay)")
      try await withThrowingTaskGroup { tasks in
        tasks.addTask { await listener.serve { await chat.talk(over: $0) } }
        tasks.addTask { try await chat.meetOthers(on: interfaces) }
        tasks.addTask {
          for await line in Prompt.shared.lines() {
            guard line.utf8.count <= Chat.format.maximumBodySize else { show("* That line is too long."); continue }
            try await chat.say(line)
          }
        }
        // The end of the input ends the program.
        try await tasks.next()
        tasks.cancelAll()
      }
    }
  }
  await listener.close()
  Prompt.shared.end()
} catch {
  Prompt.shared.end()
  complain("chat: \(error)")
  exit(69)
}

/// Writes a line. Text from the network must already be escaped.
func show(_ line: String) { Prompt.shared.show(line) }

func complain(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
