import FramedTransport

// Sends a frame to itself, in plain text: nothing of OpenSSL or libsodium is needed.
let listener = try await Listener.bind(interface: "lo")
let client = try await Connection.connect(to: listener.addresses)
try await client.send(Array("hello".utf8))
for await server in listener.connections {
  for try await frame in server.frames {
    print("plain \(String(decoding: frame, as: UTF8.self))")
    break
  }
  break
}
