import FramedCoding
import Testing
import _BonjourishEventLoop

@testable import FramedTransport

@Suite struct LayerStackTests {
  /// A layer that only says what it is asked.
  private struct Layer: StreamLayer {
    let name: String
    let story: Observed<[String]>
    var acceptsOneKeyOnly = false
    var error: TransportError?
    var counted: [TransportError.Code] = []

    func wrap(
      _ stream: any ByteStream, peer: SocketAddress, terms: StreamTerms, on transportLoop: TransportLoop
    ) -> any LayeredStream {
      preconditionFailure("there is no stream")
    }

    func require(_ format: FrameFormat) { story.change { $0.append("\(name) requires") } }

    func confirm(_ facts: [any Sendable], _ done: @escaping @Sendable (TransportError?) -> Void) {
      story.change { $0.append("\(name) confirms \(facts)") }
      done(error)
    }

    func prepareToDeliver(_ facts: [any Sendable], _ done: @escaping @Sendable () -> Void) {
      story.change { $0.append("\(name) prepares \(facts)") }
      done()
    }

    func countedCode(for code: TransportError.Code) -> TransportError.Code? {
      counted.contains(code) ? TransportError.Code(description: name) : nil
    }
  }

  private let story = Observed<[String]>([])

  private func stack(_ change: (_ upper: inout Layer, _ lower: inout Layer) -> Void = { _, _ in }) -> LayerStack {
    var (upper, lower) = (Layer(name: "upper", story: story), Layer(name: "lower", story: story))
    change(&upper, &lower)
    return LayerStack(upper, over: lower)
  }

  @Test func `the lower layer checks the peer first, and the upper one only if that is the right one`() {
    let (wrong, other) = (TransportError(.reset, "wrong"), TransportError(.reset, "other"))
    let errors = Observed<[TransportError?]>([])
    for stack in [
      stack(), stack { upper, _ in upper.error = other }, stack { upper, lower in (upper.error, lower.error) = (other, wrong) },
    ] {
      stack.confirm([7]) { error in errors.change { $0.append(error) } }
    }
    #expect(errors.value(\.self) == [nil, other, wrong])
    #expect(
      story.value(\.self)
        == Array(repeating: ["lower confirms [7]", "upper confirms [7]"], count: 3).flatMap(\.self).dropLast())
  }

  @Test func `both layers prepare a connection, and the upper one has the format`() {
    let stack = stack()
    stack.prepareToDeliver([7]) { [story] in story.change { $0.append("done") } }
    stack.require(.standard)
    #expect(story.value(\.self) == ["lower prepares [7]", "upper prepares [7]", "done", "upper requires"])
  }

  @Test func `one layer with a known key is enough, and each counts its own errors`() {
    #expect(!stack().acceptsOneKeyOnly)
    #expect(stack { upper, _ in upper.acceptsOneKeyOnly = true }.acceptsOneKeyOnly)
    #expect(stack { _, lower in lower.acceptsOneKeyOnly = true }.acceptsOneKeyOnly)
    let counting = stack { upper, lower in (upper.counted, lower.counted) = ([.reset], [.reset, .refused]) }
    let codes: [TransportError.Code] = [.reset, .refused, .timedOut]
    #expect(codes.map { counting.countedCode(for: $0)?.description } == ["upper", "lower", nil])
  }

  @Test func `a protection accepts one key only if its layer does`() {
    #expect(!ConnectionSecurity.plaintext.acceptsOneKeyOnly)
    #expect(ConnectionSecurity(stack { upper, _ in upper.acceptsOneKeyOnly = true }).acceptsOneKeyOnly)
  }
}
