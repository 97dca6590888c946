import Bonjourish
import Testing

@testable import bonjourish_cli

/// The types of `browse --all`.
struct FollowedTypesTests {
  private static let (a, b, c): (ServiceType, ServiceType, ServiceType) = ("_a._tcp", "_b._tcp", "_c._tcp")

  @Test func `each type is browsed as long as it is announced`() {
    var types = FollowedTypes()
    #expect(types.found(Self.a) == [.begin(Self.a)])
    #expect(types.found(Self.b) == [.begin(Self.b)])
    #expect(types.lost(Self.a) == [.end(Self.a)])
    #expect(types.ended(Self.a) == [])
    #expect(types.found(Self.a) == [.begin(Self.a)])
  }

  @Test func `a type that comes back waits until its browser has ended`() {
    var types = FollowedTypes()
    _ = types.found(Self.a)
    #expect(types.lost(Self.a) == [.end(Self.a)])
    #expect(types.found(Self.a) == [])
    #expect(types.ended(Self.a) == [.begin(Self.a)])
  }

  @Test func `a type that cannot be browsed is tried again when it comes back`() {
    var types = FollowedTypes()
    _ = types.found(Self.a)
    #expect(types.ended(Self.a) == [])
    #expect(types.lost(Self.a) == [])
    #expect(types.found(Self.a) == [.begin(Self.a)])
  }

  @Test func `at most so many are browsed, and that is told once`() {
    var types = FollowedTypes(limit: 1)
    #expect(types.found(Self.a) == [.begin(Self.a)])
    #expect(types.found(Self.b) == [.tellLimit])
    #expect(types.found(Self.c) == [])
    #expect(types.lost(Self.b) == [])
    #expect(types.lost(Self.a) == [.end(Self.a)])
    #expect(types.ended(Self.a) == [.begin(Self.c)])
    #expect(types.found(Self.b) == [])
  }

  @Test func `of thousands of types 256 are browsed`() throws {
    var types = FollowedTypes()
    var actions: [FollowedTypes.Action] = []
    for number in 0..<5_000 { actions += types.found(try ServiceType("_t\(number)._tcp")) }
    #expect(actions.count == 257 && actions.last == .tellLimit)
  }
}
