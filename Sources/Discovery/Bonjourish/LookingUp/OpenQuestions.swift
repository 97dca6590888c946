import _BonjourishDiscovery

/// The lookups that an actor has started on a backend. Part of that actor's state.
struct OpenQuestions {
  private let backend: any DiscoveryBackend
  private var ids: [RecordQuestion: OperationID] = [:]

  init(to backend: any DiscoveryBackend) {
    self.backend = backend
  }

  /// Starts a lookup.
  ///
  /// - Parameter handler: Called on the backend's executor, with the ID for ``isOpen(_:as:)``.
  mutating func ask(_ question: RecordQuestion, _ handler: @escaping @Sendable (LookupEvent, OperationID) -> Void) {
    let id = OperationID()
    ids[question] = id
    backend.lookUp(question, as: id) { event in handler(event, id) }
  }

  /// Whether an event belongs to the latest lookup of the question, not to an earlier one.
  func isOpen(_ question: RecordQuestion, as id: OperationID) -> Bool { ids[question] == id }

  mutating func end(_ question: RecordQuestion) {
    if let id = ids.removeValue(forKey: question) { backend.end(id) }
  }

  mutating func endAll() {
    for id in ids.values { backend.end(id) }
    ids = [:]
  }
}
