/// What the kinds of containers leave behind in their file systems.
package struct ContainerClues: Hashable, Sendable {
  /// Whether `/.dockerenv` exists.
  package var hasDockerFile = false
  /// Whether `/run/.containerenv` exists.
  package var hasPodmanFile = false
  /// The content of `/run/systemd/container`.
  package var systemd = ""
  /// The content of `/proc/1/cgroup`.
  package var controlGroup = ""
  /// Whether `KUBERNETES_SERVICE_HOST` is set.
  package var hasKubernetes = false

  package init() {}

  /// The kind of container; nil if there is no sign of one.
  package var kind: String? {
    if hasKubernetes || controlGroup.contains("kubepods") { return "Kubernetes" }
    if hasDockerFile || controlGroup.contains("/docker") { return "Docker" }
    if hasPodmanFile || controlGroup.contains("libpod") { return "Podman" }
    let name = systemd.prefix { $0 != "\n" && $0 != "\0" }
    if !name.isEmpty { return String(name.prefix(32)) }
    return controlGroup.contains("/lxc") ? "LXC" : nil
  }
}
