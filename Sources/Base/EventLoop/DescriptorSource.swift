/// The events of a descriptor to wait for, or those that have happened.
@usableFromInline
package struct DescriptorEvents: OptionSet, Hashable, Sendable {
  @usableFromInline package let rawValue: UInt8

  @inlinable
  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// There are bytes to read, or the stream has ended.
  @inlinable package static var readable: DescriptorEvents { DescriptorEvents(rawValue: 1) }
  /// There is room to write.
  @inlinable package static var writable: DescriptorEvents { DescriptorEvents(rawValue: 2) }
  /// The peer has closed its side for writing. Always reported when waiting for `readable`.
  @inlinable package static var readHangUp: DescriptorEvents { DescriptorEvents(rawValue: 4) }
  /// Both sides are closed. Always reported.
  @inlinable package static var hangUp: DescriptorEvents { DescriptorEvents(rawValue: 8) }
  /// The descriptor is in error. Always reported.
  @inlinable package static var error: DescriptorEvents { DescriptorEvents(rawValue: 16) }
}

/// The registration of a descriptor with a loop, created by ``EventLoop/watch(_:for:edgeTriggered:_:)`` and used on the loop
/// only.
///
/// The source does not own the descriptor: cancel the source first, then close the descriptor.
package final class DescriptorSource {
  package let descriptor: CInt
  /// The events to wait for; an empty set waits for errors and hang-ups only.
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

  /// Replaces the events to wait for.
  package func update(_ interest: DescriptorEvents) {
    guard interest != self.interest, let owner else { return }
    self.interest = interest
    owner.update(self)
  }

  /// Makes an edge-triggered watch report the present events once more.
  package func rearm() {
    owner?.update(self)
  }

  /// Stops watching. The handler is not called again, not even for events that epoll has already reported.
  ///
  /// - Parameter beforeClosing: True if the caller closes the descriptor next and it has no duplicate. Closing then removes it
  ///   from epoll, which saves a system call.
  package func cancel(beforeClosing: Bool = false) {
    owner?.cancel(self, beforeClosing: beforeClosing)
    owner = nil
  }
}
