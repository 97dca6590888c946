// swift-tools-version: 6.2
import PackageDescription

// An app outside of the package that uses it, as its author would write it: nothing but the dependency.
let package = Package(
  name: "embed",
  dependencies: [.package(name: "bonjourish", path: "../..")],
  targets: [
    .executableTarget(name: "embed", dependencies: [.product(name: "Bonjourish", package: "bonjourish")])
  ]
)
