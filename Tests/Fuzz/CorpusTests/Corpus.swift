import Foundation
import Testing

/// The inputs of one fuzzer.
func corpus(_ name: String, atLeast count: Int = 50) throws -> [(file: String, bytes: [UInt8])] {
  let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Corpus/\(name)").standardized
  let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
  let corpus = try files.map { (file: $0.lastPathComponent, bytes: Array(try Data(contentsOf: $0))) }
  try #require(corpus.count > count, "the corpus is not in \(folder.path)")
  return corpus
}
