package main

import (
	"os"
	"runtime/debug"
)

// startHeap is the heap size in bytes below which a start runs without garbage collection. The
// largest world needs about half of it.
const startHeap = 256 << 20

// withoutCollector runs start without garbage collection up to startHeap. A start builds a world
// that stays, so collections free little and take a third of the time of a restart of 10 MB
// (BENCHMARKS.md). It does nothing if the operator has set GOGC or GOMEMLIMIT.
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
