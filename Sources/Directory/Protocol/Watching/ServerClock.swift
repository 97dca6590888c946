/// The server's time that corresponds to an instant here.
struct ServerClock {
  let server: Int64
  let here: ContinuousClock.Instant

  /// How much longer a record counts that was written at a time of the server: less than a lease if that was before the listing.
  func remainder(of lease: RecordLease, ofTime time: Int64, at now: ContinuousClock.Instant) -> Duration {
    let elapsed = here.duration(to: now).nanoseconds
    let (serverNow, overflow) = server.addingReportingOverflow(elapsed)
    guard !overflow, serverNow > time else { return lease.duration }
    return lease.duration - .nanoseconds(min(serverNow - time, lease.duration.nanoseconds))
  }
}
