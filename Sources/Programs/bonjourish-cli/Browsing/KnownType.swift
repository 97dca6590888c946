import Bonjourish

/// A service type that people meet, with the name of what it is.
///
/// The types are those of IANA's registry of service names (https://www.iana.org/assignments/service-names-port-numbers) and of
/// widespread products that are not registered; the words are ours. Neither /etc/services nor Avahi's database is read, because
/// containers and most desktops have neither.
struct KnownType {
  /// The name without underscore, such as `http`; also its short form on the command line.
  let name: String
  let transport: ServiceType.Transport
  /// What the service is, for people, such as "Web server".
  let title: String

  /// The title of a type; nil for a type that is not in the list.
  static func title(of type: ServiceType) -> String? {
    all.first { $0.name == type.name.lowercased() && $0.transport == type.transport }?.title
  }

  /// All known types, by name.
  static let all: [KnownType] =
    tcp.map { KnownType(name: $0.0, transport: .tcp, title: $0.1) }
    + udp.map { KnownType(name: $0.0, transport: .udp, title: $0.1) }

  private static let tcp: [(String, String)] = [
    ("adisk", "Time Machine disk"),
    ("afpovertcp", "Apple file server (AFP)"),
    ("airplay", "AirPlay display"),
    ("airport", "AirPort base station"),
    ("amzn-wplay", "Amazon Fire TV"),
    ("androidtvremote2", "Android TV remote control"),
    ("apt_proxy", "Debian package cache"),
    ("bitcoin", "Bitcoin node"),
    ("companion-link", "Apple device link"),
    ("daap", "iTunes music library"),
    ("device-info", "Device model"),
    ("distcc", "Distributed compiler"),
    ("dpap", "iPhoto library"),
    ("eppc", "Remote Apple events"),
    ("esphomelib", "ESPHome device"),
    ("ftp", "File server (FTP)"),
    ("git", "Git repositories"),
    ("googlecast", "Chromecast"),
    ("googlezone", "Google speaker group"),
    ("hap", "HomeKit accessory"),
    ("home-assistant", "Home Assistant"),
    ("homekit", "HomeKit home"),
    ("http", "Web server"),
    ("https", "Web server, encrypted"),
    ("hue", "Philips Hue bridge"),
    ("imap", "Mail access (IMAP)"),
    ("ipp", "Printer (IPP)"),
    ("ipps", "Printer, encrypted (IPPS)"),
    ("irc", "Chat server (IRC)"),
    ("ldap", "Directory server (LDAP)"),
    ("matter", "Matter device"),
    ("mqtt", "Message broker (MQTT)"),
    ("nfs", "File server (NFS)"),
    ("nvstream", "NVIDIA game stream"),
    ("nvstream_dbd", "NVIDIA game stream, debug"),
    ("octoprint", "3D printer (OctoPrint)"),
    ("pdl-datastream", "Printer (port 9100)"),
    ("pop3", "Mail access (POP3)"),
    ("postgresql", "PostgreSQL database"),
    ("presence", "Chat between neighbours (XMPP)"),
    ("printer", "Printer (LPD)"),
    ("ptp", "Camera (PTP)"),
    ("raop", "AirPlay speaker"),
    ("rdp", "Remote desktop (RDP)"),
    ("rfb", "Screen sharing (VNC)"),
    ("roku-rcp", "Roku player"),
    ("rsync", "File copies (rsync)"),
    ("rtsp", "Media stream (RTSP)"),
    ("scanner", "Scanner"),
    ("sftp-ssh", "File server (SFTP)"),
    ("smb", "File server (SMB)"),
    ("smtp", "Mail server (SMTP)"),
    ("sonos", "Sonos speaker"),
    ("spotify-connect", "Spotify player"),
    ("ssh", "Remote login (SSH)"),
    ("telnet", "Remote login (Telnet)"),
    ("touch-able", "iTunes remote control"),
    ("twentyfour", "Game of TwentyFour"),
    ("uscan", "Scanner (eSCL)"),
    ("uscans", "Scanner, encrypted (eSCL)"),
    ("webdav", "File server (WebDAV)"),
    ("webdavs", "File server, encrypted (WebDAV)"),
    ("workstation", "Computer"),
    ("xmpp-client", "Chat server (XMPP)"),
  ]

  private static let udp: [(String, String)] = [
    ("coap", "Sensor or actuator (CoAP)"),
    ("domain", "Name server (DNS)"),
    ("lifx", "LIFX lamp"),
    ("matterc", "Matter device to set up"),
    ("meshcop", "Thread border router"),
    ("ntp", "Time server (NTP)"),
    ("sip", "Telephone (SIP)"),
    ("sleep-proxy", "Sleep proxy"),
    ("snmp", "Network management (SNMP)"),
    ("tftp", "File server (TFTP)"),
    ("trel", "Thread radio link"),
  ]
}

extension ServiceType {
  /// Parses a type of the command line: `_http._tcp`, or `http` for it. A short name means TCP, unless it is that of a known type
  /// over UDP.
  init(shorthand text: String) throws(DiscoveryError) {
    let known = KnownType.all.first { $0.name == text.lowercased() }
    let isWhole = text.hasPrefix("_") || text.contains(".")
    try self.init(isWhole ? text : "_\(text).\((known?.transport ?? .tcp).rawValue)")
    // What is written short and is not known is more likely a mistake than a type that breaks the rules.
    if !isWhole, known == nil { try checkForPublishing() }
  }
}
