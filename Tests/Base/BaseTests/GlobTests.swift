import Testing
import _BonjourishBase

struct GlobTests {
  @Test(arguments: [
    ("", "", true), ("", "*", true), ("", "?", false), ("abc", "abc", true), ("abc", "a*", true), ("abc", "*c", true),
    ("abc", "*b*", true), ("abc", "a?c", true), ("abc", "a?", false), ("abc", "", false), ("aab", "*ab", true),
    ("abab", "*ab", true), ("ab", "a**b", true), ("äé", "??", true), ("a*c", "a*c", true), ("xyz", "*x", false),
  ])
  func `a glob stands for texts`(text: String, glob: String, isMatch: Bool) {
    #expect(Glob(glob).matches(text) == isMatch)
  }

  @Test func `a glob of many stars takes no longer than text times glob`() {
    let glob = Glob(String(repeating: "*a", count: 100) + "b")
    #expect(!glob.matches(String(repeating: "a", count: 5_000)))
  }
}
