/// A table of bounded size that forgets what was stored long ago: two halves, of which the older goes when the younger is full.
///
/// Strangers choose the keys. A flood of them shortens the memory, and costs no more than that.
struct Generations<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The largest number of values in a half.
  private let limit: Int
  private var young: [Key: Value] = [:]
  private var old: [Key: Value] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  /// The number of values, of which some may be there twice.
  var count: Int { young.count + old.count }

  subscript(key: Key) -> Value? {
    get { young[key] ?? old[key] }
    set {
      guard let newValue else {
        young[key] = nil
        old[key] = nil
        return
      }
      if young.count >= limit, young[key] == nil { (old, young) = (young, [:]) }
      young[key] = newValue
    }
  }
}
