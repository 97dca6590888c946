/// What an administrator asks a program for by a signal that does not end it.
package enum Notice: Sendable, Equatable {
  /// To tell how it stands (SIGUSR1).
  case statistics
  /// To take on nothing new, and to end when what it has is done (SIGUSR2).
  case drain
}
