import Testing

@testable import _BonjourishTerminal

struct ColumnsTests {
  @Test(arguments: [
    ("", 0), ("Ada", 3), ("Zoë", 3), ("Zoe\u{308}", 3), ("李雷", 4), ("ｱ", 1), ("ア", 2), ("한", 2),
    ("\u{1112}\u{1161}\u{11AB}", 2),
    ("🦊", 2), ("👩\u{200D}🚀", 2), ("👍🏽", 2), ("❤\u{FE0F}", 2), ("🇫🇷", 2), ("→", 1), ("a\u{1B}b", 3), ("\u{301}", 1),
    ("\u{202E}", 1),
  ]) func `a text takes as many columns as a terminal gives it`(text: String, columns: Int) {
    #expect(text.columns == columns)
  }

  @Test func `a text is truncated and filled by columns`() {
    #expect("李雷 and more".truncated(to: 6) == "李雷 …")
    #expect("李雷".truncated(to: 4) == "李雷")
    #expect("李雷".truncated(to: 3) == "李…")
    #expect("李雷".truncated(to: 2) == "…")
    #expect("李雷".truncated(to: 0) == "")
    #expect("李雷".truncated(to: 3, ellipsis: "..") == "..")
    #expect("李雷".truncated(to: 1, ellipsis: "..") == ".")
    #expect("李".padded(to: 4) == "李  ")
    #expect("李雷".padded(to: 3) == "李…")
    #expect("李雷X".padded(to: 4) == "李… ")
    #expect("12".leftPadded(to: 4) == "  12")
  }

  @Test func `a text is wrapped at spaces, and within a word that is too long`() {
    #expect("one two  three".wrapped(to: 7) == ["one two", "three"])
    #expect("abcdefgh ij".wrapped(to: 3) == ["abc", "def", "gh", "ij"])
    #expect("a李b".wrapped(to: 1) == ["a", "b"])
    #expect("".wrapped(to: 5) == [])
    #expect("a b".wrapped(to: 0) == [])
  }

  @Test func `wrapped and truncated text fits`() {
    var generator = SeededText(seed: 24)
    for _ in 0..<500 {
      let text = generator.text()
      let columns = Int.random(in: 0...12, using: &generator.random)
      #expect(text.truncated(to: columns).columns <= columns)
      #expect(text.padded(to: columns).columns == columns)
      for line in text.wrapped(to: columns) { #expect(line.columns <= columns) }
    }
  }
}
