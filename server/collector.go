package main

import (
	"os"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// startHeap is the heap size in bytes up to which the server starts without garbage collection. The largest
	// world needs about half of it.
	startHeap = 256 << 20
	// startLasts is how long the collector stays off after the start: clients reconnect in this time.
	startLasts = time.Second
)

// withoutCollector calls start with the garbage collector off until the heap reaches startHeap, and turns the collector
// on startLasts after start has succeeded. A start builds a world that stays in memory, so that collections would free
// little; they would take a third of the time of a restart with a world of 10 MB (BENCHMARKS.md). If the operator has
// set GOGC or GOMEMLIMIT, withoutCollector only calls start.
func withoutCollector(start func() error) error {
	_, percent := os.LookupEnv("GOGC")
	_, limit := os.LookupEnv("GOMEMLIMIT")
	if percent || limit {
		return start()
	}
	collector.turnOff()
	if err := start(); err != nil {
		collector.turnOn()
		return err
	}
	time.AfterFunc(startLasts, collector.turnOn)
	return nil
}

// collector is the process's garbage collector.
var collector collectorSwitch

// collectorSwitch turns the garbage collector off and on. Several servers of one process, as in tests, may start at
// the same time: the collector is on again when the last of them calls turnOn.
type collectorSwitch struct {
	mu      sync.Mutex
	off     int   // calls of turnOff without turnOn
	percent int   // the setting of the time before the first turnOff
	memory  int64 // as percent
}

// turnOff turns the collector off until the heap reaches startHeap.
func (c *collectorSwitch) turnOff() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off++; c.off == 1 {
		c.memory, c.percent = debug.SetMemoryLimit(startHeap), debug.SetGCPercent(-1)
	}
}

// turnOn ends the effect of one call of turnOff.
func (c *collectorSwitch) turnOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off--; c.off == 0 {
		debug.SetGCPercent(c.percent)
		debug.SetMemoryLimit(c.memory)
	}
}
