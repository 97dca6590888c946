extension [IPAddress] {
  /// The addresses of a host in the order in which to try them.
  package var inOrderOfPreference: [IPAddress] {
    sorted { one, other in
      let (first, second) = (one.preference, other.preference)
      // Text is made only to compare addresses of one kind.
      return first == second ? one.description < other.description : first < second
    }
  }
}
