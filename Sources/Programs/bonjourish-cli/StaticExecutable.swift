#if STATIC_EXECUTABLE
// The Swift runtime and libdispatch need /proc, which an empty root directory does not have. `make static` has the linker put these
// functions in place of others (ld's option --wrap), so that one file is enough.

private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

@_silgen_name("__real_main")
private func realMain(_ count: Int32, _ arguments: Arguments) -> Int32

/// A function of the Swift runtime: sets what `CommandLine` tells.
@_silgen_name("_swift_stdlib_overrideUnsafeArgvArgc")
private func setCommandLine(_ arguments: Arguments, _ count: Int32)

/// Replaces `main`: hands over the arguments, which the runtime reads from /proc/self otherwise.
@_cdecl("__wrap_main")
func mainWithoutProc(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
  setCommandLine(arguments, count)
  return realMain(count, arguments)
}

/// Replaces the runtime's search for its backtracer beside /proc/self/exe, without which it aborts. A static file has no
/// backtracer.
@_cdecl("__wrap_swift_copyAuxiliaryExecutablePath")
func noAuxiliaryExecutable(_ name: UnsafePointer<CChar>) -> UnsafePointer<CChar>? { nil }

/// Keep libdispatch from watching its threads in /proc, without which it aborts. It starts more threads when some of them block,
/// which no task of this program does.
@_cdecl("__wrap__dispatch_workq_worker_register")
func registerNoWorker(_ queue: OpaquePointer) {}

@_cdecl("__wrap__dispatch_workq_worker_unregister")
func unregisterNoWorker(_ queue: OpaquePointer) {}
#endif
