extension MulticastEngine {
  mutating func ask(_ id: QueryID, _ query: Query, _ step: inout Step) {
    precondition(queries[id] == nil, "id must not be in use by another question")
    queries[id] = query
    queries[id]!.unsettled = []
    for index in links.indices where query.concerns(links[index].link) {
      queries[id]!.unsettled!.insert(links[index].link)
      links[index].querier.ask(query.key, for: id, &step)
    }
    step.effects.append(.cacheExhausted(id))
    tellIfSettled(id, &step)
  }

  mutating func tellIfSettled(_ id: QueryID, _ step: inout Step) {
    guard queries[id]?.unsettled?.isEmpty == true else { return }
    queries[id]!.unsettled = nil
    step.effects.append(.settled(id))
  }
}

extension MulticastEngine.Query {
  func concerns(_ link: MulticastLink) -> Bool { interface.map { $0 == link.interface } ?? true }
}
