import _BonjourishEventLoop

/// The items of a stream that the app has not taken. Their number is bounded by the credit that the peer has.
struct ReplyInbox {
  var items: ArraySlice<[UInt8]> = []
  /// How the stream has ended; nil while it goes on.
  var outcome: RequestMachine.Outcome?
  /// Lets the task that takes items wait.
  let reader = Waiter()
}
