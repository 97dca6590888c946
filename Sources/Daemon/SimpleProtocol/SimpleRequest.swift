package import _BonjourishDiscovery

/// What a client of the simple socket asks for, in one line.
package enum SimpleRequest: Hashable, Sendable {
  /// `RESOLVE-HOSTNAME`, or with a family `RESOLVE-HOSTNAME-IPV4` and `-IPV6`: an address of a host.
  case address(ofHost: String, IPAddress.Family?)
  /// `RESOLVE-ADDRESS`: the name of an address.
  case name(of: IPAddress)
}

/// A line of a client.
enum SimpleLine: Hashable {
  case request(SimpleRequest)
  /// `HELP`.
  case help
  /// A line that is answered with an error at once.
  case wrong(SimpleAnswer)

  /// The longest command and the longest argument that count, in bytes; as with avahi-daemon, the rest of a longer word is the next word.
  private static let (longestCommand, longestArgument) = (63, 1_013)

  /// Reads a line without its ending. As with avahi-daemon, words after the argument do not count.
  init(_ bytes: some Collection<UInt8>) {
    // What a C string holds.
    var words = Words(bytes.prefix { $0 != 0 })
    guard let command = words.next(atMost: Self.longestCommand) else {
      self = .wrong(.failure(.invalidOperation, "The line has no command; try HELP"))
      return
    }
    let argument = words.next(atMost: Self.longestArgument)
    let families: [String: IPAddress.Family?] = ["": nil, "-IPV4": .ipv4, "-IPV6": .ipv6]
    if command == "HELP" {
      self = .help
    } else if let argument, command == "RESOLVE-ADDRESS" {
      guard let address = IPAddress(argument), address.zone == nil else {
        self = .wrong(.failure(.invalidAddress, "No IP address: \(argument)"))
        return
      }
      self = .request(.name(of: address))
    } else if let argument, let family = families[suffix(of: command, after: "RESOLVE-HOSTNAME")] {
      self = .request(.address(ofHost: argument, family))
    } else if argument == nil, families[suffix(of: command, after: "BROWSE-DNS-SERVERS")] != nil {
      // Name servers are not looked for: everybody on the network could say that they are one.
      self = .wrong(.notSupported)
    } else {
      self = .wrong(.failure(.invalidOperation, "No command, or not with these arguments: \(command); try HELP"))
    }

    /// What follows a word that the command begins with; the whole command, which is none of the families, if it does not.
    func suffix(of command: String, after word: String) -> String {
      command.hasPrefix(word) ? String(command.dropFirst(word.count)) : command
    }
  }

  private struct Words<Bytes: Collection<UInt8>> {
    private var rest: Bytes.SubSequence

    init(_ bytes: Bytes) { rest = bytes[...] }

    /// The next word, as text: bytes that are not UTF-8 are replaced, and are in no name that is found.
    mutating func next(atMost limit: Int) -> String? {
      rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
      let word = rest.prefix { $0 != 0x20 && !(0x09...0x0D).contains($0) }.prefix(limit)
      rest = rest.dropFirst(word.count)
      return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }
  }
}
