#if STATIC_EXECUTABLE
// The Swift runtime and libdispatch need /proc, which an empty root directory does not have. `make static` has the linker put these
// functions in place of others (ld's option --wrap), so that one file is enough.

private typealias ArgumentVector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

@_silgen_name("__real_main")
private func realMain(_ count: Int32, _ arguments: ArgumentVector) -> Int32

/// A function of the Swift runtime: sets what `CommandLine` tells.
@_silgen_name("_swift_stdlib_overrideUnsafeArgvArgc")
private func setCommandLine(_ arguments: ArgumentVector, _ count: Int32)

/// A function of glibc: sets in place of nsswitch.conf where it looks something up.
@_silgen_name("__nss_configure_lookup")
private func setNameService(_ database: UnsafePointer<CChar>, _ services: UnsafePointer<CChar>) -> Int32

/// Replaces `main`: hands over the arguments, which the runtime reads from /proc/self otherwise. Users are those of /etc/passwd: any other
/// service is a shared library, and a static program that loads it dies.
@_cdecl("__wrap_main")
func mainWithoutProc(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
  setCommandLine(arguments, count)
  for database in ["passwd", "group", "initgroups"] { _ = setNameService(database, "files") }
  return realMain(count, arguments)
}

/// Replaces the runtime's search for its backtracer beside /proc/self/exe, without which it aborts. A static file has no
/// backtracer.
@_cdecl("__wrap_swift_copyAuxiliaryExecutablePath")
func noAuxiliaryExecutable(_ name: UnsafePointer<CChar>) -> UnsafePointer<CChar>? { nil }

/// Keep libdispatch from watching its threads in /proc, without which it aborts. It starts more threads when some of them block,
/// which no task of our programs does.
@_cdecl("__wrap__dispatch_workq_worker_register")
func registerNoWorker(_ queue: OpaquePointer) {}

@_cdecl("__wrap__dispatch_workq_worker_unregister")
func unregisterNoWorker(_ queue: OpaquePointer) {}
#endif
