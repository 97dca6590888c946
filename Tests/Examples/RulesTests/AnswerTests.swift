import Testing
import TwentyFour

struct AnswerTests {
  private let hand = Hand(.eight, .three, .eight, .three)

  @Test func `takes any way to 24 with the numbers of the hand`() throws {
    let answer = try Answer(" 8 ÷ (3 − 8/3)", to: hand)
    #expect(answer.expression.description == "8/(3-8/3)")
    #expect(answer.hand == hand)
  }

  @Test(
    arguments: [
      ("8*3", .wrongDigits(missing: [.three, .eight], extra: [])),
      ("8*3+8-8", .wrongDigits(missing: [.three], extra: [.eight])),
      ("8*3*8/8+3-3", .wrongDigits(missing: [], extra: [.three, .eight])),
      ("6*4", .wrongDigits(missing: [.three, .three, .eight, .eight], extra: [.four, .six])),
      ("8+8+3+3", .wrongValue(Rational(22))),
      ("8/(3-3)+8", .arithmetic(.divisionByZero)),
      ("8*(3+8*", .syntax(SyntaxError(reason: .missingNumber, column: 8))),
      ("83-8*3", .syntax(SyntaxError(reason: .joinedDigits("83"), column: 1))),
    ] as [(String, Answer.Rejection)])
  func `says why something is no answer`(text: String, rejection: Answer.Rejection) {
    #expect(throws: rejection) { try Answer(text, to: hand) }
  }

  @Test func `gives a fraction when the result is one`() throws {
    #expect(throws: Answer.Rejection.wrongValue(try Rational(73, over: 3))) { try Answer("8/3*8+3", to: hand) }
    #expect(Answer.Rejection.wrongValue(try Rational(73, over: 3)).description == "That is 73/3, not 24.")
  }

  @Test func `reasons are sentences of bounded length`() {
    let long = String(repeating: "7*", count: 120) + "9"
    #expect(throws: Answer.Rejection.self) { try Answer(long, to: hand) }
    for text in [long, "8*3", "6*4", "8+8+3+3", "8/(3-3)+8", "("] {
      do {
        _ = try Answer(text, to: hand)
        Issue.record("\(text) was accepted")
      } catch {
        #expect(error.description.hasSuffix("."))
        #expect(error.description.utf8.count < 200)
      }
    }
  }
}
