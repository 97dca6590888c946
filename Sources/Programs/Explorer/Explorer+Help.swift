import _BonjourishDiscovery
import _BonjourishTerminal

/// The keys: those that matter now, and all.
extension Explorer {
  /// The keys of the bar, the most important first. The first stays longest, then the last.
  var barKeys: [String] {
    if case .reading(let pane) = mode {
      let isReport = if case .report = pane { !report.isEmpty } else { false }
      return ["Esc: back"] + (isReport ? ["y: copy"] : []) + ["space: page", "up, down: scroll"]
    }
    if focus == .details { return ["?: help", "y: copy the line", "o: open", "Esc: back"] }
    var keys = ["?: help"]
    if tree.filter != nil || tree.listsMarkedOnly { keys.append("Esc: show all") }
    if frozen != nil { keys.append("p: go on") }
    if let selected = selectedEntry {
      keys.append("Enter: details")
      if (try? Opening(selected.service.instance, selected.service.endpoint)) != nil { keys.append("o: open") }
      keys.append("y: copy")
      if publications.contains(where: { $0.instance == selected.service.instance }) { keys.append("d: withdraw") }
    } else if selectedGroup != nil {
      keys.append("Enter: fold")
    }
    keys += ["/: filter", "v: \(tree.grouping.next.words)", "s: sort", "n: publish", "D: doctor"]
    return keys + ["q: quit"]
  }

  /// All keys, with what is about the selected row first.
  func helpLines(columns: Int) -> [(text: String, style: Style)] {
    var sections: [(title: String, keys: [(String, String)])] = []
    if let service = selectedEntry?.service {
      var keys = [("Enter, right", "all that is known of it; there, y copies a line")]
      if let opening = try? Opening(service.instance, service.endpoint) {
        keys.append(("o", "open it: \(opening.line)"))
      } else {
        keys.append(("o", "open it: a web server, a printer, SSH, SFTP, SMB, FTP, VNC"))
      }
      keys += [("y", "copy its address, name, host, URL or command"), ("space", "mark it, or not; * lists what is marked")]
      sections.append((service.instance.name.description, keys))
    } else if let group = selectedGroup {
      sections.append((group.title, [("Enter, left, right", "fold it, or show its services"), ("- +", "fold all, show all")]))
    }
    sections.append(
      (
        "The list",
        [
          ("1 2 3 4, v", "by type, by host, by interface, flat; the next of them"),
          ("s", "sort by name, type, host, address"),
          ("/, Esc", "filter: words anywhere, or name=, type=, host=, address=, …, with the wildcards * and ?; show all again"),
          ("p", "freeze: count changes and show them after the next p"),
          ("R", "resolve all services, not only the selected one"),
          ("+ ~ - !", "has come, changed, gone; comes and goes"),
        ]
      ))
    sections.append(
      (
        "More",
        [
          ("n, d", "publish a service from here, until the end; withdraw it"),
          ("D, !", "why is nothing found: examine this machine"),
          ("m, Ctrl-L", "use the mouse or not (Shift selects text); paint anew"),
          ("q, Ctrl-C", "end; in a line that is written, Ctrl-C leaves it"),
        ]
      ))
    var lines: [(text: String, style: Style)] = []
    for section in sections {
      if !lines.isEmpty { lines.append(("", .plain)) }
      lines.append((section.title, .bold))
      for (key, meaning) in section.keys {
        let label = key.padded(to: columns >= 50 ? 18 : 10)
        let pieces = meaning.wrapped(to: max(8, columns - label.columns - 2))
        for (place, piece) in pieces.enumerated() {
          lines.append(((place == 0 ? label : String(repeating: " ", count: label.columns)) + "  " + piece, .plain))
        }
      }
    }
    return lines
  }
}
