import CBonjourishLinux

/// The only owner of a descriptor: closes it when it is destroyed, once.
///
/// Swift deinitialises an object whose initialiser throws after all properties are set. If the initialiser closed the descriptor too,
/// the second call could close one that another thread has just opened with the same number.
package struct OwnedDescriptor: ~Copyable, Sendable {
  package let number: CInt

  /// Takes an open descriptor over.
  package init(_ number: CInt) {
    self.number = number
  }

  deinit {
    // The descriptor is free afterwards, whatever `close` returns (close(2)).
    close(number)
  }
}
