import CBonjourishLinux
import FrameStress
import _BonjourishConsole

// stress-frames [FRAMES [CONNECTIONS [SEED]]]: sends so many random frames over so many connections through a proxy that splits
// them, and checks that every one arrives once, in order and whole.

let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) }
guard arguments.count <= 3, !arguments.contains(nil) else {
  Output.standard.line("usage: stress-frames [FRAMES [CONNECTIONS [SEED]]]")
  exit(64)
}
let numbers = arguments.compactMap(\.self) + [10_000_000, 100, 1].dropFirst(arguments.count)
let plan = StressPlan(frameCount: Int(numbers[0]), connectionCount: Int(numbers[1]), seed: numbers[2])

/// Bytes of memory at most, as the system has counted.
func peakMemory() -> Int {
  var usage = rusage()
  getrusage(RUSAGE_SELF.rawValue, &usage)
  return usage.ru_maxrss * 1024
}

let clock = ContinuousClock()
let start = clock.now
do {
  let figures = try await StressRun.run(plan)
  let seconds = start.duration(to: clock.now) / .seconds(1)
  Output.standard.line("frames \(figures.frames)")
  Output.standard.line("bytes \(figures.bytes)")
  Output.standard.line("pieces \(figures.pieces)")
  Output.standard.line("cancelled sends \(figures.cancelledSends), reads \(figures.cancelledReads)")
  Output.standard.line("seconds \(Int(seconds)), frames a second \(Int(Double(figures.frames) / seconds))")
  Output.standard.line("peak memory \(peakMemory() / 1_048_576) MiB")
} catch {
  Output.standard.line("seed \(plan.seed): \(error)")
  exit(1)
}
