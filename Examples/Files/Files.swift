import Bonjourish
import Foundation
import FramedJSON
import FramedSecurity
import FramedTransport

/// What a program asks for: the list of files, or a file of which it has so many bytes with this hash. The answer is a stream.
enum Question: Codable {
  case list
  case file(String, from: Int64, sha256: [UInt8])
}

/// An item of an answer: a file in the list, or a part of a file at a position.
struct Answer: Marshallable {
  var name = ""
  var size: Int64
  var position: Int64 = 0
  var part: [UInt8] = []
}

extension Answer {
  init(from reader: inout MessageReader) throws(MessageError) {
    let (name, size) = (try reader.readString(), try reader.readInt64())
    self.init(name: name, size: size, position: try reader.readInt64(), part: try reader.readBytes())
  }

  func write(to writer: inout MessageWriter) throws(MessageError) {
    try writer.writeString(name)
    writer.writeInt64(size)
    writer.writeInt64(position)
    try writer.writeBytes(part)
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
        if let stamp = try? open(name, in: folder).stamp { try await writer.send(Answer(name: name, size: stamp[0])) }
      }
    case .file(let name, let position, let hash): try await send(name, of: folder, from: position, hash, to: writer)
    }
  }
}

/// Opens a file of a folder, with its size and the time of its last change. Links, and what is no file, are not opened.
private func open(_ name: String, in folder: String, _ mode: Int32 = O_RDONLY) throws -> (file: FileHandle, stamp: [Int64]) {
  var status = stat()
  let descriptor = Glibc.open(name.contains("/") ? "" : "\(folder)/\(name)", mode | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o666)
  guard descriptor >= 0 else { throw RemoteError("noFile", "\(name): \(String(cString: strerror(errno)))") }
  let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
    throw RemoteError("noFile", "\(name): it is no file")
  }
  return (file, [status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec].map(Int64.init))
}

/// Reads the next part of a file; false at its end. `FileHandle` would ask the system for 4 KiB at a time.
private func read(_ part: inout [UInt8], of file: FileHandle, atMost limit: Int64 = .max) -> Bool {
  let wanted = Int(min(limit, Int64(partSize)))
  if part.count != wanted { part = [UInt8](repeating: 0, count: wanted) }
  part.removeLast(wanted - max(0, Glibc.read(file.fileDescriptor, &part, wanted)))
  return !part.isEmpty
}

/// The hash of the beginning of a file, which is then read or written from there on.
private func hash(_ file: FileHandle, to end: Int64) throws -> [UInt8] {
  var digest = ContentDigest()
  var (part, left) = ([UInt8](), end)
  try file.seek(toOffset: 0)
  while left > 0, read(&part, of: file, atMost: left) {
    digest.add(part)
    left -= Int64(part.count)
  }
  return digest.finish()
}

/// Sends what the other side lacks of a file: all of it, if what it has is not the same. The connection proves that what was read here
/// arrives, so only what an earlier one has brought is hashed. Concurrent, because reading blocks.
@concurrent private func send(
  _ name: String, of folder: String, from known: Int64, _ knownHash: [UInt8], to writer: ReplyWriter<MarshallingCodec<Answer>>
) async throws {
  let (file, stamp) = try open(name, in: folder)
  var (part, position) = ([UInt8](), try (0...stamp[0]).contains(known) && hash(file, to: known) == knownHash ? known : 0)
  try file.seek(toOffset: UInt64(position))
  try await writer.send(Answer(size: stamp[0], position: position))
  while read(&part, of: file) {
    try await writer.send(Answer(size: stamp[0], position: position, part: part))
    position += Int64(part.count)
  }
  guard position == stamp[0], try open(name, in: folder).stamp == stamp else {
    throw RemoteError("changed", "\(name) has changed meanwhile; fetch it again")
  }
}

/// Fetches a file into a folder, and replaces none. Goes on where an earlier attempt has ended, and after lost connections.
@concurrent func fetch(
  _ name: String, into folder: String, from client: Client, progress: (_ position: Int64, _ size: Int64) -> Void = { _, _ in }
) async throws {
  let path = "\(folder)/\(name)"
  guard faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0 else { throw RemoteError("exists", "\(path) exists already") }
  let (file, stamp) = try open("\(name).part", in: folder, O_RDWR | O_CREAT)
  var (position, size) = (stamp[0], Int64(-1))
  defer { if position == 0 { unlink("\(path).part") } }  // It was refused.
  let rest = client.replies(eachWithin: .seconds(60)) {
    .file(name, from: position, sha256: (try? hash(file, to: position)) ?? [])
  }
  let isFalse = RemoteError("falseAnswer", "What came is not \(name)")
  for try await answer in rest {
    if answer.part.isEmpty { size = answer.size }  // An answer begins.
    if answer.position == 0 { (position, _) = (0, try file.truncate(atOffset: 0)) }
    let end = position + Int64(answer.part.count)
    guard answer.position == position, answer.size == size, end <= size else { throw isFalse }
    try file.write(contentsOf: answer.part)
    position = end
    progress(position, size)
  }
  guard position == size else { throw isFalse }
  try FileManager.default.moveItem(atPath: "\(path).part", toPath: path)
}
