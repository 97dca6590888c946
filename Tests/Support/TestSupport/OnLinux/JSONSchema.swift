import Foundation
import _BonjourishBase

/// A schema of JSON texts (JSON Schema, draft 2020-12), as far as this package's schemas use it. A keyword that it does not know is a
/// fault of the schema, not ignored.
package struct JSONSchema: Sendable {
  private let root: JSONValue

  /// Reads a schema from a file.
  package init(path: String) throws {
    root = try Self.read(Array(Data(contentsOf: URL(filePath: path))))
  }

  private static func read(_ text: [UInt8]) throws(JSONReader.Flaw) -> JSONValue {
    try JSONReader.read(text, JSONReader.Limits(byteCount: .max, depth: 64, values: .max))
  }

  /// The names of the definitions.
  package var definitions: Set<String> { Set(root.members["$defs"]?.members.keys.map { $0 } ?? []) }

  /// What is wrong with a JSON text; nothing if it is valid.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - definition: The definition that it must follow; nil for the whole schema.
  package func faults(in text: String, as definition: String? = nil) -> [String] {
    guard let value = try? Self.read(Array(text.utf8)) else { return ["no JSON: \(text)"] }
    let schema: JSONValue = definition.map { .object(["$ref": .string("#/$defs/\($0)")]) } ?? root
    return faults(in: value, schema, at: "line")
  }

  private func faults(in value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
    schema.members.sorted { $0.key < $1.key }.flatMap { faults(in: value, $0.key, $0.value, of: schema, at: place) }
  }

  private func faults(in value: JSONValue, _ keyword: String, _ rule: JSONValue, of schema: JSONValue, at place: String)
    -> [String]
  {
    let fault = ["\(place): \(value) breaks \(keyword) \(rule)"]
    switch keyword {
    case "$schema", "$id", "$defs", "title", "description":
      return []
    case "$ref":
      let name = rule.string.flatMap { $0.hasPrefix("#/$defs/") ? String($0.dropFirst(8)) : nil }
      guard let target = name.flatMap({ root.members["$defs"]?.members[$0] }) else { return ["no such definition: \(rule)"] }
      return faults(in: value, target, at: place)
    case "anyOf", "oneOf":
      let found = rule.elements.map { faults(in: value, $0, at: place) }
      let count = found.count(where: \.isEmpty)
      return count == 1 || keyword == "anyOf" && count > 1 ? [] : fault + found.flatMap(\.self)
    case "type": return rule.string.map(value.types.contains) == true ? [] : fault
    case "const": return value == rule ? [] : fault
    case "enum": return rule.elements.contains(value) ? [] : fault
    case "minLength": return (value.string?.unicodeScalars.count).map(Double.init) ?? .infinity >= rule.number ?? 0 ? [] : fault
    case "maxLength": return (value.string?.unicodeScalars.count).map(Double.init) ?? 0 <= rule.number ?? 0 ? [] : fault
    case "maxItems": return Double(value.elements.count) <= rule.number ?? 0 ? [] : fault
    case "minimum": return value.number ?? .infinity >= rule.number ?? 0 ? [] : fault
    case "maximum": return value.number ?? -.infinity <= rule.number ?? 0 ? [] : fault
    case "pattern":
      guard let text = value.string else { return [] }
      guard let pattern = rule.string, let regex = try? Regex(pattern) else { return ["no pattern: \(rule)"] }
      return text.firstMatch(of: regex) == nil ? fault : []
    case "required": return rule.elements.allSatisfy { $0.string.flatMap { value.members[$0] } != nil } ? [] : fault
    case "dependentRequired":
      let wanted = rule.members.filter { value.members[$0.key] != nil }.flatMap(\.value.elements).compactMap(\.string)
      return wanted.allSatisfy { value.members[$0] != nil } ? [] : fault
    case "items": return value.elements.enumerated().flatMap { faults(in: $1, rule, at: "\(place)[\($0)]") }
    case "properties":
      return rule.members.flatMap { name, rule in
        value.members[name].map { faults(in: $0, rule, at: "\(place).\(name)") } ?? []
      }
    case "additionalProperties":
      let known = schema.members["properties"]?.members ?? [:]
      let others = value.members.filter { known[$0.key] == nil }
      guard rule != .bool(false) else { return others.isEmpty ? [] : fault }
      return others.flatMap { faults(in: $0.value, rule, at: "\(place).\($0.key)") }
    default:
      return ["unknown keyword \(keyword)"]
    }
  }
}

extension JSONSchema {
  /// The schema of the lines of `bonjourish --json`.
  ///
  /// - Parameter file: A file below the folder Tests.
  package static func ofBonjourish(file: String = #filePath) throws -> JSONSchema {
    try JSONSchema(path: package(file) + "/Sources/Programs/bonjourish-cli/Output/output.schema.json")
  }

  /// The schema of a directory's records.
  ///
  /// - Parameter file: A file below the folder Tests.
  package static func ofRecords(file: String = #filePath) throws -> JSONSchema {
    try JSONSchema(path: package(file) + "/Examples/Directory/record.schema.json")
  }

  /// The folder of the package.
  private static func package(_ file: String) -> String {
    file.components(separatedBy: "/Tests/").dropLast().joined(separator: "/Tests/")
  }
}

extension JSONValue {
  fileprivate var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
  fileprivate var elements: [JSONValue] { array ?? [] }

  fileprivate var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .otherNumber(let number): number
    default: nil
    }
  }

  /// The names of the types that the value has.
  fileprivate var types: [String] {
    switch self {
    case .null: ["null"]
    case .bool: ["boolean"]
    case .integer: ["number", "integer"]
    case .otherNumber(let number): number == number.rounded() ? ["number", "integer"] : ["number"]
    case .string: ["string"]
    case .array: ["array"]
    case .object: ["object"]
    }
  }
}
