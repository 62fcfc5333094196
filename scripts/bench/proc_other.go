//go:build !linux

package main

import (
	"errors"
	"runtime"
	"time"
)

var errNoProc = errors.New("the measurement needs /proc, which only Linux has")

func cpuTime(int) (time.Duration, error) { return 0, errNoProc }
func resident(int) (int64, error)        { return 0, errNoProc }
func mostResident(int) (int64, error)    { return 0, errNoProc }
func openFiles() (int, error)            { return 0, errNoProc }
func machine(string) []string            { return []string{"system: " + runtime.GOOS} }
func load() string                       { return "unknown" }
func busy() (used, total float64)        { return 0, 0 }
