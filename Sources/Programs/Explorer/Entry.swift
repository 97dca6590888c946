import _BonjourishDiscovery
import _BonjourishTerminal

/// A service of the list.
struct Entry: Sendable {
  /// What has just happened to a service.
  enum Mark: String, Sendable {
    case found = "+"
    case changed = "~"
    case lost = "-"
  }

  /// What is known of a service beside what its browser tells.
  struct Remarks: Hashable, Sendable {
    /// Whether no host answered when it was resolved.
    var isSilent = false
    /// The time until which it counts as one that comes and goes again and again.
    var flapsUntil: Duration = .zero
    /// Whether the user has marked it.
    var isMarked = false
    /// Whether it is listed for a moment although it is gone.
    var isGone = false
  }

  /// Its last known state, with the endpoint by whoever resolved it.
  var service: DiscoveredService
  var remarks: Remarks
  /// The texts of ``Column/allCases``, escaped.
  var cells: [String]
  /// Their widths in columns of the terminal.
  var widths: [Int]
  let search: SearchText
  /// The groups that it belongs to.
  var groups: [String] = []
  /// Whether the list shows it.
  var isListed = false
  var mark: Mark?
  /// The time at which the mark, or the lost service itself, disappears.
  var end: Duration = .zero

  init(_ service: DiscoveredService, _ remarks: Remarks, title: String?, resolves: Bool, isUnicode: Bool) {
    self.service = service
    self.remarks = remarks
    let texts = Column.allCases.map { $0.text(of: service, remarks, title: title, resolves: resolves) }
    cells = isUnicode ? texts : texts.map(\.escapedForASCII)
    widths = cells.map(\.columns)
    search = SearchText(of: service)
  }
}
