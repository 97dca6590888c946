import TwentyFour

/// The fields of a hint, of which each step has its own.
struct HintFields: Codable {
  let step: Int
  var operation: String?
  var expression: String?
  var left: String?
  var right: String?

  init(_ hint: Hint) {
    step = hint.step
    switch hint {
    case .lastOperation(let operation):
      self.operation = String(operation.rawValue)
    case .firstStep(let expression):
      self.expression = expression.description
    case .lastStep(let left, let operation, let right):
      self.left = left.description
      self.operation = String(operation.rawValue)
      self.right = right.description
    }
  }

  func hint() throws(MalformedMessage) -> Hint {
    switch step {
    case 1:
      return .lastOperation(try parsedOperation())
    case 2:
      guard let expression = expression.flatMap({ try? Expression($0) }) else { throw .invalid(field: "expression") }
      return .firstStep(expression)
    case 3:
      guard let left = left.flatMap(Rational.init(text:)) else { throw .invalid(field: "left") }
      guard let right = right.flatMap(Rational.init(text:)) else { throw .invalid(field: "right") }
      return .lastStep(left, try parsedOperation(), right)
    default:
      throw .invalid(field: "step")
    }
  }

  private func parsedOperation() throws(MalformedMessage) -> Expression.Operation {
    guard let operation, operation.count == 1, let known = Expression.Operation(rawValue: Character(operation)) else {
      throw .invalid(field: "operation")
    }
    return known
  }
}

extension Rational {
  /// Reads what ``Rational/description`` writes: `7`, `-7` or `7/3`.
  fileprivate init?(text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard text.utf8.count <= 64, let numerator = Int(parts[0]) else { return nil }
    guard parts.count == 2 else {
      self.init(numerator)
      return
    }
    guard let denominator = Int(parts[1]), let fraction = try? Rational(numerator, over: denominator) else { return nil }
    self = fraction
  }
}
