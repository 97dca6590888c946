/// Somebody with something to do at the end of a turn of a loop.
///
/// Those who have often need not make a closure each time.
package protocol TurnEnder: AnyObject {
  /// Called on the loop, once for each ``EventLoop/atEndOfTurn(_:)``.
  func turnEnds()
}
