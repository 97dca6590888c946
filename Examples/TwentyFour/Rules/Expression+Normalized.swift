extension Expression {
  /// The calculation in normal order: equal for two expressions that differ only by commuting and regrouping.
  ///
  /// Chains of `+` and `-`, and chains of `*` and `/`, are flattened, so that `a-(b-c)` is `a+c-b` and `a/(b/c)` is `a*c/b`.
  /// Added terms stand before subtracted ones. Single digits stand first and ascend; longer terms follow in the order of their
  /// text.
  public var normalized: Expression {
    switch self {
    case .digit:
      return self
    case .binary(let operation, _, _):
      let isMultiplicative = operation.isMultiplicative
      var chain = Chain(isMultiplicative: isMultiplicative)
      chain.collect(self, isInverse: false)
      return chain.expression
    }
  }
}

/// A sum of terms or a product of factors, some of them inverted.
private struct Chain {
  let isMultiplicative: Bool
  var direct: [Expression] = []
  var inverse: [Expression] = []

  init(isMultiplicative: Bool) {
    self.isMultiplicative = isMultiplicative
  }

  mutating func collect(_ expression: Expression, isInverse: Bool) {
    if case .binary(let operation, let left, let right) = expression, operation.isMultiplicative == isMultiplicative {
      collect(left, isInverse: isInverse)
      collect(right, isInverse: isInverse != operation.isInverse)
    } else if isInverse {
      inverse.append(expression.normalized)
    } else {
      direct.append(expression.normalized)
    }
  }

  /// The chain as an expression. The leftmost term is never inverted, so there is always a first term.
  var expression: Expression {
    let (with, without): (Expression.Operation, Expression.Operation) = isMultiplicative ? (.times, .over) : (.plus, .minus)
    let terms = direct.sorted(by: Chain.precedes)
    let whole = terms.dropFirst().reduce(terms[0]) { .binary(with, $0, $1) }
    return inverse.sorted(by: Chain.precedes).reduce(whole) { .binary(without, $0, $1) }
  }

  static func precedes(_ left: Expression, _ right: Expression) -> Bool {
    switch (left, right) {
    case (.digit(let left), .digit(let right)): left < right
    case (.digit, .binary): true
    case (.binary, .digit): false
    case (.binary, .binary): left.description < right.description
    }
  }
}
