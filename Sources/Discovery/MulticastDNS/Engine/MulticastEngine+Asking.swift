extension MulticastEngine {
  mutating func ask(_ id: QueryID, _ query: Query, _ step: inout Step) {
    precondition(queries[id] == nil, "id must not be in use by another question")
    queries[id] = query
    for index in links.indices where contains(links[index].link, in: query.scope) {
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
