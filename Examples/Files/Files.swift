import Bonjourish
import Foundation
import FramedJSON
import FramedSecurity
import FramedTransport

/// What a program asks for: the list of files, or a file from a position on. The answer is a stream.
enum Question: Codable {
  case list
  case file(String, from: Int64)
}

/// An item of an answer: a file in the list, a part of a file, or, at its end, the SHA-256 hash of the whole file.
struct Answer: Marshallable {
  var name = ""
  var size: Int64
  var part: [UInt8] = []
  var hash: [UInt8] = []
}

extension Answer {
  init(from reader: inout MessageReader) throws(MessageError) {
    let name = try reader.readString()
    self.init(name: name, size: try reader.readInt64(), part: try reader.readBytes(), hash: try reader.readBytes())
  }

  func write(to writer: inout MessageWriter) throws(MessageError) {
    try writer.writeString(name)
    writer.writeInt64(size)
    try writer.writeBytes(part)
    try writer.writeBytes(hash)
  }
}

let type: ServiceType = "_bonjour-files._tcp"
typealias Client = RequestClient<JSONCodec<Question>, MarshallingCodec<Answer>>
let (questions, answers) = (JSONCodec<Question>(), MarshallingCodec<Answer>())
let (partSize, format) = (256 * 1024, FrameFormat(maximumBodySize: 257 * 1024))

/// Answers the questions of another program about the files of a folder.
func serve(_ folder: String, over connection: Connection) async throws(MessagingError) {
  try await connection.answerRequests(questions, replies: answers) { _, _ in
    throw RemoteError.unsupported
  } streaming: { question, writer, _ in
    switch question {
    case .list:
      for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
        if let (_, size) = try? open(name, in: folder) { try await writer.send(Answer(name: name, size: size)) }
      }
    case .file(let name, let position): try await send(name, of: folder, from: position, to: writer)
    }
  }
}

/// Opens a file for reading. Links, and what is no file, are not offered.
private func open(_ name: String, in folder: String) throws -> (FileHandle, size: Int64) {
  var status = stat()
  let descriptor = name.contains("/") ? -1 : Glibc.open("\(folder)/\(name)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
  let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
    throw RemoteError("noFile", "There is no file \(name)")
  }
  return (file, Int64(status.st_size))
}

/// Sends a file. It is hashed from its beginning, and so is what the other side already has. Concurrent, because reading blocks.
@concurrent private func send(
  _ name: String, of folder: String, from position: Int64, to writer: ReplyWriter<MarshallingCodec<Answer>>
) async throws {
  let (file, size) = try open(name, in: folder)
  var digest = ContentDigest()
  var end: Int64 = 0
  while let data = try file.read(upToCount: partSize), !data.isEmpty {
    let part = [UInt8](data)
    digest.add(part)
    end += Int64(part.count)
    guard end > position else { continue }
    try await writer.send(Answer(size: size, part: end - position < part.count ? part.suffix(Int(end - position)) : part))
  }
  try await writer.send(Answer(size: size, hash: digest.finish()))
}

/// Fetches a file into a folder. Goes on where an earlier attempt has ended, and after connections that are lost.
@concurrent func fetch(
  _ name: String, into folder: String, from client: Client, progress: (_ position: Int64, _ size: Int64) -> Void = { _, _ in }
) async throws {
  let path = "\(folder)/\(name)"
  let descriptor = name.contains("/") ? -1 : Glibc.open("\(path).part", O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
  guard descriptor >= 0 else { throw RemoteError("noFile", "\(path).part cannot be written") }
  let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  var digest = ContentDigest()
  var position: Int64 = 0
  defer { if position == 0 { unlink("\(path).part") } }  // It was refused.
  while let data = try file.read(upToCount: partSize), !data.isEmpty {
    digest.add([UInt8](data))
    position += Int64(data.count)
  }
  for try await answer in client.replies(eachWithin: .seconds(60), resuming: { .file(name, from: position) }) {
    try file.write(contentsOf: answer.part)
    digest.add(answer.part)
    position += Int64(answer.part.count)
    progress(position, answer.size)
    guard !answer.hash.isEmpty else { continue }
    guard answer.hash == digest.finish() else {
      unlink("\(path).part")
      throw RemoteError("changed", "\(name) has changed meanwhile; fetch it again")
    }
    rename("\(path).part", path)
  }
}
