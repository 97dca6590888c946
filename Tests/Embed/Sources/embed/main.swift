import Bonjourish
import Glibc

// Prints what there is of a service, and where: embed _http._tcp
do {
  let type = try ServiceType(CommandLine.arguments.dropFirst().first ?? "")
  let bonjour = try await Bonjour()
  try await bonjour.withBrowser(for: type, resolving: true) { browser in
    for try await change in browser.changes {
      if change == .settled { break }
      guard case .found(let service) = change, let endpoint = service.endpoint else { continue }
      let addresses = endpoint.addresses.map(\.description).joined(separator: " ")
      print("\(service.instance.name.text.printable): port \(endpoint.port) at \(addresses)")
    }
  }
} catch {
  print("embed: \(error)")
  exit(1)
}

extension String {
  /// Names are chosen by strangers: a terminal gets them without what would control it.
  var printable: String { filter { $0.isLetter || $0.isNumber || $0.isPunctuation || $0.isSymbol || $0 == " " } }
}
