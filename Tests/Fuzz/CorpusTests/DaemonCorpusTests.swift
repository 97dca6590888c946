import DaemonFuzzCases
import FuzzCases
import Testing

/// Runs what fuzzing has gathered for messages of the bus, without the fuzzer.
@Suite struct DaemonCorpusTests {
  @Test func `programs on the bus do not harm the daemon`() throws {
    for (file, bytes) in try corpus("bus") {
      #expect(throws: Never.self, "\(file)") { try BusCase.run(bytes) }
      for count in stride(from: bytes.count, through: 0, by: -97) {
        #expect(throws: Never.self, "\(file)") { try BusCase.run(Array(bytes[..<count])) }
      }
    }
  }
}
