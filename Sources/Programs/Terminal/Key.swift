/// A key that was pressed, text that was pasted, or what was done with the mouse.
public enum Key: Hashable, Sendable {
  /// A letter, digit or sign, or a part of one: the scalars of a composed character arrive one by one.
  case text(Unicode.Scalar)
  /// Text that was pasted; it may contain anything, including control characters.
  case paste(String)
  /// A lower-case letter, or one of `@`, `\`, `]`, `^` and `_`, with the control key.
  case control(Character)
  /// A character with the Alt key.
  case alt(Character)
  /// Keys of the main block; `backtab` is Shift-Tab.
  case enter, tab, backtab, escape, backspace, delete
  /// Keys that move the cursor or the page.
  case up, down, left, right, home, end, pageUp, pageDown
  /// Left or right, with the control key or Alt.
  case wordLeft, wordRight
  /// The mouse, while ``TerminalSession/reportMouse(_:)`` asks for it.
  case mouse(Mouse)
}
