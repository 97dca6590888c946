import TestSupport
import Testing

@testable import FramedSecurity

extension Identity {
  /// An identity of a key of any kind, made with openssl in a folder.
  ///
  /// - Parameters:
  ///   - kind: The algorithm and its options, as `openssl genpkey` takes them.
  ///   - name: The name in the certificate. The key is that of the folder if it has one.
  static func made(_ kind: [String], in folder: TemporaryFolder, name: String = "x") throws -> Identity {
    let options = kind.dropFirst().map { "-pkeyopt \($0)" }.joined(separator: " ")
    let command = """
      cd '\(folder.path)' && { [ -e key ] || openssl genpkey -algorithm \(kind[0]) \(options) -out key 2>/dev/null; } \
      && openssl req -x509 -key key -subj /CN=\(name) -days 2 -out cert && cat cert && cat key >&2
      """
    let made = try ChildProcess.run("/bin/sh", ["-c", command])
    try #require(made.code == 0, "\(String(decoding: made.errors, as: UTF8.self))")
    let errors = String(decoding: made.errors, as: UTF8.self)
    let start = try #require(errors.firstRange(of: "-----BEGIN")).lowerBound
    return try Identity(
      certificateChain: String(decoding: made.output, as: UTF8.self), privateKey: String(errors[start...]))
  }
}
