public import FramedCoding

extension ListenerMetrics {
  /// All numbers by name, as discovery's. Those of one name follow each other. A reason is the name of an error's code.
  ///
  /// A program with several listeners adds a label of its own to each.
  public var list: [Metric] {
    [
      Metric("listener_connections", .gauge, connections),
      Metric("listener_pending", .gauge, pending),
      Metric("listener_accepted", .counter, accepted),
      Metric("listener_admitted", .counter, admitted),
      Metric("listener_refused", .counter, refusedCrowded, ["reason": "crowded"]),
      Metric("listener_refused", .counter, refusedFromAddress, ["reason": "address"]),
      Metric("listener_refused", .counter, shed, ["reason": "shed"]),
    ]
      + [
        ("displaced", displaced), ("helloTimedOut", helloTimedOut), ("frameTimedOut", frameTimedOut),
        ("sendTimedOut", sendTimedOut), ("lagging", lagging), ("timedOut", silent), ("reset", reset),
        ("malformedFrame", malformed),
      ].map { Metric("listener_broken", .counter, $0.1, ["reason": $0.0]) }
      + securityFailures.all.map { Metric("listener_security_failures", .counter, $0.count, ["reason": $0.code]) }
      + [
        Metric("listener_bytes", .counter, Int(clamping: bytesReceived), ["direction": "in"]),
        Metric("listener_bytes", .counter, Int(clamping: bytesSent), ["direction": "out"]),
      ]
  }
}
