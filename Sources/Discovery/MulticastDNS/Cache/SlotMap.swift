/// Values in numbered slots. A value keeps its slot until it is removed. Free slots are reused.
struct SlotMap<Value> {
  private var values: [Value?] = []
  private var free: [Int] = []

  private(set) var count = 0

  /// The slots in use, in ascending order.
  var indices: [Int] { values.indices.filter { values[$0] != nil } }

  mutating func insert(_ value: consuming Value) -> Int {
    count += 1
    guard let slot = free.popLast() else {
      values.append(value)
      return values.count - 1
    }
    values[slot] = value
    return slot
  }

  @discardableResult
  mutating func remove(_ slot: Int) -> Value {
    guard let value = values[slot].take() else { preconditionFailure("slot must be in use, but \(slot) is empty") }
    free.append(slot)
    count -= 1
    return value
  }

  subscript(slot: Int) -> Value {
    get { values[slot]! }
    _modify { yield &values[slot]! }
  }
}

extension SlotMap: Sendable where Value: Sendable {}
