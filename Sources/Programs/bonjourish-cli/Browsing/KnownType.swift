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

  /// The name that ``ServiceType/init(shorthand:)`` reads as a known type: of the same name over TCP and UDP only that over TCP has one.
  static func shortName(of type: ServiceType) -> String? {
    all.first { $0.name == type.name.lowercased() }?.transport == type.transport ? type.name : nil
  }

  /// All known types, by name.
  static let all: [KnownType] =
    tcp.map { KnownType(name: $0.0, transport: .tcp, title: $0.1) }
    + udp.map { KnownType(name: $0.0, transport: .udp, title: $0.1) }

  private static let tcp: [(String, String)] = [
    ("adb", "Android debugging"),
    ("adb-tls-connect", "Android debugging, encrypted"),
    ("adb-tls-pairing", "Android device to pair for debugging"),
    ("adisk", "Time Machine disk"),
    ("afpovertcp", "Apple file server (AFP)"),
    ("airdrop", "AirDrop"),
    ("airplay", "AirPlay display"),
    ("airport", "AirPort base station"),
    ("amqp", "Message broker (AMQP)"),
    ("amzn-wplay", "Amazon Fire TV"),
    ("androidtvremote", "Android TV remote control, old"),
    ("androidtvremote2", "Android TV remote control"),
    ("apple-mobdev2", "iPhone or iPad, for synchronising"),
    ("apt_proxy", "Debian package cache"),
    ("axis-video", "Network camera (Axis)"),
    ("bitcoin", "Bitcoin node"),
    ("caldav", "Calendars (CalDAV)"),
    ("caldavs", "Calendars, encrypted (CalDAV)"),
    ("carddav", "Address books (CardDAV)"),
    ("carddavs", "Address books, encrypted (CardDAV)"),
    ("companion-link", "Apple device link"),
    ("daap", "iTunes music library"),
    ("dacp", "Remote control of a player (DACP)"),
    ("device-info", "Device model"),
    ("distcc", "Distributed compiler"),
    ("dkapi", "Daikin air conditioner"),
    ("dpap", "iPhoto library"),
    ("elg", "Elgato light"),
    ("enphase-envoy", "Solar gateway (Enphase)"),
    ("eppc", "Remote Apple events"),
    ("esphomelib", "ESPHome device"),
    ("fax-ipp", "Fax machine (IPP)"),
    ("ftp", "File server (FTP)"),
    ("git", "Git repositories"),
    ("googlecast", "Chromecast"),
    ("googlerpc", "Google Home device"),
    ("googlezone", "Google speaker group"),
    ("hap", "HomeKit accessory"),
    ("heos-audio", "Music player (HEOS)"),
    ("home-assistant", "Home Assistant"),
    ("homekit", "HomeKit home"),
    ("http", "Web server"),
    ("https", "Web server, encrypted"),
    ("hue", "Philips Hue bridge"),
    ("hwenergy", "Energy meter (HomeWizard)"),
    ("ica-networking", "Shared camera or scanner (Image Capture)"),
    ("imap", "Mail access (IMAP)"),
    ("imaps", "Mail access, encrypted (IMAPS)"),
    ("ipp", "Printer (IPP)"),
    ("ipps", "Printer, encrypted (IPPS)"),
    ("irc", "Chat server (IRC)"),
    ("jenkins", "Build server (Jenkins)"),
    ("ldap", "Directory server (LDAP)"),
    ("ldaps", "Directory server, encrypted (LDAPS)"),
    ("linkplay", "Music player (LinkPlay)"),
    ("lutron", "Lutron bridge"),
    ("matter", "Matter device"),
    ("moonraker", "3D printer (Moonraker)"),
    ("mopidy-http", "Music server (Mopidy)"),
    ("mpd", "Music player (MPD)"),
    ("mqtt", "Message broker (MQTT)"),
    ("mysql", "MySQL database"),
    ("nanoleafapi", "Nanoleaf light"),
    ("ndi", "Video source (NDI)"),
    ("nfs", "File server (NFS)"),
    ("nut", "Power supply (NUT)"),
    ("nvstream", "NVIDIA game stream"),
    ("nvstream_dbd", "NVIDIA game stream, debug"),
    ("octoprint", "3D printer (OctoPrint)"),
    ("odisk", "Shared optical disc"),
    ("pdl-datastream", "Printer (port 9100)"),
    ("plexmediasvr", "Plex media server"),
    ("pop3", "Mail access (POP3)"),
    ("pop3s", "Mail access, encrypted (POP3S)"),
    ("postgresql", "PostgreSQL database"),
    ("powerview", "Window shades (PowerView)"),
    ("presence", "Chat between neighbours (XMPP)"),
    ("printer", "Printer (LPD)"),
    ("privet", "Printer (Privet)"),
    ("prometheus-http", "Metrics (Prometheus)"),
    ("psia", "Network camera (PSIA)"),
    ("ptp", "Camera (PTP)"),
    ("pulse-server", "Sound server (PulseAudio)"),
    ("pulse-sink", "Sound output (PulseAudio)"),
    ("pulse-source", "Sound input (PulseAudio)"),
    ("qdiscover", "QNAP storage"),
    ("raop", "AirPlay speaker"),
    ("rdp", "Remote desktop (RDP)"),
    ("readynas", "NETGEAR storage"),
    ("remotepairing", "Apple device to pair"),
    ("rfb", "Screen sharing (VNC)"),
    ("riousbprint", "Printer at an AirPort base station"),
    ("roku-rcp", "Roku player"),
    ("rsync", "File copies (rsync)"),
    ("rtsp", "Media stream (RTSP)"),
    ("sane-port", "Scanner (SANE)"),
    ("scanner", "Scanner"),
    ("secure-mqtt", "Message broker, encrypted (MQTT)"),
    ("servermgr", "macOS Server"),
    ("sftp-ssh", "File server (SFTP)"),
    ("shelly", "Shelly device"),
    ("sips", "Telephone, encrypted (SIP)"),
    ("smb", "File server (SMB)"),
    ("smtp", "Mail server (SMTP)"),
    ("snapcast", "Multi-room sound (Snapcast)"),
    ("snapcast-http", "Multi-room sound, in the browser (Snapcast)"),
    ("sonos", "Sonos speaker"),
    ("soundtouch", "Bose SoundTouch speaker"),
    ("spotify-connect", "Spotify player"),
    ("srpl-tls", "Service registration, replicated (SRP)"),
    ("ssh", "Remote login (SSH)"),
    ("submission", "Mail to send (SMTP)"),
    ("svn", "Subversion repositories"),
    ("teamviewer", "Remote desktop (TeamViewer)"),
    ("telnet", "Remote login (Telnet)"),
    ("tivo-videos", "TiVo recordings"),
    ("touch-able", "iTunes remote control"),
    ("twentyfour", "Game of TwentyFour"),
    ("uscan", "Scanner (eSCL)"),
    ("uscans", "Scanner, encrypted (eSCL)"),
    ("viziocast", "Vizio television"),
    ("vlc-http", "VLC player"),
    ("webdav", "File server (WebDAV)"),
    ("webdavs", "File server, encrypted (WebDAV)"),
    ("wled", "WLED light"),
    ("workstation", "Computer"),
    ("xbmc-jsonrpc", "Kodi media centre"),
    ("xbmc-jsonrpc-h", "Kodi media centre, by HTTP"),
    ("xmpp-client", "Chat server (XMPP)"),
    ("xmpp-server", "Chat between servers (XMPP)"),
    ("xserveraid", "Xserve RAID"),
  ]

  private static let udp: [(String, String)] = [
    ("apple-midi", "MIDI over the network"),
    ("coap", "Sensor or actuator (CoAP)"),
    ("domain", "Name server (DNS)"),
    ("hap", "HomeKit accessory on Thread"),
    ("kdeconnect", "Phone or computer (KDE Connect)"),
    ("lifx", "LIFX lamp"),
    ("matterc", "Matter device to set up"),
    ("matterd", "Matter commissioner"),
    ("meshcop", "Thread border router"),
    ("miio", "Xiaomi device"),
    ("net-assistant", "Apple Remote Desktop"),
    ("ntp", "Time server (NTP)"),
    ("sip", "Telephone (SIP)"),
    ("sleep-proxy", "Sleep proxy"),
    ("snmp", "Network management (SNMP)"),
    ("syslog", "Log collector (syslog)"),
    ("tftp", "File server (TFTP)"),
    ("trel", "Thread radio link"),
    ("xbmc-events", "Kodi remote control"),
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
