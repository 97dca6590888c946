import Foundation
import TestSupport
import Testing
import _BonjourishTerminal

@testable import _BonjourishConsole

/// Output to a terminal, and what differs in a pipe.
struct OutputTerminalTests {
  private let text = "Ada — “é” 🎲"

  @Test(arguments: [true, false]) func `a terminal that is not of UTF-8 gets ASCII only`(isUnicode: Bool) {
    let terminal = PseudoTerminal()
    let output = Output(terminal.terminal, appearance: Appearance(isUnicode: isUnicode)) { _ in }
    #expect(output.isTerminal)
    output.line(text)
    let shown = terminal.shown(with: "\n")
    #expect(shown == (isUnicode ? text : text.escapedForASCII) + "\r\n")
    #expect(shown.utf8.allSatisfy { $0 < 0x80 } == !isUnicode)
    terminal.hangUp()
  }

  @Test(arguments: [true, false]) func `a pipe gets the same bytes, whatever the terminal shows`(isUnicode: Bool) {
    let pipe = Pipe.unshared()
    let output = Output(pipe.fileHandleForWriting.fileDescriptor, appearance: Appearance(isUnicode: isUnicode)) { _ in }
    #expect(!output.isTerminal)
    output.line(text)
    #expect(pipe.fileHandleForReading.availableData == Data((text + "\n").utf8))
  }
}
