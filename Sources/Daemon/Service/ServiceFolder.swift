#if Daemon
import CBonjourishLinux
package import _BonjourishDaemonConfiguration
import _BonjourishEventLoop

/// The files that say what the daemon publishes by itself: `services/*.service` and `hosts` in a folder such as `/etc/avahi`.
package struct ServiceFolder: Hashable, Sendable {
  /// What was read.
  package struct Content: Hashable, Sendable {
    /// The service files by path, without those that cannot be used.
    package var services: [String: ServiceFile] = [:]
    /// The hosts; nil if the file cannot be used.
    package var hosts: [HostsFile.Host]? = []
    /// Why files cannot be used.
    package var errors: [SettingsError] = []

    /// Whether a file, or the folder of service files, could not be read for now.
    package var isIncomplete: Bool { errors.contains(where: \.isPassing) }

    /// Whether nothing is known of a service file for now.
    package func isUnknown(_ path: String, in folder: String) -> Bool {
      errors.contains { $0.isPassing && ($0.path == path || $0.path == folder) }
    }

    package init() {}
  }

  /// The most service files.
  package static let maximumCount = 4_096

  /// The folder, such as `/etc/avahi`.
  package let path: String
  /// The folder of the service files.
  package var services: String { path + "/services" }
  /// The file of the hosts.
  package var hosts: String { path + "/hosts" }

  package init(path: String) {
    self.path = path
  }

  /// Reads all files. One that cannot be used does not affect the others. Blocks for as long as the file system needs.
  package func read() -> Content {
    var content = Content()
    do throws(SettingsError) {
      content.hosts =
        try BoundedFile.read(hosts).map { bytes throws(SettingsError) in try HostsFile.read(bytes, path: hosts) } ?? []
    } catch {
      content.hosts = nil
      content.errors.append(error)
    }
    do throws(SystemError) {
      let names = try listFolder(services).filter { $0.hasSuffix(".service") && !$0.hasPrefix(".") }.sorted()
      if names.count > Self.maximumCount {
        content.errors.append(
          SettingsError(services, "it has \(names.count) service files; the first \(Self.maximumCount) are used"))
      }
      for name in names.prefix(Self.maximumCount) { read(services + "/" + name, into: &content) }
    } catch {
      if error.errno != ENOENT {
        content.errors.append(SettingsError(services, "it cannot be listed (\(error))", isPassing: error.isPassing))
      }
    }
    return content
  }

  private func read(_ path: String, into content: inout Content) {
    do throws(SettingsError) {
      // A file that has gone meanwhile is not there.
      guard let bytes = try BoundedFile.read(path, limit: ServiceFileReader.Limit.file) else { return }
      content.services[path] = try ServiceFile(bytes, path: path)
    } catch {
      content.errors.append(error)
    }
  }
}
#endif
