import CBonjourishLinux
import FramedTransport
import _BonjourishEventLoop
import _FramedWebProtocol

/// What comes before the first frame.
extension WebStream {
  /// The bytes to receive at once before it is known what the peer speaks.
  private static let headRoom = 4096

  /// The longest time for a peer to receive an answer and to end its side.
  private static let answeringTime = Duration.seconds(10)

  /// Begins: a client asks, a server waits.
  func begin() {
    loop.assertIsCurrent()
    deadline = WebDeadline(pendingFor: terms.admissionTime, since: layer.now())
    if case .client(let request) = side {
      let offer = request.offer()
      self.offer = offer
      output = offer.request
      phase = .head(HTTPLines())
      flush()
    }
    settleOrFail()
  }

  /// Goes on as far as the received bytes permit.
  func open() {
    loop.assertIsCurrent()
    do throws(SystemError) {
      var count = 0
      try held.append(addingCapacity: Self.headRoom) { (output) throws(SystemError) in
        count = try lower.receive(into: &output)
      }
      if count == 0 {
        hasInputEnded = true
        return fail(
          TransportError(
            role == .client ? .handshakeMalformed : .answered,
            "The connection with \(peer) ended before the WebSocket was open; check that a server of WebSockets listens at this port"
          ))
      }
    } catch  where error.errno == EAGAIN {
      return
    } catch {
      return fail(lower.failure ?? TransportError(error, "Reading from \(peer)"))
    }
    if case .sniffing = phase { sniff() }
    if case .head(let lines) = phase { read(lines) }
  }

  /// Finds out whether the bytes so far are a length or text.
  private func sniff() {
    let size = prefix.width.rawValue
    let beginning = held.prefix(size)
    guard let first = beginning.first else { return }
    let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
    guard isLetter, beginning.allSatisfy({ (WebLayer.leastByte...0x7E).contains($0) }) else {
      phase = .native
      isNative = true
      return core.establish()
    }
    guard beginning.count == size, case .server(let site) = side else { return }
    phase = .head(HTTPLines())
    core.setTimer(after: deadline.time(within: site.headTime, at: layer.now())) {
      self.answer(to: HTTPRefusal(status: .requestTimeout, reason: "The request came too slowly."))
      self.settleOrFail()
    }
  }

  private func read(_ lines: HTTPLines) {
    var lines = lines
    var offset = 0
    do throws(HTTPRefusal) {
      let isComplete = try lines.read(held.span, from: &offset)
      held.removeFirst(offset)
      guard isComplete else {
        phase = .head(lines)
        return
      }
      if held.isEmpty { held = [] }
      switch side {
      case .server(let site): react(site.react(to: lines.lines, isEncrypted: isEncrypted, isAlone: held.isEmpty))
      case .client: accept(try HTTPAnswer(lines.lines))
      }
    } catch {
      switch side {
      case .server: answer(to: error)
      case .client: fail(.malformedHandshake(of: peer, error.reason))
      }
    }
  }

  // MARK: - The server

  private func react(_ reaction: WebReaction) {
    switch reaction {
    case .answer(let response, let hasBody):
      answer(response, hasBody: hasBody)
    case .handle(let request, let hasBody):
      handle(request, hasBody: hasBody)
    case .upgrade(let response, let details):
      output = response.head
      flush()
      openForMessages(details)
    }
  }

  private func answer(to refusal: HTTPRefusal) {
    answer(WebSite.response(to: refusal), hasBody: true)
  }

  /// Answers, and then ends the connection: one request each, so that nothing can be hidden behind it.
  func answer(_ response: HTTPResponse, hasBody: Bool) {
    held = []
    phase = .answering
    core.setTimer(after: Self.answeringTime) { self.endAnswering() }
    output = response.head + (hasBody ? response.body : [])
    flush()
  }

  /// Drops what still comes, so that no reset destroys what is on its way to the peer, until the peer ends its side.
  func dropInput() {
    loop.assertIsCurrent()
    var buffer = workspace.input.take()
    defer { workspace.input.give(&buffer) }
    do throws(SystemError) {
      var count = 0
      try buffer.append(addingCapacity: WebWorkspace.inputSize) { (output) throws(SystemError) in
        count = try lower.receive(into: &output)
      }
      guard count == 0 else { return }
      hasInputEnded = true
      if case .handling = phase { return }
      // A peer that has ended its side may still read.
      if isFlushed { endAnswering() }
    } catch  where error.errno == EAGAIN {
    } catch {
      endAnswering()
    }
  }

  /// Gives the connection up, whose last bytes have left.
  func endAnswering() {
    if case .failing(let error) = phase { return fail(error) }
    fail(TransportError(.answered, "The request of \(peer) was answered"))
  }

  // MARK: - The client

  private func accept(_ answer: HTTPAnswer) {
    guard let offer else { return }
    do throws(HTTPRefusal) {
      let subprotocol = try offer.check(answer)
      openForMessages(
        WebDetails(target: offer.target, host: offer.host, origin: offer.origin, subprotocol: subprotocol))
    } catch  where error.status == .switchingProtocols {
      fail(.malformedHandshake(of: peer, error.reason))
    } catch {
      fail(.refused(by: peer, error))
    }
  }

  // MARK: - Both

  private func openForMessages(_ details: WebDetails) {
    guard failure == nil else { return }
    offer = nil
    phase = .open
    webFacts.set(details)
    core.establish()
  }
}
