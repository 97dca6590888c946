import Bonjourish
import BonjourishTransport
import Foundation
import FramedSecurity
import FramedTransport

// Offers the files of a folder, lists the files that another program offers, or fetches one of them.
let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 3, let passcode = Passcode(text: words[2]) else {
  print("usage: files offer FOLDER PASSCODE | files list NAME PASSCODE | files get NAME PASSCODE FILE")
  exit(64)
}
do {
  let bonjour = try await Bonjour()
  _ = try await withTerminationSignals {
    guard words[0] != "offer" else {
      let listener = try await Listener.bind(
        format: format, security: .passcode(passcode, service: "\(type)", identity: try .ephemeral()))
      let name = try InstanceName("Files of \(NSUserName())")
      return try await bonjour.withPublishedService(named: name, type: type, listener: listener) { service in
        print("offered as \(await service.name)")
        await listener.serve { try? await serve(words[1], over: $0) }
      }
    }
    let connections = Reconnections(
      to: ServiceInstance(try InstanceName(words[1]), type: type), using: bonjour, format: format,
      security: .passcode(passcode, service: "\(type)"), policy: ReconnectionPolicy(cap: .seconds(5)))
    try await connections.withRequests(questions, replies: answers) { client in
      guard words.count < 4 else {
        return try await fetch(words[3], into: ".", from: client) { position, size in
          if position == size || position % (256 << 20) == 0 { print("\(position >> 20) of \(size >> 20) MiB") }
        }
      }
      for try await file in client.replies(resuming: { .list }) { print("\(file.size)\t\(file.name.escapedForDisplay)") }
    }
  }
} catch {
  print("files: \(error)")
  exit(1)
}
