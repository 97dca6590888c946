/// Decodes keys from a terminal's bytes. The bytes may arrive in any pieces; all bytes are accepted.
///
/// Keys beyond the alphabet are control sequences (ECMA-48 section 5.4) as xterm sends them. The Escape key sends the first
/// byte of such a sequence: call ``timeOut()`` when no further byte arrives in time.
struct KeyDecoder: Sendable {
  /// The number of bytes kept of one paste; the rest is dropped.
  static let longestPaste = 4_096
  private static let longestSequence = 32
  private static let endOfPaste: [UInt8] = Array("\u{1B}[201~".utf8)

  private enum State {
    case ground
    case escape
    /// After `ESC [`: parameters so far.
    case sequence([UInt8])
    /// After `ESC O`.
    case single
    /// Within a report of the mouse that has no parameters, as terminals without `SGR` reports send it: it is skipped.
    case mouse(missing: Int)
    /// Within a character of several bytes.
    case character([UInt8], missing: Int)
    /// Within pasted text; `matched` bytes of the end mark have been seen.
    case paste([UInt8], matched: Int)
  }

  private var state = State.ground

  /// Whether the bytes so far may be a whole key or the beginning of a longer one.
  var isUndecided: Bool {
    switch state {
    case .escape, .sequence, .single: true
    case .ground, .mouse, .character, .paste: false
    }
  }

  /// Takes bytes and returns the keys that they complete.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { take(byte, &keys) }
    return keys
  }

  /// Returns the key of the bytes so far, because no further byte has arrived in time.
  mutating func timeOut() -> [Key] {
    guard isUndecided else { return [] }
    defer { state = .ground }
    switch state {
    case .escape: return [.escape]
    case .sequence(let parameters): return parameters.isEmpty ? [.alt("[")] : []
    case .single: return [.alt("O")]
    case .ground, .mouse, .character, .paste: return []
    }
  }

  private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
    switch state {
    case .ground:
      begin(byte, &keys)
    case .escape:
      takeAfterEscape(byte, &keys)
    case .sequence(let parameters):
      takeInSequence(byte, parameters, &keys)
    case .single:
      state = .ground
      switch byte {
      case UInt8(ascii: "M"): keys.append(.enter)  // the keypad's
      case 0x40...0x7E: keys += Self.key(final: byte, parameters: [])
      default: begin(byte, &keys)
      }
    case .mouse(let missing):
      state = missing > 1 ? .mouse(missing: missing - 1) : .ground
    case .character(let bytes, let missing):
      takeInCharacter(byte, bytes, missing, &keys)
    case .paste(let bytes, let matched):
      takeInPaste(byte, bytes, matched, &keys)
    }
  }

  private mutating func begin(_ byte: UInt8, _ keys: inout [Key]) {
    state = .ground
    switch byte {
    case 0x1B: state = .escape
    case 0x0D, 0x0A: keys.append(.enter)
    case 0x09: keys.append(.tab)
    case 0x08, 0x7F: keys.append(.backspace)
    case 0x01...0x1A: keys.append(.control(Character(Unicode.Scalar(byte + 0x60))))
    case 0x00, 0x1C...0x1F: keys.append(.control(Character(Unicode.Scalar(byte + 0x40))))
    case 0x20...0x7E: keys.append(.text(Unicode.Scalar(byte)))
    case 0xC2...0xDF: state = .character([byte], missing: 1)
    case 0xE0...0xEF: state = .character([byte], missing: 2)
    case 0xF0...0xF4: state = .character([byte], missing: 3)
    default: keys.append(.text("\u{FFFD}"))
    }
  }

  private mutating func takeAfterEscape(_ byte: UInt8, _ keys: inout [Key]) {
    switch byte {
    case UInt8(ascii: "["): state = .sequence([])
    case UInt8(ascii: "O"): state = .single
    case 0x20...0x7E:
      state = .ground
      keys.append(.alt(Character(Unicode.Scalar(byte))))
    case 0x08, 0x7F:  // Alt-Backspace deletes a word, as Ctrl-W does
      state = .ground
      keys.append(.control("w"))
    default:
      keys.append(.escape)
      begin(byte, &keys)
    }
  }

  private mutating func takeInSequence(_ byte: UInt8, _ parameters: [UInt8], _ keys: inout [Key]) {
    switch byte {
    case 0x20...0x3F:
      // No terminal sends a longer sequence: it is skipped.
      state = .sequence(parameters.count < Self.longestSequence ? parameters + [byte] : parameters)
    case 0x40...0x7E:
      state = .ground
      if byte == UInt8(ascii: "~"), parameters == Array("200".utf8) {
        state = .paste([], matched: 0)
      } else if byte == UInt8(ascii: "M"), parameters.isEmpty {
        state = .mouse(missing: 3)
      } else if parameters.count < Self.longestSequence {
        keys += Self.key(final: byte, parameters: parameters)
      }
    default:
      begin(byte, &keys)
    }
  }

  private mutating func takeInCharacter(_ byte: UInt8, _ bytes: [UInt8], _ missing: Int, _ keys: inout [Key]) {
    guard 0x80...0xBF ~= byte else {
      keys.append(.text("\u{FFFD}"))
      return begin(byte, &keys)
    }
    guard missing == 1 else {
      state = .character(bytes + [byte], missing: missing - 1)
      return
    }
    state = .ground
    let text = String(validating: bytes + [byte], as: UTF8.self)
    keys.append(.text(text?.unicodeScalars.first ?? "\u{FFFD}"))
  }

  private mutating func takeInPaste(_ byte: UInt8, _ bytes: [UInt8], _ matched: Int, _ keys: inout [Key]) {
    let end = Self.endOfPaste
    guard byte != end[matched] else {
      if matched + 1 < end.count {
        state = .paste(bytes, matched: matched + 1)
      } else {
        state = .ground
        keys.append(.paste(String(decoding: bytes, as: UTF8.self)))
      }
      return
    }
    let isEscape = byte == end[0]
    let text = bytes + end[..<matched] + (isEscape ? [] : [byte])
    state = .paste(Array(text.prefix(Self.longestPaste)), matched: isEscape ? 1 : 0)
  }

  private static func key(final: UInt8, parameters: [UInt8]) -> [Key] {
    if parameters.first == UInt8(ascii: "<"), final | 0x20 == UInt8(ascii: "m") {
      return Mouse(final: final, parameters: parameters).map { [.mouse($0)] } ?? []
    }
    let numbers = parameters.split(separator: UInt8(ascii: ";")).map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    // xterm's modifiers: 1 plus the sum of Shift 1, Alt 2, Control 4.
    let modifiers = numbers.count > 1 ? max(0, numbers[1] - 1) : 0
    let isWord = modifiers & 0b110 != 0
    switch final {
    case UInt8(ascii: "A"): return [.up]
    case UInt8(ascii: "B"): return [.down]
    case UInt8(ascii: "C"): return [isWord ? .wordRight : .right]
    case UInt8(ascii: "D"): return [isWord ? .wordLeft : .left]
    case UInt8(ascii: "H"): return [.home]
    case UInt8(ascii: "F"): return [.end]
    case UInt8(ascii: "Z"): return [.backtab]
    case UInt8(ascii: "~"):
      switch numbers.first {
      case 1, 7: return [.home]
      case 4, 8: return [.end]
      case 3: return [.delete]
      case 5: return [.pageUp]
      case 6: return [.pageDown]
      default: return []
      }
    default: return []
    }
  }
}
