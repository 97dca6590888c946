/// What a frame says, by the first byte of its body; numbers after it are big-endian.
enum Kind: UInt8 {
  /// Data: a UInt64 sequence number, and padding. Counted, and not answered.
  case data = 0x44  // D
  /// The end of the data: the UInt64 number that were sent. Answered with `counted`.
  case end = 0x45  // E
  /// The answer to `end`, once they are all in: the UInt64 number that came.
  case counted = 0x65  // e
  /// Anything, which is sent back.
  case ping = 0x50  // P
  /// The sender becomes a member of the broadcast's group. Answered with `welcome`.
  case hello = 0x48  // H
  /// The answer to `hello`.
  case welcome = 0x68  // h
  /// Asks for `status`.
  case stat = 0x53  // S
  /// The UInt64 nanoseconds of processor time that the server has used, and its UInt32 process number.
  case status = 0x73  // s
  /// Starts a broadcast: UInt32 frames, of UInt32 bytes each.
  case go = 0x47  // G
  /// A frame of a broadcast.
  case broadcast = 0x42  // B
}
