import Testing
import TwentyFour

struct ExpressionTests {
  @Test(arguments: [
    ("8/(3-8/3)", 24), ("8*(9/(5-2))", 24), ("4*6*(3-2)", 24), ("1-2-3", -4), ("8/4/2", 1), ("8/(4/2)", 4), ("1+2*3", 7),
    ("(1+2)*3", 9), (" 9 × 8 ÷ ( 5 − 2 ) ", 24), ("2·3", 6), ("((((7))))", 7), ("1-(2-3)", 2), ("9-5+2", 6),
    ("\t6\n*\r\n4", 24),
    // As people type it.
    ("8x3", 24), ("8 X 3", 24), ("[9-5] x 6", 24), ("8×[9÷(5−2)]", 24), ("９*８/(５－２)", 24), ("［９＋３］×２", 24), ("6–2", 4),
    ("8:2", 4), ("6*4=24", 24), ("6*4 = 2 4 ", 24), ("3*3=24", 9), ("６＊４＝２４", 24),
  ])
  func `means what it meant at school`(text: String, value: Int) throws {
    #expect(try Expression(text).value == Rational(value))
  }

  @Test(
    arguments: [
      ("", .empty, 1), ("   ", .empty, 1), ("25", .joinedDigits("25"), 1), ("1+ 905", .joinedDigits("905"), 4),
      ("0+1", .zero, 1),
      ("10", .joinedDigits("10"), 1), ("-5+1", .negativeNumber, 1), ("3*−2", .negativeNumber, 3), ("(-1)", .negativeNumber, 2),
      ("3+", .missingNumber, 3), ("+3", .missingNumber, 1), ("3**2", .missingNumber, 3), ("()", .missingNumber, 2),
      (")", .missingNumber, 1),
      ("3 4", .missingSign, 3), ("3(4)", .missingSign, 2), ("(3)(4)", .missingSign, 4), ("((3)4", .missingSign, 5),
      ("(1+2", .unclosedParenthesis, 1), ("1+(2*(3)", .unclosedParenthesis, 3), ("1)", .unopenedParenthesis, 2),
      ("2^3", .unexpectedCharacter("^"), 2), ("8y3", .unexpectedCharacter("y"), 2), ("8=8", .unexpectedCharacter("="), 2),
      ("8x", .missingNumber, 3), ("x3", .missingNumber, 1), ("=24", .unexpectedCharacter("="), 1),
      ("1＋(２", .unclosedParenthesis, 3),
      ("6*4=24=24", .unexpectedCharacter("="), 4), ("24", .joinedDigits("24"), 1), ("２４", .joinedDigits("24"), 1),
      ("1+🂡", .unexpectedCharacter("🂡"), 3), ("1+٨", .unexpectedCharacter("٨"), 3), ("1+²", .unexpectedCharacter("²"), 3),
      ("1+8\u{301}", .unexpectedCharacter("8\u{301}"), 3), ("1,5", .unexpectedCharacter(","), 2),
      ("👩‍👩‍👧1", .unexpectedCharacter("👩‍👩‍👧"), 1),
    ] as [(String, SyntaxError.Reason, Int)])
  func `tells what is wrong and where`(text: String, reason: SyntaxError.Reason, column: Int) {
    #expect(throws: SyntaxError(reason: reason, column: column)) { try Expression(text) }
  }

  @Test func `reads as much as is allowed, and no more`() throws {
    let longest = String(repeating: "1+", count: 127) + "9"
    #expect(try Expression(longest).value == Rational(136))
    let full = longest + " "
    #expect(full.utf8.count == Expression.maximumByteCount)
    #expect(try Expression(full).digits.count == 128)
    #expect(throws: SyntaxError(reason: .tooLong, column: 1)) { try Expression(full + " ") }
    #expect(throws: SyntaxError(reason: .tooLong, column: 1)) { try Expression(String(repeating: "(", count: 1_000_000)) }
    #expect(throws: SyntaxError(reason: .tooLong, column: 1)) {
      try Expression("1" + String(repeating: "\u{301}", count: 1_000))
    }
    let depth = Expression.maximumDepth
    let deepest = String(repeating: "(", count: depth) + "1" + String(repeating: ")", count: depth)
    #expect(try Expression(deepest) == .digit(.one))
    #expect(throws: SyntaxError(reason: .tooDeep, column: depth + 1)) { try Expression("(\(deepest))") }
  }

  @Test func `overflow and division by zero are errors`() throws {
    let nines = try Expression(String(repeating: "9*", count: 127) + "9")
    #expect(throws: ArithmeticError.overflow) { try nines.value }
    let quotients = try Expression(String(repeating: "1/", count: 120) + "9")
    #expect(try quotients.value == Rational(1, over: 9))
    let chain = try Expression(String(repeating: "9*9/(1/(", count: 12) + "9" + String(repeating: "))", count: 12))
    #expect(throws: ArithmeticError.overflow) { try chain.value }
    #expect(throws: ArithmeticError.divisionByZero) { try Expression("1/(2-2)").value }
  }

  @Test(arguments: [
    ("((8))/((3)-((8/3)))", "8/(3-8/3)"), ("(1+2)+3", "1+2+3"), ("1+(2+3)", "1+(2+3)"), ("(1*2)+(3/4)", "1*2+3/4"),
    ("(1-2)*(3-4)", "(1-2)*(3-4)"), ("1/(2*3)", "1/(2*3)"), ("(1/2)*3", "1/2*3"),
  ])
  func `prints no parentheses that are not needed`(text: String, printed: String) throws {
    #expect(try Expression(text).description == printed)
  }

  @Test(arguments: [
    ("(5-2)", "5-2"), ("9*8/(5-2)", "8*9/(5-2)"), ("8*(9/(5-2))", "8*9/(5-2)"), ("3-(2-1)", "1+3-2"),
    ("(3-2)*4*6", "4*6*(3-2)"),
    ("(4*(2+3))+1", "1+4*(2+3)"), ("8/(3/(4/2))", "4*8/2/3"), ("(2+3)*(1+4)", "(1+4)*(2+3)"),
  ])
  func `has one normal form for all orders and groupings`(text: String, normal: String) throws {
    #expect(try Expression(text).normalized.description == normal)
  }

  @Test func `errors are sentences without characters that disturb the terminal`() {
    for text in ["", "25", "0", "-1", "3+", "3 4", "(1", "1)", "1\u{202E}", "1\u{7}", "1\u{1B}[2J", "1\u{1F1E6}\u{301}"] {
      do {
        _ = try Expression(text)
        Issue.record("\(text) was read")
      } catch {
        #expect(error.description.hasSuffix("."))
        let isPrintable = error.description.unicodeScalars.allSatisfy { $0.value >= 32 && $0 != "\u{202E}" && $0.value != 0x7F }
        #expect(isPrintable, "\(error.description.debugDescription)")
      }
    }
    #expect(SyntaxError(reason: .unexpectedCharacter("\u{7}"), column: 2).description.contains("U+0007"))
    #expect(SyntaxError(reason: .unexpectedCharacter("x"), column: 2).description.contains("“x”"))
  }
}

/// Properties of expressions that were drawn at random.
struct RandomExpressionTests {
  static func expression(leaves: Int, using generator: inout SeededGenerator) -> Expression {
    guard leaves > 1 else { return .digit(Digit.allCases.randomElement(using: &generator)!) }
    let left = Int.random(in: 1..<leaves, using: &generator)
    return .binary(
      Expression.Operation.allCases.randomElement(using: &generator)!,
      expression(leaves: left, using: &generator), expression(leaves: leaves - left, using: &generator))
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `what is printed reads back as the same`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let expression = Self.expression(leaves: .random(in: 1...12, using: &generator), using: &generator)
      #expect(try Expression(expression.description) == expression, "seed \(seed)")
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `removing any pair of printed parentheses changes the calculation`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let expression = Self.expression(leaves: .random(in: 3...8, using: &generator), using: &generator)
      let text = Array(expression.description)
      for (opening, closing) in pairs(in: text) {
        let shorter = String(text.enumerated().filter { $0.offset != opening && $0.offset != closing }.map(\.element))
        #expect(try Expression(shorter) != expression, "seed \(seed): \(expression) and \(shorter)")
      }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the normal form has the same value and digits, and is its own`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let expression = Self.expression(leaves: .random(in: 1...8, using: &generator), using: &generator)
      let normal = expression.normalized
      #expect(normal.normalized == normal, "seed \(seed): \(expression)")
      #expect(normal.digits.sorted() == expression.digits.sorted(), "seed \(seed): \(expression)")
      // Dividing by a quotient that is zero has no value; after flattening it may have one.
      if let value = try? expression.value { #expect(try normal.value == value, "seed \(seed): \(expression)") }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `any text is read or refused, with a column inside it`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array("0123456789+-*/()()()×÷−· x\u{202E}é🂡\n")
    for _ in 0..<200 {
      let text = String((0..<Int.random(in: 0...60, using: &generator)).map { _ in alphabet.randomElement(using: &generator)! })
      do {
        let expression = try Expression(text)
        #expect(try Expression(expression.description) == expression, "seed \(seed)")
      } catch {
        #expect(1...(text.count + 1) ~= error.column, "seed \(seed): \(text.debugDescription)")
      }
    }
  }

  private func pairs(in text: [Character]) -> [(opening: Int, closing: Int)] {
    var open: [Int] = []
    var pairs: [(Int, Int)] = []
    for (index, character) in text.enumerated() {
      if character == "(" { open.append(index) }
      if character == ")" { pairs.append((open.removeLast(), index)) }
    }
    return pairs
  }
}
