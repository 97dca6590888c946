import Bonjourish
import BonjourishDirectory
import CBonjourishLinux
import Foundation
import _BonjourishConsole

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
      var left = count
      var writes = 0
      for await change in values.changes {
        switch change {
        case .owned(_, let version):
          writes += 1
          if version == UInt64(seconds) { left -= 1 }
        case .orphaned, .doubtful, .lost, .failed: fatalError("\(change)")
        }
        if left == 0 { break }
      }
      try await writer.value
      Output.standard.line("\(writes)")
    }
  }
}
