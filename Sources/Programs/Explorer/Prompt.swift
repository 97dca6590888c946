import _BonjourishTerminal

/// A line that is being written at the bottom of the screen.
struct Prompt: Sendable {
  /// What it is for.
  enum Purpose: Sendable {
    /// What `/` shows; the filter that is used again after Ctrl-C.
    case filter(former: ListFilter?)
    /// A service to publish: name, type, port and TXT entries.
    case publish
  }

  let purpose: Purpose
  var editor = LineEditor(limit: 400)

  init(_ purpose: Purpose, _ text: String = "") {
    self.purpose = purpose
    editor.replace(with: text)
  }

  /// What stands in front of the line.
  var label: String {
    switch purpose {
    case .filter: "/"
    case .publish: "publish "
    }
  }

  /// What may be written, for the line above.
  var advice: String {
    switch purpose {
    case .filter: "words anywhere, or name= type= host= address= …   Enter: keep   Esc: show all"
    case .publish: "NAME TYPE PORT [KEY=VALUE …], such as \"Ada's pages\" http 8080 path=/   Enter: publish   Esc: leave"
    }
  }
}

/// A few things to choose from, each by a letter.
struct Menu: Sendable {
  /// What is chosen.
  enum Choice: Hashable, Sendable {
    case copy(String)
    case withdraw(Int)
  }

  struct Item: Sendable {
    let key: Unicode.Scalar?
    let label: String
    /// What is shown beside it, escaped for display.
    let text: String
    let choice: Choice
  }

  let title: String
  let items: [Item]
  var selected = 0
}

/// What covers the list.
enum Pane: Sendable {
  case help(scroll: Int)
  case report(scroll: Int)
}

/// Where a picture had what, for the mouse.
struct Layout: Sendable {
  /// A part of the screen.
  struct Area: Sendable {
    var row = 0
    var column = 0
    var rows = 0
    var columns = 0

    func contains(_ position: Canvas.Position) -> Bool {
      position.row >= row && position.row < row + rows && position.column >= column && position.column < column + columns
    }
  }

  var size = TerminalSize(columns: 80, rows: 24)
  /// The rows of services and groups.
  var list = Area()
  var details = Area()
  /// Whether the details are in sight, beside the list or below it.
  var hasDetails = false
  /// For each row of the details the line of which it is a part.
  var detailLines: [Int] = []

  /// How many rows of the list are moved by a page.
  var page: Int { max(1, list.rows) }
}
