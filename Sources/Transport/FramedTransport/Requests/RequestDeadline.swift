/// The deadline of the request that a handler answers.
///
/// It travels with the request. When it has passed, the sender no longer waits, and the handler's task is cancelled. Requests that the
/// handler and its child tasks send end at the same time, to whichever peer they are sent: a request that is passed on through several
/// programs ends in all of them.
public enum RequestDeadline {
  /// When the sender of the present request stops waiting; nil outside of handlers, and if it has told no time.
  @TaskLocal public static var current: ContinuousClock.Instant?
}
