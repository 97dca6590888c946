import Testing

@testable import FramedTransport

@Suite struct InheritedSocketsTests {
  private typealias Entry = InheritedSockets.Entry

  @Test func `the environment is read`() throws {
    let named = try InheritedSockets.parse(processID: "7", count: "2", names: "web:", of: 7)
    #expect(named == [Entry(descriptor: 3, name: "web"), Entry(descriptor: 4, name: "")])
    let unnamed = try InheritedSockets.parse(processID: "7", count: "1", names: nil, of: 7)
    #expect(unnamed == [Entry(descriptor: 3, name: "unknown")])
    #expect(try InheritedSockets.parse(processID: "7", count: "0", names: "", of: 7) == [])
  }

  @Test func `what is not there or for another process is nothing`() throws {
    #expect(try InheritedSockets.parse(processID: nil, count: nil, names: nil, of: 7) == [])
    #expect(try InheritedSockets.parse(processID: nil, count: "1", names: nil, of: 7) == [])
    #expect(try InheritedSockets.parse(processID: "8", count: "1", names: nil, of: 7) == [])
    #expect(try InheritedSockets.parse(processID: "8", count: "junk", names: nil, of: 7) == [])
  }

  @Test(arguments: [
    ("", "1", nil), ("-7", "1", nil), ("7x", "1", nil), ("7", "", nil), ("7", "70000", nil), ("7", "2", "one"),
    ("7", "0", "a"), ("7", "1", "a:b"),
  ])
  func `what cannot be true is refused`(process: String, count: String, names: String?) {
    let error = #expect(throws: TransportError.self) {
      try InheritedSockets.parse(processID: process, count: count, names: names, of: 7)
    }
    #expect(error?.code == .unusableSocket)
  }
}
