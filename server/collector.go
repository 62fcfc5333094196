package main

import (
	"os"
	"runtime/debug"
)

// startHeap is what a start may use, in bytes, before the garbage collector sets in.
// The largest world needs about half of it.
const startHeap = 256 << 20

// withoutCollector runs start with the garbage collector off up to startHeap: a
// start makes a world that stays, so that every collection on the way frees little
// and costs a restart of 10 MB a third of its time (BENCHMARKS.md). What the
// operator set by GOGC or GOMEMLIMIT counts.
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
