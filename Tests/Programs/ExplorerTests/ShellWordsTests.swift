import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishExplorer

/// Words as a shell reads them.
struct ShellWordsTests {
  @Test(arguments: [
    ("http", "http"), ("", "''"), ("Ada's pages", "\"Ada's pages\""), ("a b", "'a b'"), ("name=Off*", "'name=Off*'"),
    ("it's $5", "'it'\\''s $5'"), ("wow's!", "'wow'\\''s!'"), ("--filter", "--filter"), ("~", "'~'"), ("a\\b", "'a\\b'"),
    ("李雷", "'李雷'"), ("'", "\"'\""), ("eth0", "eth0"), ("nats://h:4222", "nats://h:4222"),
  ])
  func `a word is quoted if it must be`(word: String, quoted: String) {
    #expect(ShellWords.quoted(word) == quoted)
  }

  @Test(arguments: [
    (#""Ada's pages" http 8080 path=/"#, ["Ada's pages", "http", "8080", "path=/"]), ("  a\t b ", ["a", "b"]), ("", []),
    (#"a\ b 'c"d' "e\"f\\" g"h"i"#, ["a b", "c\"d", "e\"f\\", "ghi"]), ("''", [""]), (#"note="two words""#, ["note=two words"]),
  ])
  func `a line is taken apart`(line: String, words: [String]) throws {
    #expect(try ShellWords.words(of: line) == words)
  }

  @Test(arguments: ["'a", "\"a", "a\\", "\"a\\"]) func `what is not closed is refused`(line: String) {
    #expect(throws: ShellWords.Problem.self) { try ShellWords.words(of: line) }
  }

  @Test func `any words come back from their line`() throws {
    var generator = SeededGenerator(seed: 5)
    let signs = Array("ab '\"\\$`!*?=-~#;&|<>(){}\n\t李é")
    for _ in 0..<2_000 {
      let words = (0..<generator.number(in: 0..<5)).map { _ in
        String((0..<generator.number(in: 0..<8)).map { _ in signs[generator.number(in: 0..<signs.count)] })
      }
      #expect(try ShellWords.words(of: ShellWords.line(words)) == words)
    }
  }
}
