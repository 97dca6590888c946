import FuzzCases
import Testing

/// Runs what fuzzing has gathered, without the fuzzer: captured and made-up datagrams, and all that once went wrong.
@Suite struct CorpusTests {
  @Test func `messages are read as they were written`() throws {
    for (file, bytes) in try corpus("message") {
      #expect(throws: Never.self, "\(file)") { try MessageCase.run(bytes) }
      // What is cut must be met with an error, never a trap.
      for count in stride(from: 0, to: bytes.count, by: 7) { try MessageCase.run(Array(bytes[..<count])) }
    }
  }

  @Test func `the engine keeps its bounds`() throws {
    for (file, bytes) in try corpus("engine") {
      #expect(throws: Never.self, "\(file)") { try EngineCase.run(bytes) }
    }
  }

  @Test func `the reflector lets nothing pass that is denied`() throws {
    for (file, bytes) in try corpus("reflector") {
      #expect(throws: Never.self, "\(file)") { try ReflectorCase.run(bytes) }
    }
  }
}
