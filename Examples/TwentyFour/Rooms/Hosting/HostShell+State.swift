import Bonjourish
import FramedSecurity
import FramedTransport

/// Who is let in, and what is kept.
extension HostShell {
  /// The present passcode; nil if none is asked for.
  public nonisolated var passcode: String? { admission.passcode }

  /// A link to the host by its name on the network; nil if it is not encrypted.
  public nonisolated func link(named name: String) -> RoomLink? {
    plan.protection.identity.map { RoomLink(name: name, key: $0.fingerprint, invitation: admission.invitation) }
  }

  /// Evaluates passcodes again.
  ///
  /// - Returns: Whether a passcode is asked for.
  public nonisolated func reopen() -> Bool { admission.reopen() }

  // MARK: - The state

  /// Writes changes of the state, at most once a second.
  func keep(_ file: StateFile<Machine.Snapshot>) async {
    var isFailing = false
    for await _ in changes.stream {
      do throws(RoomError) {
        try await write(to: file)
        isFailing = false
      } catch {
        // Reported once, not each second.
        if !isFailing { plan.stateFailed(error) }
        isFailing = true
      }
      // Ends early if the task is cancelled; so does the next call.
      try? await Task.sleep(for: .seconds(1))
    }
  }

  func write(to file: StateFile<Machine.Snapshot>) async throws(RoomError) {
    guard let contents = machine.snapshot(at: clock.now()) else { return }
    try await write(contents, to: file)
  }

  func write(_ contents: Machine.Snapshot, to file: StateFile<Machine.Snapshot>) async throws(RoomError) {
    try await file.write(
      contents, port: port, webPort: web?.listener.port, publisher: succession.publisher, admission: admission.kept)
  }

  /// Reads the machine's state at the present time. The closure must not block.
  public func read<Result: Sendable>(_ body: @Sendable (Machine, Duration) -> Result) -> Result { body(machine, clock.now()) }

  /// The pairs of an advertisement, with those about the protection.
  public nonisolated func protected(_ pairs: [String: String]) -> [String: String] { admission.over(pairs) }
}
