import Bonjourish
import Glibc

// Prints the instances of a service with their addresses. Usage: embed _http._tcp
do {
  let type = try ServiceType(CommandLine.arguments.dropFirst().first ?? "")
  let bonjour = try await Bonjour()
  for service in try await bonjour.services(of: type, resolving: true) {
    guard let endpoint = service.endpoint else { continue }
    let addresses = endpoint.addresses.map(\.description).joined(separator: " ")
    // Anyone on the network can choose the name: `description` is escaped for display, `name.text` is not.
    print("\(service.instance.name): port \(endpoint.port) at \(addresses)")
  }
} catch {
  print("embed: \(error)")
  exit(1)
}
