import Foundation
import TestSupport
import Testing

@testable import TwentyFourWeb

/// Codes as people scan them: read again by a program that knows nothing of how they were made.
struct QRCodeTests {
  static let zbarimg = "/usr/bin/zbarimg"
  static let hasReader = FileManager.default.isExecutableFile(atPath: zbarimg)

  static let address = "http://192.168.178.100:8024/#q6rzr7q2zltnk2kiqfp6qk6kpq"

  /// What zbarimg reads in a text of half blocks, drawn as a terminal draws it.
  private func read(_ lines: [String]) throws -> String {
    let folder = try TemporaryFolder()
    let path = folder.path + "/code.pgm"
    try Data(Picture.pgm(of: lines)).write(to: URL(filePath: path))
    let result = try ChildProcess.run(Self.zbarimg, ["--quiet", "--raw", path])
    return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  @Test(
    .enabled(if: hasReader, "zbarimg is not installed (zbar-tools)"),
    arguments: [
      "http://10.77.0.1:8024/", address, "http://[2001:db8:1234:5678:9abc:def0:1234:5678]:65535/#q6rzr7q2zltnk2kiqfp6qk6kpq",
    ], [4, 2])
  func `a camera reads what the half blocks say`(address: String, margin: Int) throws {
    for level in QRCode.Level.allCases {
      let code = try #require(QRCode(QRCode.short(address), level: level))
      #expect(try read(code.halfBlocks(margin: margin)).lowercased() == address)
    }
  }

  @Test(.enabled(if: hasReader, "zbarimg is not installed (zbar-tools)"))
  func `the code that suits a space is read, too`() throws {
    for (columns, rows) in [(200, 50), (80, 21), (37, 19), (33, 17)] {
      let lines = try #require(QRCode.halfBlocks(QRCode.short(Self.address), columns: columns, rows: rows))
      #expect(lines.count <= rows && lines.allSatisfy { $0.count <= columns })
      // Two light modules at least.
      #expect(lines[0].allSatisfy { $0 == " " } && lines.allSatisfy { $0.hasPrefix("  ") })
      #expect(try read(lines).lowercased() == Self.address)
    }
  }

  @Test func `an address with a token makes a code of 29 modules, which fits into a terminal of 80×24`() throws {
    let code = try #require(QRCode(QRCode.short(Self.address)))
    #expect(code.side == 29)
    let lines = code.halfBlocks()
    #expect(lines.count == 19 && lines.allSatisfy { $0.count == 37 })
    // Quiet all around: four modules, so two lines above.
    #expect(lines[0].allSatisfy { $0 == " " } && lines[1].allSatisfy { $0 == " " } && lines[2].contains("█"))
    #expect(QRCode.halfBlocks(QRCode.short(Self.address), columns: 40, rows: 12) == nil)
    // As it is, it would need more.
    #expect(try #require(QRCode(Self.address)).side > 29)
  }

  @Test(
    arguments: [
      // Of 16 bytes: 25 modules with the better correction, else 21.
      ((33, 17), 33), ((32, 17), 29), ((33, 16), 29), ((29, 15), 29), ((28, 15), 25), ((29, 14), 25), ((25, 13), 25),
      ((24, 13), nil),
      ((25, 12), nil),
    ] as [((Int, Int), Int?)])
  func `with less space the correction is less, then the margin`(space: (columns: Int, rows: Int), width: Int?) throws {
    let text = String(repeating: "a", count: 16)
    #expect(QRCode(text, level: .medium)?.side == 25 && QRCode(text, level: .low)?.side == 21 && QRCode(text)?.side == 25)
    let lines = QRCode.halfBlocks(text, columns: space.columns, rows: space.rows)
    #expect(lines?.count == width.map { ($0 + 1) / 2 })
    #expect(lines?.allSatisfy { $0.count == width } ?? true)
    // Two lines of the full margin, or one of the small one, and a corner of seven modules.
    let blank = lines?.prefix { $0.allSatisfy { $0 == " " } }.count
    #expect(blank == width.map { $0 == 25 ? 1 : 2 })
    if let lines, let blank { #expect(lines[blank].trimmingPrefix(while: { $0 == " " }).hasPrefix("█▀▀▀▀▀█ ")) }
  }

  @Test func `no code is made of what has none`() {
    #expect(QRCode("a\0b") == nil)
    #expect(QRCode(String(repeating: "a", count: 3_000)) == nil)
    #expect(QRCode("", level: .low)?.isDark(row: -1, column: 0) != true)
  }
}
