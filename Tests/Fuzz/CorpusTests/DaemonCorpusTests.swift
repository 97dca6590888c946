import DaemonFuzzCases
import FuzzCases
import Testing

/// Runs what fuzzing has gathered for messages of the bus and lines of the simple socket, without the fuzzer.
@Suite struct DaemonCorpusTests {
  @Test func `programs on the bus do not harm the daemon`() throws {
    for (file, bytes) in try corpus("bus") {
      #expect(throws: Never.self, "\(file)") { try BusCase.run(bytes) }
      for count in stride(from: bytes.count, through: 0, by: -97) {
        #expect(throws: Never.self, "\(file)") { try BusCase.run(Array(bytes[..<count])) }
      }
    }
  }

  @Test func `whatever programs call, the results have the types that introspection tells`() throws {
    for (file, bytes) in try corpus("calls") {
      #expect(throws: Never.self, "\(file)") { try CallCase.run(bytes) }
      for count in stride(from: bytes.count, through: 0, by: -97) {
        #expect(throws: Never.self, "\(file)") { try CallCase.run(Array(bytes[..<count])) }
      }
    }
  }

  @Test func `clients of the simple socket get one answer, in whatever pieces they ask`() throws {
    for (file, bytes) in try corpus("simple-socket") {
      for count in 0...bytes.count {
        #expect(throws: Never.self, "\(file)") { try SimpleSocketCase.run(Array(bytes[..<count])) }
      }
    }
  }
}
