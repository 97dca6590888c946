import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishExplorer

/// Words as a shell reads them.
struct ShellWordsTests {
  @Test(arguments: [
    ("http", "http"), ("", "''"), ("Ada's pages", "\"Ada's pages\""), ("a b", "'a b'"), ("name=Off*", "'name=Off*'"),
    ("it's $5", "'it'\\''s $5'"), ("wow's!", "'wow'\\''s!'"), ("--filter", "--filter"), ("~", "'~'"), ("=ls", "'=ls'"),
    ("a\\b", "'a'\\\\'b'"), ("a\\'b", "'a'\\\\\\''b'"), ("'\u{301}$'", "\\''\u{301}$'\\'"),
    ("李雷", "'李雷'"), ("'", "\"'\""), ("eth0", "eth0"), ("nats://h:4222", "nats://h:4222"),
  ])
  func `a word is quoted if it must be`(word: String, quoted: String) {
    #expect(ShellWords.quoted(word) == quoted)
  }

  @Test(arguments: [
    ("Bücher", #"$'B\303\274cher'"#), ("a b", "'a b'"), ("name=*é'*", #"$'name=*\303\251\047*'"#), ("é1", #"$'\303\2511'"#),
    ("é\\!", #"$'\303\251\134\041'"#), ("http", "http"),
  ])
  func `in ASCII a word is written as bytes`(word: String, quoted: String) {
    #expect(ShellWords.quoted(word, isUnicode: false) == quoted)
  }

  @Test func `what is not shown is written as bytes`() {
    #expect(ShellWords.quoted("é\u{202E}x") == #"$'é\342\200\256x'"#)
    #expect(ShellWords.quoted("👨‍👩‍👧") == "'👨‍👩‍👧'")
  }

  @Test func `a long line is broken between words`() {
    let words = ["bonjourish", "browse", "--filter", "any=*a b*", "--resolve"]
    #expect(ShellWords.lines(words, isUnicode: true, columns: 80) == [ShellWords.line(words)])
    #expect(
      ShellWords.lines(words, isUnicode: true, columns: 31) == [
        #"bonjourish browse \"#, #"    --filter 'any=*a b*' \"#, "    --resolve",
      ])
  }

  @Test(arguments: [
    (#""Ada's pages" http 8080 path=/"#, ["Ada's pages", "http", "8080", "path=/"]), ("  a\t b ", ["a", "b"]), ("", []),
    (#"a\ b 'c"d' "e\"f\\" g"h"i"#, ["a b", "c\"d", "e\"f\\", "ghi"]),
    (#"$'a\'\\\303\274\1017' $a '$'b"#, ["a'\\üA7", "$a", "$b"]), ("''", [""]), (#"note="two words""#, ["note=two words"]),
  ])
  func `a line is taken apart`(line: String, words: [String]) throws {
    #expect(try ShellWords.words(of: line) == words)
  }

  @Test(arguments: ["'a", "\"a", "a\\", "\"a\\", "$'a", #"$'a\'"#]) func `what is not closed is refused`(line: String) {
    #expect(throws: ShellWords.Problem.self) { try ShellWords.words(of: line) }
  }

  @Test func `any words come back from their line`() throws {
    var generator = SeededGenerator(seed: 5)
    let signs = Array("ab '\"\\$`!*?=-~#;&|<>(){}\n\t李é\u{301}\u{0D4E}".unicodeScalars)
    for _ in 0..<2_000 {
      let words = (0..<generator.number(in: 0..<5)).map { _ in
        String(
          String.UnicodeScalarView((0..<generator.number(in: 0..<8)).map { _ in signs[generator.number(in: 0..<signs.count)] }))
      }
      for isUnicode in [true, false] {
        let line = ShellWords.line(words, isUnicode: isUnicode)
        #expect(try ShellWords.words(of: line).map { Array($0.utf8) } == words.map { Array($0.utf8) })
        #expect((isUnicode || line.utf8.allSatisfy { (0x20...0x7E).contains($0) }))
      }
    }
  }
}
