/// What a shell offers when somebody types the value of an option or an operand and presses Tab.
public enum Completion: Sendable, Equatable {
  /// Nothing: the value is free text or a number.
  case nothing
  /// These words.
  case words([String])
  /// The files and folders of the machine.
  case files
  /// The network interfaces of the machine.
  case interfaces
  /// The lines that the program writes when this is its only argument, such as names from the network. Scripts quote them, and never
  /// evaluate them.
  case own(String)
}
