import Testing

@testable import _BonjourishConsole

struct SuggestionTests {
  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ab", 1), ("abc", "abcd", 1),
    ("abc", "acb", 1), ("ca", "abc", 3), ("kitten", "sitting", 3), ("publsih", "publish", 1),
  ])
  func `typing errors are counted`(one: String, other: String, count: Int) {
    #expect(Suggestion.distance(from: one, to: other) == count)
    #expect(Suggestion.distance(from: other, to: one) == count)
  }

  @Test(arguments: [
    ("res", ["resolve", "restore"]), ("brwose", ["browse"]), ("browsers", ["browse"]), ("xyz", []), ("b", ["browse"]),
    ("x", []),
    ("", []), ("resolf", ["resolve"]), ("restole", ["restore"]),
    ("resxxlve", ["resolve"]), ("resxxxlve", []),
  ])
  func `words that begin so are meant, otherwise the most alike`(word: String, meant: [String]) {
    #expect(Suggestion.words(like: word, among: ["browse", "resolve", "restore", "up"]) == meant)
  }

  @Test func `the question names what may be meant`() {
    #expect(Suggestion.question(for: "rse", among: ["res", "rsea"]) == "; did you mean rsea?")
    #expect(Suggestion.question(for: "cat", among: ["car", "bat"]) == "; did you mean car or bat?")
    #expect(Suggestion.question(for: "cat", among: ["elephant"]) == "")
  }
}
