import Testing
import _BonjourishBase

struct LogMessageTests {
  @Test func `levels are ordered by importance, and have the names of swift-log`() {
    let levels = LogMessage.Level.allCases
    #expect(levels.map(\.rawValue) == ["debug", "info", "warning"])
    for (place, level) in levels.enumerated() {
      #expect(levels.map { level < $0 } == levels.indices.map { place < $0 })
    }
  }

  @Test(arguments: [
    ("_BonjourishMulticastBackend/Engine.swift", "MulticastBackend"), ("FramedTransport/Acceptor.swift", "FramedTransport"),
    ("Bonjourish/Bonjour.swift", "Bonjourish"), ("_Bonjourish", ""),
  ])
  func `the source of a message is the module of its file, without what all have in common`(file: String, source: String) {
    #expect(LogMessage(.info, "text", in: file).source == source)
  }

  @Test func `a message is shown escaped, and otherwise as it was made`() {
    let message = LogMessage(.warning, "a\u{1B}[2J", ["peer": "b\n"])
    #expect("\(message)" == #"a\u{1B}[2J"# && message.text == "a\u{1B}[2J")
    #expect(message.level == .warning && message.metadata == ["peer": "b\n"] && message.source == "BaseTests")
    #expect(LogMessage(.debug, "text").metadata.isEmpty)
  }
}
