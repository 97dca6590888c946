/// The reasons why calls fail, as clients know them.
enum AvahiError: String, CaseIterable {
  case success = "Success"
  case badState = "BadStateError"
  case invalidHostName = "InvalidHostNameError"
  case invalidDomainName = "InvalidDomainNameError"
  case invalidTTL = "InvalidTTLError"
  case collision = "CollisionError"
  case invalidRecord = "InvalidRecordError"
  case invalidServiceName = "InvalidServiceNameError"
  case invalidServiceType = "InvalidServiceTypeError"
  case invalidAddress = "InvalidAddressError"
  case timeout = "TimeoutError"
  case tooManyClients = "TooManyClientsError"
  case tooManyObjects = "TooManyObjectsError"
  case tooManyEntries = "TooManyEntriesError"
  case system = "OSError"
  case accessDenied = "AccessDenied"
  case invalidInterface = "InvalidInterfaceError"
  case invalidProtocol = "InvalidInterfaceProtocolError"
  case invalidFlags = "InvalidFlagsError"
  case notFound = "NotFoundError"
  case invalidServiceSubtype = "InvalidServiceSubtypeError"
  case invalidData = "InvalidRDataError"
  case invalidClass = "InvalidDNSClassError"
  case invalidType = "InvalidDNSTypeError"
  case notSupported = "NotSupportedError"
  case notPermitted = "NotPermittedError"
  case isEmpty = "IsEmptyError"
  case noChange = "NoChangeError"

  /// The name on the bus.
  var name: String {
    (self == .accessDenied ? "org.freedesktop.DBus.Error." : "org.freedesktop.Avahi.") + rawValue
  }

  /// What is told to a person.
  var text: String {
    switch self {
    case .success: "OK"
    case .badState: "The object does not allow this in its present state"
    case .invalidHostName: "The host name is not valid"
    case .invalidDomainName: "The domain name is not valid"
    case .invalidTTL: "The time to live must not be 0"
    case .collision: "A local service or record has this name already"
    case .invalidRecord: "The record is not valid"
    case .invalidServiceName: "The service name must have 1 to 63 bytes"
    case .invalidServiceType: "The service type is not valid; it is like _http._tcp"
    case .invalidAddress: "The address is not valid"
    case .timeout: "Timeout reached"
    case .tooManyClients: "Too many clients"
    case .tooManyObjects: "Too many objects"
    case .tooManyEntries: "Too many entries"
    case .system: "OS Error: No such device or address"
    case .accessDenied: "The object belongs to another program"
    case .invalidInterface: "The interface index must be -1 or more"
    case .invalidProtocol: "The protocol must be -1, 0 (IPv4) or 1 (IPv6)"
    case .invalidFlags: "The flags are not valid"
    case .notFound: "Not found"
    case .invalidServiceSubtype: "The service subtype is not valid; it is like _printer._sub._http._tcp"
    case .invalidData: "The data do not fit the type of the record"
    case .invalidClass: "The class must be IN"
    case .invalidType: "Records of this type cannot be published"
    case .notSupported: "Not supported"
    case .notPermitted: "The configuration does not permit this"
    case .isEmpty: "The entry group is empty"
    case .noChange: "Nothing would change"
    }
  }
}

/// Why a call fails.
enum CallFailure: Error {
  case avahi(AvahiError)
  /// There is no such method, or it has other arguments.
  case unknownMethod
}
