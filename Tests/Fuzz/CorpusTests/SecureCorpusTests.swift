import FuzzCases
import SecureFuzzCases
import Testing

/// Runs what fuzzing has gathered for encryption and passcodes, without the fuzzer.
@Suite struct SecureCorpusTests {
  @Test func `TLS is established or refused, whatever happens on the way`() throws {
    for (file, bytes) in try corpus("tls-handshake", atLeast: 20) {
      for count in stride(from: bytes.count, through: 0, by: -7) {
        #expect(throws: Never.self, "\(file)") { try TLSHandshakeCase.run(Array(bytes[..<count])) }
      }
    }
  }

  @Test func `nobody is let in without the passcode, and guesses are counted`() throws {
    for (file, bytes) in try corpus("cpace") {
      for count in stride(from: bytes.count, through: 0, by: -5) {
        #expect(throws: Never.self, "\(file)") { try PasscodeCase.run(Array(bytes[..<count])) }
      }
    }
  }
}
