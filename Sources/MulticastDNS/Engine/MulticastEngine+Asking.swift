extension MulticastEngine {
  mutating func ask(_ id: QueryID, _ query: Query, _ turn: inout Turn) {
    precondition(queries[id] == nil, "a question is asked twice under one identifier")
    queries[id] = query
    queries[id]!.unsettled = []
    for index in links.indices where query.concerns(links[index].link) {
      queries[id]!.unsettled!.insert(links[index].link)
      links[index].ask(query.key, for: id, &turn)
    }
    turn.effects.append(.cacheExhausted(id))
    tellIfSettled(id, &turn)
  }

  mutating func tellIfSettled(_ id: QueryID, _ turn: inout Turn) {
    guard queries[id]?.unsettled?.isEmpty == true else { return }
    queries[id]!.unsettled = nil
    turn.effects.append(.settled(id))
  }
}

extension MulticastEngine.Query {
  func concerns(_ link: MulticastLink) -> Bool { interface.map { $0 == link.interface } ?? true }
}
