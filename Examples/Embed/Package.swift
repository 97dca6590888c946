// swift-tools-version: 6.2
import PackageDescription

// A separate package that uses the toolkit: it needs nothing but the dependency.
let package = Package(
  name: "embed",
  dependencies: [.package(name: "bonjourish", path: "../..")],
  targets: [
    .executableTarget(name: "advertise", dependencies: [.product(name: "Bonjourish", package: "bonjourish")]),
    .executableTarget(name: "embed", dependencies: [.product(name: "Bonjourish", package: "bonjourish")]),
  ]
)
