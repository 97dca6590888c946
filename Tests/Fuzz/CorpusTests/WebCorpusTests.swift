import FuzzCases
import Testing
import WebFuzzCases

/// Runs what fuzzing has gathered for WebSockets and their handshakes, without the fuzzer.
@Suite struct WebCorpusTests {
  @Test func `messages are the same however the stream is split`() throws {
    for (file, bytes) in try corpus("websocket") {
      // The third byte is how the stream is split.
      for seed in 0...20 as ClosedRange<UInt8> {
        var bytes = bytes
        if bytes.count > 2 { bytes[2] &+= seed }
        #expect(throws: Never.self, "\(file)") { try WebSocketCase.run(bytes) }
      }
    }
  }

  @Test func `a request is answered, and nothing of it gets into the head of the answer`() throws {
    for (file, bytes) in try corpus("http") {
      for count in stride(from: bytes.count, through: 0, by: -13) {
        #expect(throws: Never.self, "\(file)") { try HTTPCase.run(Array(bytes[..<count])) }
      }
    }
  }
}
