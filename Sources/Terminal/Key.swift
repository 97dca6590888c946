/// What a person does at the keyboard.
package enum Key: Hashable, Sendable {
  /// A letter, digit or sign, or a part of one: characters that are made of several come one after the other.
  case text(Unicode.Scalar)
  /// Text that was pasted, with all that is in it.
  case paste(String)
  /// A letter with the control key; the letter is a small one.
  case control(Character)
  /// A character with the Alt key.
  case alt(Character)
  case enter, tab, backtab, escape, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  /// Left or right with the control key or Alt.
  case wordLeft, wordRight
}
