#if Daemon
import CBonjourishExpat
package import _BonjourishDaemonConfiguration

extension ServiceFile {
  /// Parses a service file.
  ///
  /// The document type is not loaded, and a document that declares an entity is refused: no text is longer than the file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - path: Its path, for errors.
  /// - Throws: ``SettingsError`` with the line for a document that is not well-formed, or not a service group.
  package init(_ bytes: [UInt8], path: String) throws(SettingsError) {
    guard bytes.count <= ServiceFileReader.Limit.file else {
      throw SettingsError(path, "it has more than \(ServiceFileReader.Limit.file) bytes")
    }
    let parsing = Parsing()
    self = try parsing.parse(bytes, path: path)
  }
}

/// One run of the parser, and its only owner.
private final class Parsing {
  private let parser: XML_Parser
  private var reader = ServiceFileReader()
  /// The first problem, and its line.
  private var problem: (reason: String, line: Int)?

  init() {
    guard let parser = XML_ParserCreate(nil) else { preconditionFailure("out of memory") }
    self.parser = parser
  }

  deinit {
    XML_ParserFree(parser)
  }

  func parse(_ bytes: [UInt8], path: String) throws(SettingsError) -> ServiceFile {
    // The handlers are called within XML_Parse only, while the caller holds this object.
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        guard let context, let name else { return }
        Unmanaged<Parsing>.fromOpaque(context).takeUnretainedValue().begin(name, attributes)
      },
      { context, _ in
        guard let context else { return }
        Unmanaged<Parsing>.fromOpaque(context).takeUnretainedValue().take { reader throws(ServiceFileReader.Problem) in
          try reader.end()
        }
      })
    XML_SetCharacterDataHandler(parser) { context, text, count in
      guard let context, let text, count > 0 else { return }
      // The text has no zero at its end.
      let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
      Unmanaged<Parsing>.fromOpaque(context).takeUnretainedValue().take { reader throws(ServiceFileReader.Problem) in
        try reader.add(bytes)
      }
    }
    XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
      guard let context else { return }
      Unmanaged<Parsing>.fromOpaque(context).takeUnretainedValue().refuse("a service file declares no entities")
    }
    let status = bytes.withUnsafeBytes { bytes in
      XML_Parse(parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(bytes.count), 1)
    }
    if let problem { throw SettingsError(path, line: problem.line, problem.reason) }
    guard status == XML_STATUS_OK else {
      let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "it is not well-formed"
      throw SettingsError(path, line: line, "no XML: \(reason)")
    }
    do throws(ServiceFileReader.Problem) {
      return try reader.finish()
    } catch {
      throw SettingsError(path, error.reason)
    }
  }

  private var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

  private func begin(_ name: UnsafePointer<CChar>, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    // Names and values in turn, and a null pointer at the end.
    var attributes: [(name: String, value: String)] = []
    var index = 0
    while let name = list?[index], let value = list?[index + 1] {
      attributes.append((String(cString: name), String(cString: value)))
      index += 2
    }
    take { reader throws(ServiceFileReader.Problem) in try reader.begin(String(cString: name), attributes) }
  }

  private func take(_ step: (inout ServiceFileReader) throws(ServiceFileReader.Problem) -> Void) {
    guard problem == nil else { return }
    do throws(ServiceFileReader.Problem) {
      try step(&reader)
    } catch {
      refuse(error.reason)
    }
  }

  private func refuse(_ reason: String) {
    guard problem == nil else { return }
    problem = (reason, line)
    XML_StopParser(parser, 0)
  }
}
#endif
