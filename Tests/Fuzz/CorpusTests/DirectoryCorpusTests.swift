import DirectoryFuzzCases
import FuzzCases
import Testing

/// Runs what fuzzing has gathered for all that reads what a directory holds, without the fuzzer.
@Suite struct DirectoryCorpusTests {
  @Test func `records, answers and messages are read or refused`() throws {
    for (file, bytes) in try corpus("directory", atLeast: 20) {
      for count in stride(from: bytes.count, through: 0, by: -5) {
        #expect(throws: Never.self, "\(file)") { try DirectoryCase.run(Array(bytes[..<count])) }
      }
    }
  }
}
