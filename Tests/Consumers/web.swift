import FramedTransport
import FramedWebSockets

// Sends a message to itself over a WebSocket, beside a native peer on the same port, and is refused at another path.
let site = WebSite(files: ["/": WebFile("text/plain", "hello")])
let listener = try await Listener.bind(interface: "lo", security: .plaintext(serving: site))
for security in [ConnectionSecurity.plaintext, try .webSocket(host: "localhost", target: "/socket?token=1")] {
  let client = try await Connection.connect(to: listener.addresses, security: security)
  try await client.send(Array("hello".utf8))
  for await server in listener.connections {
    for try await frame in server.frames {
      print("\(server.webDetails?.parameter("token") ?? "native") \(String(decoding: frame, as: UTF8.self))")
      break
    }
    break
  }
}
do {
  _ = try await Connection.connect(to: listener.addresses, security: .webSocket(host: "localhost", target: "/nothing"))
} catch {
  print((error as? TransportError)?.httpStatus ?? 0)
}
