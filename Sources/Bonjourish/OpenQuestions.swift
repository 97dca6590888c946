import Discovery

/// The questions that an actor has asked a backend and not taken back. Part of that actor's state.
struct OpenQuestions {
  private let backend: any DiscoveryBackend
  private var ids: [RecordQuestion: OperationID] = [:]

  init(to backend: any DiscoveryBackend) {
    self.backend = backend
  }

  /// Asks a question.
  ///
  /// - Parameter handler: Called where the backend's handlers run, with what ``isOpen(_:as:)`` knows the question by.
  mutating func ask(_ question: RecordQuestion, _ handler: @escaping @Sendable (LookupEvent, OperationID) -> Void) {
    let id = OperationID()
    ids[question] = id
    backend.lookUp(question, as: id) { event in handler(event, id) }
  }

  /// Whether an event is about the question as it was asked last, and not as it was asked before.
  func isOpen(_ question: RecordQuestion, as id: OperationID) -> Bool { ids[question] == id }

  mutating func end(_ question: RecordQuestion) {
    if let id = ids.removeValue(forKey: question) { backend.end(id) }
  }

  mutating func endAll() {
    for id in ids.values { backend.end(id) }
    ids = [:]
  }
}
