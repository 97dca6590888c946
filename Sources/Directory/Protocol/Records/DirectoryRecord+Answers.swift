package import _BonjourishDiscovery

/// The records of DNS that a directory's record stands for, so that resolving works as on the local network.
extension DirectoryRecord {
  /// The name of the host of a service: that of the service itself in a domain of the directory's own.
  ///
  /// So no two services have one host, no record can give addresses to the host of another, and none can claim a host of the
  /// local network.
  package static func hostName(of key: DirectoryKey) -> DomainName? {
    DomainName(
      labels: [
        Array(key.name.text.utf8), Array("_\(key.type.name)".utf8), Array(key.type.transport.rawValue.utf8),
        Array(key.region.text.utf8),
      ] + DomainName.directoryLabels)
  }

  /// The endpoint that the answers to all questions about the service make; nil if its host has no name.
  package func endpoint(in region: Region) -> Endpoint? {
    Self.hostName(of: key(in: region)).map { Endpoint(host: $0, port: port, txt: txt, addresses: addresses) }
  }

  /// The service whose host has a name; nil for other names.
  package static func key(ofHost name: DomainName, in region: Region) -> DirectoryKey? {
    let labels = name.labels
    guard labels.count == 6, Array(labels[4...]) == DomainName.directoryLabels, labels[3] == Array(region.text.utf8),
      let type = ServiceType(labels: labels[1...2]), let text = String(validating: labels[0], as: UTF8.self),
      let name = InstanceName(received: text)
    else { return nil }
    return DirectoryKey(region: region, type: type, name: name)
  }

  /// The service that a question is about; nil for questions that a directory cannot answer.
  package static func key(of question: RecordQuestion, in region: Region) -> DirectoryKey? {
    switch question.name {
    case .instance(let instance):
      guard instance.domain == .local, [.srv, .txt, .any].contains(question.type) else { return nil }
      return DirectoryKey(region: region, type: instance.type, name: instance.name)
    case .domain(let name):
      if [.a, .aaaa, .any].contains(question.type), let key = key(ofHost: name, in: region) { return key }
      guard let instance = ServiceInstance(fullName: name) else { return nil }
      return key(of: RecordQuestion(.instance(instance), question.type), in: region)
    }
  }

  /// The answers to a question about this record's service.
  package func answers(to question: RecordQuestion, in region: Region) -> [ResourceRecord] {
    let key = key(in: region)
    let instance = ServiceInstance(name, type: type)
    guard let host = Self.hostName(of: key), let fullName = try? instance.fullName else { return [] }
    let type = question.type
    var answers: [ResourceRecord] = []
    func add(_ name: DomainName, _ type: RecordType, _ bytes: [UInt8], _ family: IPAddress.Family) {
      answers.append(
        ResourceRecord(
          name: name, type: type, bytes: bytes, timeToLive: RecordLease.standard.duration, isUnique: true,
          on: Link(.directory(region.text), family)))
    }
    let family = addresses.first?.family ?? .ipv4
    let isAboutHost = if case .domain(let name) = question.name { name == host } else { false }
    if !isAboutHost {
      if type == .srv || type == .any {
        add(fullName, .srv, [0, 0, 0, 0, UInt8(port >> 8), UInt8(port & 0xFF)] + host.wire, family)
      }
      if type == .txt || type == .any { add(fullName, .txt, txt.data, family) }
    } else {
      for address in addresses {
        let own: RecordType = address.family == .ipv4 ? .a : .aaaa
        if type == own || type == .any { add(host, own, address.bytes, address.family) }
      }
    }
    return answers
  }
}
