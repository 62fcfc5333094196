package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cpuTime returns the processor time that the running threads of a process have used, to the
// nanosecond. The time of ended threads is missing; the Go runtime ends hardly any.
func cpuTime(pid int) (time.Duration, error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var sum time.Duration
	for _, file := range files {
		used, _, _ := strings.Cut(readText(file), " ")
		n, _ := strconv.ParseInt(used, 10, 64) // a thread that has just ended has no number
		sum += time.Duration(n)
	}
	if sum == 0 && err == nil {
		err = fmt.Errorf("/proc/%d/task: the processor time of no thread can be read", pid)
	}
	return sum, err
}

// resident returns the resident memory of a process in bytes; mostResident returns the peak.
func resident(pid int) (int64, error)     { return memory(pid, "VmRSS") }
func mostResident(pid int) (int64, error) { return memory(pid, "VmHWM") }

func memory(pid int, name string) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	kb, err := strconv.ParseInt(strings.TrimSuffix(field(string(b), name), " kB"), 10, 64)
	return kb << 10, err
}

// field returns the value of the line "name: value", or "".
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// openFiles returns the number of files that this process may open.
func openFiles() (int, error) {
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

// fileSystem returns the type of the file system that holds dir.
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

// busy returns two counters of all cores' time since the machine's start: the time that was not
// idle, and all of it.
func busy() (used, total float64) {
	first, _, _ := strings.Cut(readText("/proc/stat"), "\n")
	for i, f := range strings.Fields(first) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil || i > 8 {
			continue // skips the line's name, and guest time, which user time includes
		}
		total += v
		if i != 4 && i != 5 { // fields 4 and 5: idle, and waiting for a disk
			used += v
		}
	}
	return used, total
}

// load returns the machine's load average of the last minute.
func load() string {
	first, _, _ := strings.Cut(readText("/proc/loadavg"), " ")
	return first
}
