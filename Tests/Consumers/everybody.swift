import Bonjourish
import BonjourishDirectory
import BonjourishTransport
import FramedActors
import FramedJSON
import FramedSecurity
import FramedTransport
import FramedTransportTesting
import FramedWebSockets

// Uses each product beside modules that have all the common words for names, of this package and of another.
let ours: [Any.Type] = [
  Bonjour.self, DirectoryConfiguration.self, JSONCodec<[String]>.self, Identity.self, Connection.self, MemoryLink.self,
  WebSite.self, PeerActorSystem.self, FrameFormat.self, ServiceType.self,
]
let configuration = DirectoryConfiguration(servers: ["http://localhost"])
do {
  _ = try await Bonjour(directory: configuration, local: nil)
} catch {
  print("\(error.code) beside \(others.count) modules, \(ours.count) types are ours")
}
