import Foundation

/// The seeds of a test of random inputs: a few in `make test`, all of them in `make simulate`.
package func seeds(_ few: UInt64, of all: UInt64) -> Range<UInt64> {
  0..<(ProcessInfo.processInfo.environment["EVERY_SEED"] == nil ? few : all)
}
