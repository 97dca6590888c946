import FramedTransport

/// The name of a method that a peer wants to call: the mangled name of the method's thunk, such as `$s4main5GreetC5helloyyYaKFTE`.
///
/// `executeDistributedTarget` trusts it: it demangles the name before it looks whether there is such a method, and calls the method
/// with an actor of any type. So a peer could keep it busy with a name that stands for a huge type, or have a method of one type run
/// with an actor of another. Here only the names of methods pass that this program has and that the actor's own type declares.
enum TargetName {
  enum Flaw: Error {
    case unknown
    case generic
  }

  /// Checks that a name is that of a distributed method of a type, or of an extension of it. Safe for any text.
  static func check(_ name: String, of type: any Any.Type) throws(Flaw) {
    let bytes = Array(name.utf8)
    guard let owner = _mangledTypeName(type), isMember(bytes, of: Array(owner.utf8)) else { throw .unknown }
    // Unsafe, but never empty: the name begins with that of a type. The runtime keeps no pointer to it.
    let exists = bytes.withUnsafeBufferPointer { findAccessibleFunction($0.baseAddress!, $0.count) != nil }
    guard exists else { throw .unknown }
    let isGeneric = bytes.withUnsafeBufferPointer {
      _getGenericEnvironmentOfDistributedTarget($0.baseAddress!, UInt($0.count)) != nil
    }
    guard !isGeneric else { throw .generic }
  }

  /// Whether a mangled name is that of a member of a type, and not of a type within it (docs/ABI/Mangling.rst of Swift).
  static func isMember(_ name: [UInt8], of owner: [UInt8]) -> Bool {
    let prefix = Array("$s".utf8) + owner
    guard name.count <= InvocationCodec.longestMethod, name.starts(with: prefix), name.suffix(2).elementsEqual("TE".utf8)
    else { return false }
    var rest = name[prefix.count...]
    // The name of the member, or of the module of an extension, after which comes that of the member.
    repeat {
      guard skipName(&rest) else { return false }
    } while skip(UInt8(ascii: "E"), &rest)
    // Labels or the type of the method. The kind of a nested type, such as C for a class, would follow here.
    guard let next = rest.first else { return false }
    return isDigit(next) || "_yASsqxB".utf8.contains(next)
  }

  /// Skips an identifier with the discriminator of a private one, or one that was in the name before.
  private static func skipName(_ rest: inout ArraySlice<UInt8>) -> Bool {
    if skip(UInt8(ascii: "A"), &rest) {
      rest = rest.drop { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
      return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(rest.popFirst() ?? 0)
    }
    guard skipIdentifier(&rest) else { return false }
    var discriminated = rest
    if skipIdentifier(&discriminated), discriminated.starts(with: "LL".utf8) { rest = discriminated.dropFirst(2) }
    return true
  }

  /// Skips an identifier: its length and its text, with letters for words that were in the name before.
  private static func skipIdentifier(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard let first = rest.first, isDigit(first) else { return false }
    // One zero stands before words, two before what is no ASCII.
    var hasWords = skip(UInt8(ascii: "0"), &rest)
    let isPunycoded = hasWords && skip(UInt8(ascii: "0"), &rest)
    if isPunycoded { hasWords = false }
    repeat {
      while hasWords, let letter = rest.first, isLetter(letter) {
        rest = rest.dropFirst()
        // An upper-case letter is the last word.
        if letter < UInt8(ascii: "a") { hasWords = false }
      }
      if skip(UInt8(ascii: "0"), &rest) { return true }
      guard let count = skipNumber(&rest), count > 0 else { return false }
      if isPunycoded { _ = skip(UInt8(ascii: "_"), &rest) }
      guard count <= rest.count else { return false }
      rest = rest.dropFirst(count)
    } while hasWords
    return true
  }

  /// Skips a number of at most four digits.
  private static func skipNumber(_ rest: inout ArraySlice<UInt8>) -> Int? {
    let digits = rest.prefix(while: isDigit)
    guard (1...4).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func skip(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == byte else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}

/// The runtime's own look-up of a distributed method by its exact name, which demangles nothing; `nil` if there is none. `Distributed`
/// has no declaration of it that tells a missing method from one that is not generic.
@_silgen_name("swift_findAccessibleFunction")
private func findAccessibleFunction(_ name: UnsafePointer<UInt8>, _ count: Int) -> UnsafeRawPointer?
