import Bonjourish

// Publishes a service, finds it, and asks for avahi-daemon, which is not there.
var configuration = Bonjour.Configuration(backend: .auto)
configuration.backendChosen = { print("backend \($0)") }
let loopback = try NetworkInterface(named: "lo")
let bonjour = try await Bonjour(configuration)
try await bonjour.withPublishedService(named: "Ada", type: "_http._tcp", port: 8080, interfaces: .only(loopback)) { _ in
  try await bonjour.withBrowser(for: "_http._tcp", interfaces: .only(loopback), resolving: true) { browser in
    for try await change in browser.changes {
      guard case .found(let found) = change, let endpoint = found.endpoint else { continue }
      print("found \(found.instance.name), port \(endpoint.port)")
      break
    }
  }
}
do {
  _ = try await Bonjour(Bonjour.Configuration(backend: .avahi))
} catch {
  print("\(error.code): \(error)")
}
