import FuzzCases
import RoomFuzzCases
import Testing

/// Runs what fuzzing has gathered for rooms, without the fuzzer.
@Suite struct RoomCorpusTests {
  @Test func `only who proves a seat gets it back, and only who may come in does`() throws {
    for (file, bytes) in try corpus("room", atLeast: 20) {
      for count in stride(from: bytes.count, through: 0, by: -9) {
        #expect(throws: Never.self, "\(file)") { try RoomCase.run(Array(bytes[..<count])) }
      }
    }
  }
}
