/// What a text looks like to people, for comparison: texts that are easily mistaken for each other have the same likeness
/// (confusable skeletons, UTS 39, section 4).
///
/// The case of letters makes no difference, nor do characters that are not seen.
public struct Likeness: Hashable, Sendable {
  private let skeleton: String
  /// As it is written, for letters that look alike in one case only, as l and I do.
  private let writtenSkeleton: String

  /// Makes the likeness of a text of any length. Only its first 256 characters count.
  public init(of text: String) {
    var seen = String.UnicodeScalarView()
    var hasSpace = true
    for scalar in ICU.compatibilityComposed(String(text.unicodeScalars.prefix(256))).unicodeScalars {
      if scalar.properties.isWhitespace || scalar.value == 0x2800 {
        if !hasSpace { seen.append(" ") }
        hasSpace = true
      } else if !scalar.properties.isDefaultIgnorableCodePoint, scalar.properties.generalCategory != .control {
        seen.append(scalar)
        hasSpace = false
      }
    }
    if seen.last == " " { seen.removeLast() }
    let visible = String(seen)
    skeleton = ICU.skeleton(ICU.skeleton(visible).lowercased())
    writtenSkeleton = ICU.skeleton(visible)
  }

  /// Whether two texts can be mistaken for each other.
  public func isConfusable(with other: Likeness) -> Bool {
    skeleton == other.skeleton || writtenSkeleton == other.writtenSkeleton
  }

  /// Whether each of some different texts is easily mistaken for another of them.
  public static func lookalikes(in texts: [String]) -> [Bool] {
    let all = texts.map { Likeness(of: $0) }
    let (counts, writtenCounts) = all.reduce(into: ([String: Int](), [String: Int]())) { counts, one in
      counts.0[one.skeleton, default: 0] += 1
      counts.1[one.writtenSkeleton, default: 0] += 1
    }
    return all.map { counts[$0.skeleton, default: 0] > 1 || writtenCounts[$0.writtenSkeleton, default: 0] > 1 }
  }

  /// Whether nothing is to be seen.
  public var isBlank: Bool { writtenSkeleton.isEmpty }

  /// Whether a part of the text looks like another text.
  public func contains(_ part: Likeness) -> Bool { skeleton.contains(part.skeleton) }
}
