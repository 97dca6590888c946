import FuzzCases
import Testing
import TransportFuzzCases

/// Runs what fuzzing has gathered for all that reads frames and messages, without the fuzzer.
@Suite struct TransportCorpusTests {
  @Test func `frames are the same however the stream is split`() throws {
    for (file, bytes) in try corpus("frames") {
      // The third byte is how the stream is split.
      for seed in 0...20 as ClosedRange<UInt8> {
        var bytes = bytes
        if bytes.count > 2 { bytes[2] &+= seed }
        #expect(throws: Never.self, "\(file)") { try FrameDecoderCase.run(bytes) }
      }
    }
  }

  @Test func `messages are read or refused`() throws {
    for (file, bytes) in try corpus("reader") {
      for count in stride(from: bytes.count, through: 0, by: -5) {
        #expect(throws: Never.self, "\(file)") { try MessageReaderCase.run(Array(bytes[..<count])) }
      }
    }
  }

  @Test func `the rules of requests hold whatever happens`() throws {
    for (file, bytes) in try corpus("requests") {
      for count in stride(from: bytes.count, through: 0, by: -3) {
        #expect(throws: Never.self, "\(file)") { try RequestMachineCase.run(Array(bytes[..<count])) }
      }
    }
  }

  @Test func `only methods that a peer may call are carried out`() async throws {
    var run: Set<String> = []
    for (file, bytes) in try corpus("invocations") {
      for count in stride(from: bytes.count, through: 0, by: -5) {
        await #expect(throws: Never.self, "\(file)") { run.formUnion(try await InvocationCase.run(Array(bytes[..<count]))) }
      }
    }
    #expect(run == Set(InvocationCase.methods))
  }

  @Test func `JSON is read as it is written, or refused`() throws {
    for (file, bytes) in try corpus("json") {
      for count in stride(from: bytes.count, through: 0, by: -11) {
        #expect(throws: Never.self, "\(file)") { try JSONCase.run(Array(bytes[..<count])) }
      }
    }
  }
}
