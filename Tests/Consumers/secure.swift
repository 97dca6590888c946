import FramedSecurity
import FramedTransport

// Sends a frame to itself with a passcode, and is refused with another.
let listener = try await Listener.bind(interface: "lo", security: .passcode("471123", identity: .ephemeral()))
let client = try await Connection.connect(to: listener.addresses, security: .passcode("471 123"))
try await client.send(Array("hello".utf8))
for await server in listener.connections {
  for try await frame in server.frames {
    print("secure \(String(decoding: frame, as: UTF8.self))")
    break
  }
  break
}
do {
  _ = try await Connection.connect(to: listener.addresses, security: .passcode("000000"))
} catch {
  print(error.code)
}
