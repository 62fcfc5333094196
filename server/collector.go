package main

import (
	"os"
	"runtime/debug"
)

// startHeap is the heap size in bytes up to which the server starts without garbage collection. The largest
// world needs about half of it.
const startHeap = 256 << 20

// withoutCollector calls start with the garbage collector off until the heap reaches startHeap. A start builds
// a world that stays in memory, so that collections would free little; they would take a third of the time of
// a restart with a world of 10 MB (BENCHMARKS.md). If the operator has set GOGC or GOMEMLIMIT,
// withoutCollector only calls start.
func withoutCollector(start func() error) error {
	_, percent := os.LookupEnv("GOGC")
	_, limit := os.LookupEnv("GOMEMLIMIT")
	if !percent && !limit {
		memory := debug.SetMemoryLimit(startHeap)
		every := debug.SetGCPercent(-1)
		defer func() {
			debug.SetGCPercent(every)
			debug.SetMemoryLimit(memory)
		}()
	}
	return start()
}
