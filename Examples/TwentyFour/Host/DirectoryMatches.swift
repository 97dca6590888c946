#if Directory
import Bonjourish
import BonjourishDirectory
import MatchServer

/// The matches of a group of servers, in a directory.
struct DirectoryMatches: MatchStore {
  private let values: OwnedValues

  init(_ values: OwnedValues) {
    self.values = values
  }

  func put(_ name: String, _ bytes: [UInt8], version: UInt64) throws { try values.put(name, bytes, version: version) }

  func remove(_ name: String) { values.remove(name) }

  func take(_ name: String) { values.take(name) }

  func ignore(_ name: String) { values.ignore(name) }

  func reconsider(_ name: String) { values.reconsider(name) }

  func release(_ name: String) { values.release(name) }

  func nextChange() async -> MatchStoreChange? {
    var changes = values.changes.makeAsyncIterator()
    return await changes.next().map { change in
      switch change {
      case .owned(let name, let stored): .owned(name, stored: stored)
      case .doubtful(let name): .doubtful(name)
      case .lost(let name): .lost(name)
      case .failed(let name, let error): .failed(name, reason: error.message)
      case .orphaned(let orphan): .orphaned(orphan.name, orphan.bytes)
      }
    }
  }
}
#endif
