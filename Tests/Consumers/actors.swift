import FramedActors
import FramedTransport

typealias DefaultDistributedActorSystem = PeerActorSystem

distributed actor Greeter {
  distributed func greet(_ name: String) -> String { "Hello, \(name)" }
}

// Calls an actor of its own over a connection, and once more when that has ended. Nothing of OpenSSL or libsodium is needed.
let system = PeerActorSystem()
let greeter = Greeter(actorSystem: system)
try system.offer(greeter, as: "greeter")
let listener = try await Listener.bind(interface: "lo")
let server = Task { await listener.serve { try? await system.answerPeer(over: $0) } }
let connection = try await Connection.connect(to: listener.addresses)
let reference = try await PeerActorSystem().withPeer(over: connection) { peer in
  let reference = try peer.actor(Greeter.self, named: "greeter")
  print(try await reference.greet("Ada"))
  return reference
}
do {
  print(try await reference.greet("Ada"))
} catch let error as ActorCallError {
  print(error.code)
}
await listener.close()
await server.value
