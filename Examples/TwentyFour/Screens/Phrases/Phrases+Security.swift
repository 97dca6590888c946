import Bonjourish
import FramedSecurity
import Rooms
import TwentyFour

/// Passcodes and keys.
extension Phrases {
  /// Digits in two groups, to be read out.
  static func passcode(_ text: String) -> String {
    guard text.count == 6, text.allSatisfy(\.isNumber) else { return text.escapedForDisplay }
    return "\(text.prefix(3)) \(text.suffix(3))"
  }
  static func titled(_ title: String, passcode: String?) -> String {
    passcode.map { "\(title), passcode \(Self.passcode($0))" } ?? title
  }
  static func unprotected(_ title: String) -> String { "\(title), NOT ENCRYPTED" }

  static func passcodeIs(_ text: String) -> String { "The passcode is \(passcode(text)). Tell it to those who may come in." }
  static let passcodeUsedUp =
    "Too many passcodes were wrong: nobody new comes in. Type reopen to let people in again."
  static func guessed(from address: String, remaining: Int) -> String {
    "Somebody at \(address.escapedForDisplay) gave a wrong passcode; \(remaining) more may be wrong."
  }
  static func identified(_ player: Player?, _ key: KeyFingerprint?, _ comparison: String?) -> String? {
    switch (player, comparison) {
    case (nil, let digits?): "Nobody sits between if the host sees the same code: \(digits)."
    case (nil, nil): key.map { "The host has the key \($0.short)." }
    case (let player?, let digits?): "\(name(player)) sees the code \(digits), if nobody sits between."
    case (_?, nil): nil
    }
  }

  static let codesTitle = "Codes to compare"
  static let codesExplained = "If both see the same code, nobody sits between."
  static let noCodes = "There are no codes to compare."
  static func ownCode(_ digits: String) -> String { "\(digits): yours" }
  static func code(_ digits: String, of player: Player, isNumbered: Bool) -> String {
    "\(digits): \(isNumbered ? "\(player.id) " : "")\(name(player))"
  }

  static func passcodeQuestion(_ room: String) -> String { "The passcode of \(room.escapedForDisplay):" }
  static let badPasscode = "a passcode has 1 to 256 bytes"
  static func newKeyQuestion(_ room: String) -> String { "Type yes to trust the new key of \(room.escapedForDisplay):" }
  static let missingPasscode = "the room asks for a passcode; give --passcode CODE, or a link that is still good"
  static let passcodeOfInsecureRoom = "--insecure and --passcode exclude each other: a passcode needs encryption"
  static func notEncrypted(_ room: String) -> String {
    "\"\(room)\" is not encrypted: everybody on the network can read along and take your seat; --insecure joins it all the same"
  }
  static func keyNotKept(_ reason: String) -> String {
    "your key cannot be kept, so others will not know you again: \(reason)"
  }
  static func keysNotKept(_ reason: String) -> String {
    "the keys of rooms cannot be kept, so another host will not be noticed next time: \(reason)"
  }
  static let badLink = "that is not a complete link to a room; copy all of it"
}
