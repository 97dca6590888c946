extension DNSName {
  /// Whether avahi-daemon 0.8 and older drop every query that asks for the name. They read the names of questions, but not those
  /// of records, into 256 characters, in which all but ASCII letters, digits, `-` and `_` are escaped: `\.`, `\\` or `\032`.
  var isTooLongForAvahi: Bool {
    // Every byte escaped: the shortest name that can be too long.
    guard wire.count > Self.longestInAvahi / 4 else { return false }
    let labels = labels
    let characters = labels.joined().reduce(0) { $0 + $1.charactersInAvahi } + max(0, labels.count - 1)
    return characters > Self.longestInAvahi
  }

  /// 256 characters with the null character at the end.
  private static let longestInAvahi = 255
}

extension UInt8 {
  fileprivate var charactersInAvahi: Int {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      1
    case UInt8(ascii: "."), UInt8(ascii: "\\"): 2
    default: 4
    }
  }
}
