/// Opens and ends questions. A question stays open while an instance needs its answer.
extension ResolverState {
  mutating func ask(_ question: RecordQuestion, for instance: ServiceInstance) -> [Effect] {
    guard let place = answers.index(forKey: question) else {
      answers[question] = LookupAnswer(users: [instance])
      return [.ask(question)]
    }
    answers.values[place].users.insert(instance)
    guard answers.values[place].state.hasFailed else { return [] }
    // A failed question is asked again, for all instances that need it.
    answers.values[place].restart()
    return [.endAsking(question), .ask(question)]
  }

  mutating func endAsking(_ question: RecordQuestion, for instance: ServiceInstance) -> [Effect] {
    guard let place = answers.index(forKey: question) else { return [] }
    answers.values[place].users.remove(instance)
    guard answers.values[place].users.isEmpty else { return [] }
    answers.remove(at: place)
    return [.endAsking(question)]
  }

  mutating func endAsking(for instance: ServiceInstance) -> [Effect] {
    questions(of: instance, host: items[instance]?.host).flatMap { endAsking($0, for: instance) }
  }
}
