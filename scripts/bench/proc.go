package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cpuTime returns the processor time of the running threads of a process, to the nanosecond. It needs Linux.
func cpuTime(pid int) (sum time.Duration) {
	for _, file := range get(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))) {
		used, _, _ := strings.Cut(readText(file), " ")
		n, _ := strconv.ParseInt(used, 10, 64) // a thread that has just ended has no number
		sum += time.Duration(n)
	}
	if sum == 0 {
		failf("/proc/%d/task: the processor time of no thread can be read", pid)
	}
	return sum
}

// bytesOf returns the bytes of the line "name: N kB" of a file.
func bytesOf(file, name string) (float64, error) {
	kb, err := strconv.ParseFloat(strings.TrimSuffix(field(readText(file), name), " kB"), 64)
	if err != nil {
		err = fmt.Errorf("%s: %s: %w", file, name, err)
	}
	return kb * (1 << 10), err
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

// readText returns the text of a file, or "" if it cannot be read.
func readText(path string) string {
	b, _ := os.ReadFile(path)
	return strings.TrimSpace(string(b))
}

// machine returns the facts about the machine that the table states.
func machine(dir string) []string {
	memory, _ := bytesOf("/proc/meminfo", "MemTotal") // 0 where it is not known
	return []string{
		"CPU: " + field(readText("/proc/cpuinfo"), "model name"), fmt.Sprintf("memory: %.0f GB", memory/(1<<30)),
		"file system of the worlds folder: " + strings.TrimPrefix(output("df", "--output=fstype", dir), "Type\n"),
		"kernel: " + readText("/proc/sys/kernel/osrelease"),
	}
}

// output returns what a program prints, or "unknown" if it fails.
func output(program string, args ...string) string {
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// load returns the machine's load average of the last minute.
func load() string {
	first, _, _ := strings.Cut(readText("/proc/loadavg"), " ")
	return first
}
