package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is the unit of /proc/PID/stat on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// cpuTime is the processor time that a process has used, to 10 ms.
func cpuTime(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, in brackets, may hold anything; fields are counted behind it.
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has another form", pid)
	}
	user, err := strconv.ParseInt(f[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * tick, err
}

// resident is a process's memory in bytes.
func resident(pid int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	kb, err := strconv.ParseInt(strings.TrimSuffix(field(string(b), "VmRSS"), " kB"), 10, 64)
	return kb << 10, err
}

// field is the value of a "name: value" line, "" for none.
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// files is how many files this process may open.
func files() (int, error) {
	var l syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
	return int(min(l.Cur, 1<<30)), err
}

func readText(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func machine(dir string) []string {
	cpu := field(readText("/proc/cpuinfo"), "model name")
	kb, _ := strconv.Atoi(strings.TrimSuffix(field(readText("/proc/meminfo"), "MemTotal"), " kB"))
	return []string{
		"CPU: " + cpu, fmt.Sprintf("memory: %.0f GB", float64(kb)/(1<<20)),
		"file system of the worlds folder: " + fileSystem(dir), "kernel: " + readText("/proc/sys/kernel/osrelease"),
	}
}

// fileSystem is the type of the mount with the longest path that holds dir.
func fileSystem(dir string) string {
	best, kind := "", "unknown"
	for line := range strings.Lines(readText("/proc/mounts")) {
		f := strings.Fields(line)
		if len(f) < 3 || len(f[1]) < len(best) {
			continue
		}
		if dir == f[1] || strings.HasPrefix(dir, strings.TrimSuffix(f[1], "/")+"/") {
			best, kind = f[1], f[2]
		}
	}
	return kind
}

// busy is the share of all cores' time since the start that was not idle, as two
// counters.
func busy() (used, total float64) {
	first, _, _ := strings.Cut(readText("/proc/stat"), "\n")
	for i, f := range strings.Fields(first) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil || i > 8 {
			continue // the name; guests are counted in user time
		}
		total += v
		if i != 4 && i != 5 { // idle, and waiting for a disk
			used += v
		}
	}
	return used, total
}

// load is the machine's load average of the last minute.
func load() string {
	first, _, _ := strings.Cut(readText("/proc/loadavg"), " ")
	return first
}
