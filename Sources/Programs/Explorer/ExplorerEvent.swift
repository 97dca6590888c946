package import _BonjourishDiscovery
package import _BonjourishTerminal

/// What an ``Explorer`` is told.
package enum ExplorerEvent: Sendable {
  /// A change of a type, or of the search for types (nil).
  case changed(BrowseChange, of: ServiceType?)
  /// All that is there has answered.
  case settled
  /// A key, or the mouse.
  case key(Key)
  /// Resolving a service has brought its endpoint, or none: then with the addresses in answers that this machine does not reach.
  case resolved(ServiceInstance, Endpoint?, refusing: [IPAddress] = [])
  /// The records of the service that is followed, as they are now.
  case records(of: ServiceInstance, [ResourceRecord])
  /// How long records of a service are still believed if nobody sends them again, as far as the backend knows it.
  case lifetimes(of: ServiceInstance, [ResourceRecord.ID: Duration])
  /// Something that was to be published has got on.
  case publication(Int, PublicationState)
  /// The lines of the doctor's report.
  case examined([String])
  /// Where the network is reached.
  case reach(Reach)
  /// The addresses of this machine.
  case addresses(Set<IPAddress>)
  /// The backend's name: `avahi`, `builtin` or `directory`.
  case backend(String)
  /// A warning, escaped for display.
  case message(String)
  /// What came of something that the user asked for, such as opening: a sentence.
  case note(String)
  /// Time has passed.
  case tick
}

/// How far a service that is published from within has got.
package enum PublicationState: Hashable, Sendable {
  /// It can be found, under this name.
  case published(ServiceInstance)
  /// It was withdrawn.
  case withdrawn
  /// It is not published, for this reason.
  case failed(String)
}

/// What an ``Explorer`` wants done.
package enum ExplorerEffect: Hashable, Sendable {
  /// Resolve this service and follow its records, and no other.
  case follow(ServiceInstance?)
  /// Resolve this service once.
  case resolve(ServiceInstance)
  /// Put a text into the clipboard of the terminal.
  case copy(String)
  /// Start a program.
  case open(Opening)
  /// Publish a service that is described as on the command line of `publish`.
  case publish(Int, [String])
  /// Withdraw a service that was published.
  case withdraw(Int)
  /// Examine the machine, as `doctor` does, with lines of at most this many columns.
  case examine(columns: Int)
  /// Have the mouse reported, or not.
  case reportMouse(Bool)
  /// Paint everything anew.
  case repaint
  /// End.
  case quit
}

/// What an ``Explorer`` is about, and where it runs.
package struct ExplorerSettings: Sendable {
  /// The types as they are asked for, such as `_http._tcp`; nil for all.
  package var sought: [String]?
  /// Whether all services are resolved.
  package var resolves = false
  /// The order of the services; nil for that of names.
  package var order: ServiceOrder?
  /// The conditions that services are selected by.
  package var filters: [ServiceFilter] = []
  /// Whether only some services are shown.
  package var isSelective = false
  /// The part of the directory that is used; nil for none.
  package var region: String?
  /// Whether the terminal shows more than ASCII.
  package var isUnicode = true
  /// The options that say where services are sought, for commands that do the same.
  package var network: [String] = []
  /// Those of them that `doctor` has.
  package var examination: [String] = []
  /// Further options of `browse` alone.
  package var options: [String] = []
  /// The local time of day at time zero, in seconds since midnight.
  package var clock = 0
  /// What services of a type are, in words; nil for a type that is not well known, which has no short name either.
  package var title: @Sendable (ServiceType) -> String? = { _ in nil }
  /// The short name of a type, if commands read it as that type: `http` of `_http._tcp`.
  package var shortName: @Sendable (ServiceType) -> String? = { _ in nil }

  package init() {}
}
