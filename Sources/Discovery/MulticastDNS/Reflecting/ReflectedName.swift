import _BonjourishDiscovery

/// What a name stands for, as far as a reflector's rules speak of it (RFC 6763 §4, §7.1, §9).
enum ReflectedName: Hashable {
  /// `_services._dns-sd._udp.local`, under which all types are listed.
  case types
  case type(DNSName)
  /// The whole name of a subtype, and its type.
  case subtype(DNSName, of: DNSName)
  /// An instance: its first label, and its type.
  case instance([UInt8], of: DNSName)
  /// A host: its name without the domain.
  case host([UInt8])
  /// A name of another domain or of reverse mapping, and whatever else has no place in the rules.
  case other

  init(_ name: DNSName) {
    let starts = name.labelStarts
    guard starts.count > 1, name.isLabel(at: starts[starts.count - 1], "local") else {
      self = .other
      return
    }
    let count = starts.count - 1
    guard count >= 2, name.isTransport(at: starts[count - 1]) else {
      self = .host(name.joined(starts[..<count]))
      return
    }
    // The service name, the transport and the domain.
    let type = name.suffix(from: starts[count - 2])
    guard !name.isLabel(at: starts[count - 2], "_dns-sd") else {
      self = count == 3 && name.isLabel(at: starts[0], "_services") ? .types : .other
      return
    }
    switch count {
    case 2: self = .type(type)
    case 3: self = .instance(name.label(at: starts[0]), of: type)
    case 4 where name.isLabel(at: starts[1], "_sub"): self = .subtype(name, of: type)
    default: self = .other
    }
  }
}

extension DNSName {
  /// The offsets of the labels in `wire`.
  fileprivate var labelStarts: [Int] {
    var starts: [Int] = []
    var start = 0
    while wire[start] != 0 {
      starts.append(start)
      start += 1 + Int(wire[start])
    }
    return starts
  }

  fileprivate func label(at start: Int) -> [UInt8] { Array(wire[(start + 1)..<(start + 1 + Int(wire[start]))]) }

  /// Whether a label is this text, which is in lower case.
  fileprivate func isLabel(at start: Int, _ text: StaticString) -> Bool {
    Int(wire[start]) == text.utf8CodeUnitCount && label(at: start).elementsEqual(text.description.utf8) { $0.asciiFolded == $1 }
  }

  fileprivate func isTransport(at start: Int) -> Bool { isLabel(at: start, "_tcp") || isLabel(at: start, "_udp") }

  fileprivate func suffix(from start: Int) -> DNSName { DNSName(checkedWire: Array(wire[start...])) }

  /// Labels as they are, with dots between them.
  fileprivate func joined(_ starts: ArraySlice<Int>) -> [UInt8] {
    Array(starts.map { label(at: $0) }.joined(separator: [UInt8(ascii: ".")]))
  }
}
