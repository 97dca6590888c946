import Foundation
import TestSupport
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(1))) struct StateFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/state" }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func errors() async -> [RoomError] {
    let file = StateFile<[String]>(path)
    var errors: [RoomError] = []
    do throws(RoomError) { _ = try await file.read() } catch { errors.append(error) }
    do throws(RoomError) { try await file.write(["Ada"], port: 4242, admission: nil) } catch { errors.append(error) }
    return errors
  }

  @Test func `a state is read again, by its owner alone`() async throws {
    let file = StateFile<[String]>(path)
    #expect(try await file.read() == nil)
    try await file.write(["Ada", "Bob"], port: 4242, admission: nil)
    let state = try await file.read()
    #expect(state?.contents == ["Ada", "Bob"] && state?.port == 4242)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    #expect(try folder.contents() == ["state"])
    await file.remove()
    #expect(try folder.contents() == [])
  }

  @Test func `what lets people find the host and come in again is kept with the state`() async throws {
    let file = StateFile<[String]>(path)
    let invitation = Invitation.random()
    let admission = HostAdmission.Kept(passcode: "471123", invitation: invitation)
    try await file.write([], port: 1, webPort: 2, publisher: 3, admission: admission)
    let kept = try #require(try await file.read())
    #expect(kept.port == 1 && kept.webPort == 2 && kept.publisher == 3)
    #expect(kept.admission?.passcode == "471123" && kept.admission?.invitation == invitation)
    // What there is no more is not kept.
    try await file.write([], port: 4, admission: nil)
    let later = try #require(try await file.read())
    #expect(later.port == 4 && later.webPort == nil && later.publisher == nil && later.admission == nil)
  }

  @Test func `a FIFO or a link in place of the state is an error at once, which says what to do`() async throws {
    for make in [{ mkfifo(path, 0o600) }, { symlink("/dev/zero", path) }] as [() -> Int32] {
      #expect(make() == 0)
      let errors = await errors()
      #expect(errors.map(\.code) == [.unusableState, .cannotKeepState])
      for error in errors { #expect(error.message.hasSuffix("not a file; name a file, or move it away"), "\(error)") }
      #expect(unlink(path) == 0)
    }
  }

  @Test func `a state of a GiB is an error at once`() async throws {
    try await StateFile<[String]>(path).write([], port: 1, admission: nil)
    #expect(truncate(path, 1 << 30) == 0)
    let errors = await errors()
    #expect(errors.map(\.code) == [.unusableState])
    #expect(errors.first?.message.contains("1073741824 bytes or more, and at most 67108864") == true)
  }
}
