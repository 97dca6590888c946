/// An object that acts at the end of a tick of a loop. It saves the allocation of a closure in each tick.
package protocol TickObserver: AnyObject {
  /// Called on the loop, once for each ``EventLoop/atEndOfTick(_:)`` and each ``EventLoop/afterTick(_:)``.
  func tickEnded()
}
