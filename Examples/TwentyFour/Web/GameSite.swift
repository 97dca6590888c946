import CTwentyFourPage
public import FramedWebSockets

/// What browsers are offered: the page of the game, and its WebSocket.
public enum GameSite {
  /// Makes the site.
  ///
  /// - Parameter texts: The texts of the page: a JSON object of strings, in UTF-8.
  public static func make(texts: [UInt8]) -> WebSite {
    let page = WebFile("text/html; charset=utf-8", page_index_html())
    return WebSite(files: [
      "/": page,
      // The script looks at the path.
      "/board": page,
      "/page.css": WebFile("text/css; charset=utf-8", page_css()),
      "/speech.js": WebFile("text/javascript; charset=utf-8", page_speech_js()),
      "/sound.js": WebFile("text/javascript; charset=utf-8", page_sound_js()),
      "/page.js": WebFile("text/javascript; charset=utf-8", page_js()),
      "/icon.svg": WebFile("image/svg+xml", page_icon_svg()),
      "/texts.json": WebFile("application/json", texts),
    ])
  }
}

extension WebFile {
  fileprivate init(_ type: String, _ file: page_file) {
    self.init(type, [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.count)))
  }
}
