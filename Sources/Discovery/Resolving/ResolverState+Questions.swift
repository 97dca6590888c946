/// Opens and ends questions. A question stays open while an instance needs its answer.
extension ResolverState {
  mutating func ask(_ question: RecordQuestion, for instance: ServiceInstance) -> [Effect] {
    guard let answer = answers[question] else {
      answers[question] = LookupAnswer(users: [instance])
      return [.ask(question)]
    }
    guard answer.hasFailed else {
      answers[question]!.users.insert(instance)
      return []
    }
    // A failed question is asked again, for all instances that need it.
    answers[question] = LookupAnswer(users: answer.users.union([instance]))
    return [.endAsking(question), .ask(question)]
  }

  mutating func endAsking(_ question: RecordQuestion, for instance: ServiceInstance) -> [Effect] {
    guard answers[question] != nil else { return [] }
    answers[question]!.users.remove(instance)
    guard answers[question]!.users.isEmpty else { return [] }
    answers[question] = nil
    return [.endAsking(question)]
  }

  mutating func endAsking(for instance: ServiceInstance) -> [Effect] {
    questions(of: instance).flatMap { endAsking($0, for: instance) }
  }
}
