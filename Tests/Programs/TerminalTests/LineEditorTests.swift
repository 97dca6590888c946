import TestSupport
import Testing

@testable import _BonjourishTerminal

struct LineEditorTests {
  /// An editor after these keys were pressed, with a bar where the cursor is.
  private func line(_ keys: Key..., in editor: LineEditor = LineEditor()) -> String {
    var editor = editor
    for key in keys { _ = editor.handle(key) }
    return editor.before + "|" + editor.after
  }

  private func typed(_ text: String) -> LineEditor {
    var editor = LineEditor()
    editor.replace(with: text)
    return editor
  }

  @Test func `characters are inserted and deleted`() {
    #expect(line(.text("1"), .text("+"), .text("2")) == "1+2|")
    #expect(line(.backspace, in: typed("Zoe\u{308}")) == "Zo|")
    #expect(line(.text("\u{308}"), .left, in: typed("Zoe")) == "Zo|e\u{308}")
    #expect(line(.left, .delete, in: typed("12")) == "1|")
    #expect(line(.home, .control("d"), in: typed("12")) == "|2")
    #expect(line(.backspace, .delete, .left, .right) == "|")
  }

  @Test func `the cursor moves by characters, words and to both ends`() {
    #expect(line(.left, .left, in: typed("a李b")) == "a|李b")
    #expect(line(.home, .right, in: typed("ab")) == "a|b")
    #expect(line(.control("a"), .control("f"), .control("e"), .control("b"), in: typed("ab")) == "a|b")
    #expect(line(.alt("b"), in: typed("12*(34-5)")) == "12*(34-|5)")
    #expect(line(.wordLeft, .wordLeft, in: typed("12*(34-5)")) == "12*(|34-5)")
    #expect(line(.home, .alt("f"), .wordRight, in: typed("12*(34-5)")) == "12*(34|-5)")
  }

  @Test func `parts are cut and pasted`() {
    #expect(line(.left, .control("u"), in: typed("abc")) == "|c")
    #expect(line(.left, .control("k"), in: typed("abc")) == "ab|")
    #expect(line(.control("w"), in: typed("give  up ")) == "give  |")
    #expect(line(.control("w"), .home, .control("y"), in: typed("give up")) == "up|give ")
  }

  @Test func `a submitted line can be recalled`() {
    var editor = typed("1+1")
    #expect(editor.handle(.enter) == .submitted("1+1"))
    #expect(editor.text == "")
    editor.replace(with: "2+2")
    #expect(editor.handle(.enter) == .submitted("2+2"))
    editor.replace(with: "2+2")
    #expect(editor.handle(.enter) == .submitted("2+2"))
    #expect(editor.handle(.enter) == .submitted(""))
    #expect(line(.text("d"), .up, in: editor) == "2+2|")
    #expect(line(.up, .up, in: editor) == "1+1|")
    #expect(line(.up, .up, .up, in: editor) == "1+1|")
    #expect(line(.text("d"), .up, .up, .down, .control("n"), in: editor) == "d|")
    #expect(line(.down, in: editor) == "|")
  }

  @Test func `the history is bounded`() {
    var editor = LineEditor()
    for number in 0..<1_000 {
      editor.replace(with: "\(number)")
      _ = editor.handle(.enter)
    }
    for _ in 0..<1_000 { _ = editor.handle(.up) }
    #expect(editor.text == "900")
  }

  @Test func `a paste has no line ends and no control characters, and no more bytes than fit`() {
    #expect(line(.paste("1\n+\u{1B}1\t")) == "1 +1 |")
    #expect(line(.paste("ab李x"), in: LineEditor(limit: 5)) == "ab李|")
    #expect(line(.paste("abc李"), in: LineEditor(limit: 5)) == "abc|")
  }

  @Test func `Ctrl-D ends an empty line only`() {
    var editor = LineEditor()
    #expect(editor.handle(.control("d")) == .ended)
    editor.replace(with: "1")
    #expect(editor.handle(.control("d")) == .edited)
    #expect(editor.handle(.escape) == .ignored && editor.handle(.control("l")) == .ignored)
  }

  @Test func `a window shows the part of a long line around the cursor`() {
    #expect(typed("1234567").window(columns: 10) == ("1234567", 7))
    #expect(typed("1234567").window(columns: 5) == ("4567", 4))
    var editor = typed("1234567")
    _ = editor.handle(.home)
    #expect(editor.window(columns: 5) == ("12345", 0))
    #expect(typed("1李李").window(columns: 4) == ("李", 2))
    #expect(typed("12").window(columns: 0) == ("", 0))
  }

  @Test func `any keys leave a line within its limit, and a window within its columns`() {
    var generator = SeededText(seed: 3)
    let keys: [Key] = [
      .enter, .tab, .backspace, .delete, .up, .down, .left, .right, .home, .end, .wordLeft, .wordRight, .control("a"),
      .control("k"), .control("u"), .control("w"), .control("y"), .alt("b"), .alt("f"), .escape,
    ]
    var editor = LineEditor(limit: 40)
    for _ in 0..<5_000 {
      let random = generator.random.number(in: 0..<keys.count * 2)
      let text = generator.text()
      _ = editor.handle(random < keys.count ? keys[random] : .paste(text))
      #expect(editor.text.utf8.count <= 40)
      let columns = generator.random.number(in: 0..<20)
      let window = editor.window(columns: columns)
      #expect(window.text.columns <= columns && window.cursor <= max(0, columns - 1))
    }
  }
}
