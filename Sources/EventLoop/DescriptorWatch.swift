/// What one may wait for on a descriptor, and what may have happened on it.
@usableFromInline
package struct DescriptorEvents: OptionSet, Hashable, Sendable {
  @usableFromInline package let rawValue: UInt8

  @inlinable
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// There is something to read, or the end of the stream.
  @inlinable package static var readable: DescriptorEvents { DescriptorEvents(rawValue: 1) }
  /// There is room to write.
  @inlinable package static var writable: DescriptorEvents { DescriptorEvents(rawValue: 2) }
  /// The other end has closed its side for writing. Always reported when `readable` is waited for.
  @inlinable package static var readHangUp: DescriptorEvents { DescriptorEvents(rawValue: 4) }
  /// Both sides are closed. Always reported.
  @inlinable package static var hangUp: DescriptorEvents { DescriptorEvents(rawValue: 8) }
  /// The descriptor is in error. Always reported.
  @inlinable package static var error: DescriptorEvents { DescriptorEvents(rawValue: 16) }
}

/// The loop's attention to one descriptor; made by ``EventLoop/watch(_:for:_:)``, used on the loop only.
///
/// The watch does not own the descriptor: cancel it first, then close the descriptor.
package final class DescriptorWatch {
  package let descriptor: CInt
  /// What is waited for; an empty set waits for errors and hang-ups only.
  @exclusivity(unchecked) package private(set) var interest: DescriptorEvents
  let isEdgeTriggered: Bool
  let slot: Int
  let handler: (DescriptorEvents) -> Void
  private weak var owner: EventLoop?

  init(
    descriptor: CInt, interest: DescriptorEvents, isEdgeTriggered: Bool, slot: Int, owner: EventLoop,
    handler: @escaping (DescriptorEvents) -> Void
  ) {
    self.descriptor = descriptor
    self.interest = interest
    self.isEdgeTriggered = isEdgeTriggered
    self.slot = slot
    self.handler = handler
    self.owner = owner
  }

  /// Waits for something else from now on.
  package func update(_ interest: DescriptorEvents) {
    guard interest != self.interest, let owner else { return }
    self.interest = interest
    owner.update(self)
  }

  /// Has an edge-triggered watch told of what is there, as if it had come just now.
  package func lookAgain() {
    owner?.update(self)
  }

  /// Stops watching; the handler is not called any more, not even for what has been reported already.
  ///
  /// - Parameter beforeClosing: Whether the descriptor, of which there is no duplicate, is closed right away, so that the system
  ///   need not be told to stop before.
  package func cancel(beforeClosing: Bool = false) {
    owner?.cancel(self, beforeClosing: beforeClosing)
    owner = nil
  }
}
