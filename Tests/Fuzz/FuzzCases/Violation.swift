/// What some bytes made the code under test do that it must never do.
package struct Violation: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }

  package static func unless(_ holds: Bool, _ description: @autoclosure () -> String) throws(Violation) {
    if !holds { throw Violation(description()) }
  }
}
