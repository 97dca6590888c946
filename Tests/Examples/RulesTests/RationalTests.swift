import Foundation
import Testing
import TwentyFour

struct RationalTests {
  @Test func `is kept in lowest terms with a positive denominator`() throws {
    let value = try Rational(6, over: -4)
    #expect(value.numerator == -3)
    #expect(value.denominator == 2)
    #expect(value == (try Rational(-9, over: 6)))
    #expect(try Rational(0, over: -7) == Rational(0))
    #expect(try Rational(14, over: 7).integer == 2)
    #expect(value.integer == nil)
  }

  @Test func `calculates exactly`() throws {
    let third = try Rational(1, over: 3)
    let quarter = try Rational(1, over: 4)
    #expect(try third.adding(quarter) == Rational(7, over: 12))
    #expect(try third.subtracting(quarter) == Rational(1, over: 12))
    #expect(try third.multiplied(by: quarter) == Rational(1, over: 12))
    #expect(try third.divided(by: quarter) == Rational(4, over: 3))
    #expect(try Rational(-2).divided(by: Rational(-4)) == Rational(1, over: 2))
  }

  @Test func `refuses to divide by zero`() {
    #expect(throws: ArithmeticError.divisionByZero) { try Rational(1, over: 0) }
    #expect(throws: ArithmeticError.divisionByZero) { try Rational(1).divided(by: Rational(0)) }
  }

  @Test func `reports overflow instead of trapping`() throws {
    let most = Rational(.max)
    let least = Rational(.min)
    #expect(throws: ArithmeticError.overflow) { try most.adding(Rational(1)) }
    #expect(throws: ArithmeticError.overflow) { try least.subtracting(Rational(1)) }
    #expect(throws: ArithmeticError.overflow) { try most.multiplied(by: Rational(2)) }
    #expect(throws: ArithmeticError.overflow) { try least.multiplied(by: Rational(-1)) }
    #expect(throws: ArithmeticError.overflow) { try least.divided(by: Rational(-1)) }
    #expect(throws: ArithmeticError.overflow) { try Rational(1).divided(by: least) }
    #expect(throws: ArithmeticError.overflow) { try Rational(.min, over: -1) }
    #expect(throws: ArithmeticError.overflow) { try Rational(1, over: .min) }
    #expect(throws: ArithmeticError.overflow) { try Rational(1, over: .max).divided(by: Rational(2)) }
    #expect(try Rational(.min, over: .min) == Rational(1))
    #expect(try Rational(.min, over: 2).numerator == .min / 2)
    #expect(try most.divided(by: most) == Rational(1))
    #expect(try least.adding(most) == Rational(-1))
  }

  @Test func `prints as a number or a fraction`() throws {
    #expect(Rational(-7).description == "-7")
    #expect(try Rational(7, over: -3).description == "-7/3")
  }

  @Test(arguments: [("7", 7, 1), ("-7", -7, 1), ("7/3", 7, 3), ("-6/4", -3, 2), ("6/-4", -3, 2)])
  func `is read as it is printed, in lowest terms`(text: String, numerator: Int, denominator: Int) throws {
    let value = try JSONDecoder().decode(Rational.self, from: Data("\"\(text)\"".utf8))
    #expect(value == (try Rational(numerator, over: denominator)))
  }

  @Test(arguments: ["", "/", "7/", "/3", "1/0", "1/2/3", "a", "7.5", "1/b", "9223372036854775808"])
  func `what is no fraction is not read`(text: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Rational.self, from: Data("\"\(text)\"".utf8)) }
  }

  @Test func `a sum that fits does not overflow on the way`() throws {
    let small = try Rational(1, over: 1 << 62)
    #expect(try small.adding(small) == Rational(1, over: 1 << 61))
    #expect(try small.subtracting(small) == Rational(0))
  }

  @Test func `a product that fits does not overflow on the way`() throws {
    let large = try Rational(1 << 62, over: 3)
    #expect(try large.multiplied(by: Rational(3, over: 1 << 62)) == Rational(1))
    #expect(try large.divided(by: large) == Rational(1))
  }
}
