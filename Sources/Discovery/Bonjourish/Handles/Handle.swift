extension Bonjour {
  /// Something that is open until ``close()``, such as a browser or a published service: for objects that live as long as a program,
  /// such as a view model or an actor.
  ///
  /// Each function `with…` has one beside it that begins with `open…` and returns a handle. Prefer the former where it is possible: it
  /// cannot be left open.
  ///
  /// ```swift
  /// actor Lobby {
  ///   private let bonjour: Bonjour
  ///   private var room: Bonjour.Handle<PublishedService>?
  ///
  ///   init(_ bonjour: Bonjour) { self.bonjour = bonjour }
  ///
  ///   func open(_ name: InstanceName, port: UInt16) async throws {
  ///     room = try await bonjour.openPublishedService(named: name, type: "_twentyfour._tcp", port: port)
  ///   }
  ///
  ///   func close() async {
  ///     await room?.close()
  ///     room = nil
  ///   }
  /// }
  /// ```
  ///
  /// A handle that is released without ``close()`` ends what it is for, too, but nobody learns when: a program that exits at once sends
  /// no goodbye. It says so in a warning of ``Bonjour/Configuration/log``, and in a debug build also on standard error.
  public final class Handle<Value: Sendable>: Sendable {
    /// What is open. After ``close()`` its sequences have ended.
    public let value: Value

    private let ending: Ending
    private let name: String
    private let bonjour: Bonjour

    /// - Parameters:
    ///   - value: What is open.
    ///   - name: What it is, for the warning that nobody has closed it.
    ///   - ending: What ends it.
    ///   - bonjour: The discovery that it uses, which stays as long as the handle.
    init(_ value: Value, _ name: String, _ ending: Ending, of bonjour: Bonjour) {
      self.value = value
      self.name = name
      self.ending = ending
      self.bonjour = bonjour
    }

    deinit {
      guard ending.isOpen else { return }
      bonjour.warnOfUnclosed(name)
      Task { [ending, bonjour] in
        await ending.end()
        // Not before: the engine is closed with it.
        withExtendedLifetime(bonjour) {}
      }
    }

    /// Whether it has not been closed, neither by ``close()`` nor by ``Bonjour/close()``.
    public var isOpen: Bool { ending.isOpen }

    /// Ends what is open: its sequences end, a service is withdrawn, and its goodbye is being sent (RFC 6762 §10.1) when this returns.
    ///
    /// It may be called several times, by several tasks: each returns when the end is reached. Cancelling the task changes nothing.
    public func close() async { await ending.end() }
  }
}
