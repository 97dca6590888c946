import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishEventLoop

@testable import _BonjourishDaemonService

@Suite(.timeLimit(.minutes(1))) struct ProcessLockTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/lock" }

  init() throws { folder = try TemporaryFolder() }

  @Test func `of daemons that are started in the same moment, one has the lock`() async throws {
    let path = path
    for _ in 0..<20 {
      // Each task tells its lock, or why it has none.
      var outcomes = await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask { () -> Result<ProcessLock, ServiceProcess.Failure> in
            do throws(ServiceProcess.Failure) {
              return .success(try ProcessLock(path))
            } catch {
              return .failure(error)
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let failures = outcomes.compactMap { if case .failure(let failure) = $0 { failure.description } else { nil } }
      #expect(failures.count == 3 && failures.allSatisfy { $0.hasPrefix("another daemon runs already") })
      withExtendedLifetime(outcomes) { #expect(ProcessLock.isHeld(path) == true) }
      outcomes = []
      // A process that another test has just forked has it, too, until it executes its program.
      while ProcessLock.isHeld(path) != false { await Task.yield() }
    }
  }

  @Test func `the file is for the daemon's user alone, and stays`() throws {
    do { _ = try ProcessLock(path) }
    var status = stat()
    try systemCall("stat") { stat(path, &status) }
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(ProcessLock.isHeld(folder.path + "/none") == false)
    #expect(try folder.contents() == ["lock"])
  }

  @Test func `a link in its place is not followed, and without a folder there is no lock`() throws {
    try systemCall("symlink") { symlink(folder.path + "/target", path) }
    let failure = #expect(throws: ServiceProcess.Failure.self) { _ = try ProcessLock(path) }
    #expect(failure?.description.contains("cannot be taken") == true)
    #expect(try folder.contents() == ["lock"])
    #expect(throws: ServiceProcess.Failure.self) { _ = try ProcessLock(folder.path + "/none/lock") }
  }
}
