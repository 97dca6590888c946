import Foundation
import TestSupport
import Testing
import _BonjourishDiscovery

@testable import BonjourishDirectory

/// What contexts of the `nats` command, and variables of the environment, say.
@Suite struct ContextTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["nats/context", ".config/nats/context"] {
      try FileManager.default.createDirectory(atPath: folder.path + "/" + name, withIntermediateDirectories: true)
    }
  }

  private func configuration(_ variables: [String: String]) throws(DiscoveryError) -> DirectoryConfiguration {
    try .ofEnvironment { variables[$0] }
  }

  /// The configuration of a context with this text, and of variables.
  private func context(
    _ text: String, _ variables: [String: String] = [:], in place: String = "nats"
  ) throws -> DirectoryConfiguration {
    let file = "\(folder.path)/\(place)/context/c.json"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return try configuration(variables.merging(["NATS_CONTEXT": "c", "XDG_CONFIG_HOME": folder.path]) { one, _ in one })
  }

  /// Why a configuration cannot be used; nil if it can.
  private func refusal(_ make: () throws -> DirectoryConfiguration) -> DiscoveryError? {
    do {
      _ = try make()
      return nil
    } catch {
      return error as? DiscoveryError
    }
  }

  private static func words(_ credentials: DirectoryConfiguration.Credentials) -> String {
    switch credentials.kind {
    case .none: "none"
    case .password(let user, let password): "user \(user) \(password)"
    case .token(let token): "token \(token)"
    case .file(let file): "file \(file)"
    case .key(let key, let file): "key \(key ?? "-") \(file)"
    }
  }

  @Test(arguments: [
    (#"{}"#, "none"), (#"{"user": "", "creds": "", "nkey": "", "token": ""}"#, "none"), (#"{"user": "a"}"#, "user a "),
    (#"{"token": "t", "nkey": "/n", "creds": "/c", "user": "a", "password": "p"}"#, "user a p"),
    (#"{"token": "t", "nkey": "/n", "creds": "/c"}"#, "file /c"), (#"{"token": "t", "nkey": "/n"}"#, "key - /n"),
    (#"{"token": "t", "password": "p"}"#, "token t"),
  ])
  func `of several credentials of a context one counts`(text: String, credentials: String) throws {
    #expect(Self.words(try context(text).credentials) == credentials)
  }

  @Test(
    arguments: [
      ([:], "user a p"), (["NATS_PASSWORD": "q", "NATS_TOKEN": "", "NATS_USER": ""], "user a p"),
      (["NATS_USER": "b"], "user b "),
      (["NATS_USER": "b", "NATS_PASSWORD": "q"], "user b q"), (["NATS_USER": "b", "NATS_TOKEN": "t"], "token t"),
      (["NATS_TOKEN": "t", "NATS_NKEY": "/n"], "key - /n"), (["NATS_NKEY": "/n", "NATS_CREDS": "/c"], "file /c"),
    ] as [([String: String], String)])
  func `variables go before the context`(variables: [String: String], credentials: String) throws {
    let configuration = try context(#"{"user": "a", "password": "p"}"#, variables)
    #expect(Self.words(configuration.credentials) == credentials)
  }

  @Test func `a context names servers, certificates and subjects, and what it leaves out is usual`() throws {
    let plain = try context("{}")
    #expect(plain.servers == ["nats://127.0.0.1:4222"] && plain.authorities == nil && plain.certificate == nil)
    #expect(plain.requestPrefix == "$JS.API" && plain.inboxPrefix == "_INBOX")
    #expect(try context(#"{"url": " a,\tb\n,, "}"#).servers == ["a", "b"])
    let full = try context(
      #"{"ca": "/a", "cert": "/c", "key": "/k", "jetstream_api_prefix": "P.API", "jetstream_domain": "d", "inbox_prefix": "I"}"#
    )
    #expect(full.authorities == "/a" && full.certificate?.certificate == "/c" && full.certificate?.key == "/k")
    #expect(full.requestPrefix == "P.API" && full.inboxPrefix == "I")
    #expect(try context(#"{"jetstream_domain": "d"}"#).requestPrefix == "$JS.d.API")
    for one in [#"{"cert": "/c"}"#, #"{"key": "/k"}"#] { #expect(try context(one).certificate == nil) }
    // And by variables.
    let changed = try context(#"{"ca": "/a"}"#, ["NATS_CA": "/b", "NATS_CERT": "/c", "NATS_KEY": "/k", "NATS_URL": "x, y"])
    #expect(changed.authorities == "/b" && changed.certificate?.certificate == "/c" && changed.servers == ["x", "y"])
    #expect(try context("{}", ["NATS_CERT": "/c"]).certificate == nil)
  }

  @Test func `a context is in the folder of the user's configuration, by default in the home folder`() throws {
    let home = ["XDG_CONFIG_HOME": "", "HOME": folder.path]
    #expect(try context(#"{"url": "h"}"#, home, in: ".config/nats").servers == ["h"])
    let error = refusal { try configuration(["NATS_CONTEXT": "c"]) }
    #expect(error == DiscoveryError(.invalidDirectory, "context \"c\": neither XDG_CONFIG_HOME nor HOME is set"))
    let nothing = "looking for a directory: set NATS_URL, or select a context of the nats command"
    for variables in [[:], ["HOME": folder.path], ["NATS_URL": " , "]] as [[String: String]] {
      #expect(refusal { try configuration(variables) } == DiscoveryError(.invalidDirectory, nothing))
    }
  }

  @Test func `a context that cannot be used is refused with the reason`() throws {
    let path = folder.path + "/nats/context/c.json"
    let remedy = "cannot be used by the C library of NATS; make a credentials file, and name it as \"creds\""
    for (text, reason) in [
      (#"{"nsc": "x"}"#, "\"nsc\" \(remedy)"), (#"{"socks_proxy": "x"}"#, "\"socks_proxy\" \(remedy)"),
      (#"{"tls_first": true}"#, "\"tls_first\" cannot be used by the C library of NATS"),
    ] {
      #expect(refusal { try context(text) } == DiscoveryError(.invalidDirectory, "context \"c\": \(reason)"))
    }
    #expect(refusal { try context(#"{"nsc": "", "tls_first": false}"#) } == nil)
    let broken = refusal { try context(#"{"url": "#) }
    #expect(broken?.message.hasPrefix("context \"c\": byte ") == true && broken?.underlyingError != nil)
    #expect(broken?.message.contains(" of \(path): expected ") == true)
    for name in ["a/b", ".", "..", "a\0"] {
      let variables = ["NATS_CONTEXT": name, "HOME": folder.path]
      let reason = "context \"\(name)\": a name of a context is a file's name without .json"
      #expect(refusal { try configuration(variables) } == DiscoveryError(.invalidDirectory, reason))
    }
    let missing = refusal { try configuration(["NATS_CONTEXT": "m", "XDG_CONFIG_HOME": folder.path]) }
    #expect(missing?.message == "context \"m\": there is no file \(folder.path)/nats/context/m.json")
    // A file that is longer than any context.
    let filler = String(repeating: " ", count: 16_382)
    #expect(refusal { try context("{}" + filler) } == nil)
    let long = refusal { try context("{}" + filler + " ") }
    #expect(long?.code == .invalidDirectory && long?.underlyingError != nil)
    #expect(long?.message.hasPrefix("reading \(path): ") == true)
  }
}
