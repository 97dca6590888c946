import _BonjourishEventLoop

/// One value for each loop, made at its first use: what all connections of a loop share. Values are kept as long as the process runs, as
/// loops are.
package final class PerLoop<Value: Sendable>: Sendable {
  private let make: @Sendable (TransportLoop) -> Value
  private let values = Locked<[ObjectIdentifier: Value]>([:])

  package init(_ make: @escaping @Sendable (TransportLoop) -> Value) {
    self.make = make
  }

  /// The value of a loop.
  package func value(of loop: TransportLoop) -> Value {
    values.withLock { values in
      if let value = values[ObjectIdentifier(loop)] { return value }
      let value = make(loop)
      values[ObjectIdentifier(loop)] = value
      return value
    }
  }
}
