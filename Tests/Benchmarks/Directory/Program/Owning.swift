import Bonjourish
import CLinux
import Console
import Directory
import Foundation

/// Values that a program owns, all of which change every second.
enum Owning {
  static func run(_ arguments: [String]) async throws {
    guard let count = Int(arguments[2]), let size = Int(arguments[3]), let seconds = Int(arguments[4]) else {
      fatalError(usage)
    }
    let bonjour = try await Bonjour(benchDirectory: arguments[1])
    try await bonjour.withOwnedValues { values in
      let writer = Task {
        let began = ContinuousClock.now
        for version in 1...UInt64(seconds) {
          for number in 0..<count {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &+ number &+ Int(version)) }
            try values.put("match-\(number)", bytes, version: version)
          }
          try await Task.sleep(until: began + .seconds(Int64(version)), clock: .continuous)
        }
      }
      var stored: [String: UInt64] = [:]
      var writes = 0
      for await change in values.changes {
        switch change {
        case .owned(let name, let version):
          writes += 1
          stored[name] = version
        case .orphaned, .doubtful, .lost, .failed: fatalError("\(change)")
        }
        if stored.count == count, stored.values.allSatisfy({ $0 == UInt64(seconds) }) { break }
      }
      try await writer.value
      Output.standard.line("\(writes)")
    }
  }
}
