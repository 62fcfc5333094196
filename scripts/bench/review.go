package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// reviewTime bounds one review.
const reviewTime = 5 * time.Minute

// review is a code review by the scouts at the pace instant, from its start to its
// report, against reading every file once.
func (b *bench) review(sizes ...int) {
	for _, n := range sizes {
		b.scope(func() {
			repo := filepath.Join(b.folder(), "repo")
			must(sources(repo, n))
			took := b.row(seconds, noAim, "reading every file once", "code review by the scouts, %d files, start to report", n)
			peak := b.row(octets, noAim, "bytes of all files", "the same with %d files, memory at its most (RSS)", n)
			b.times(b.few(), func() {
				begin := time.Now()
				size := get(readAll(repo))
				read := time.Since(begin)
				reviewed, most := b.reviewed(repo)
				took.addTook(reviewed, read)
				peak.add(float64(most), float64(size))
			})
		})
	}
}

func (b *bench) reviewed(repo string) (took time.Duration, peak int64) {
	c := b.serve(b.folder())
	s := b.dial(c.addr)
	must(s.hello())
	get(s.link(repo))
	must(s.send(`{"type":"spectator:register","name":"bench","color":"#4fb8a3"}`))
	must(s.send(`{"type":"player:update-settings","settings":{"pace":"instant","turnTimeoutSeconds":600}}`))
	begin := time.Now()
	must(s.send(`{"type":"player:start-process","problem":"Review it.","templateId":"code_review","requestId":"go"}`))
	for over := false; !over; {
		must(s.c.SetReadDeadline(begin.Add(reviewTime)))
		p := get(s.frame())
		over = bytes.Contains(p, []byte(`"type":"process:completed"`))
		if bytes.Contains(p, []byte(`"type":"error"`)) {
			must(fmt.Errorf("the review failed: %.300s", p))
		}
	}
	return time.Since(begin), get(mostResident(c.pid()))
}

// sources makes a repository of n files: Go, TypeScript and Python in the shares of
// 4, 3 and 2, and Markdown, some 1.5 KB each.
func sources(dir string, n int) error {
	for i := range n {
		part := i / 40
		var name, text string
		repeat := func(times int, function string) {
			for k := range times {
				text += fmt.Sprintf(function, i, k)
			}
		}
		switch i % 10 {
		case 0, 1, 2, 3:
			name, text = fmt.Sprintf("file_%d.go", i), fmt.Sprintf("// Package part%03d is one of many.\npackage part%03[1]d\n\n", part)
			repeat(20, "// Do%[1]d_%[2]d adds what it is given.\nfunc Do%[1]d_%[2]d(a, b int) int {\n\treturn a*%[2]d + b\n}\n\n")
		case 4, 5, 6:
			name = fmt.Sprintf("file-%d.ts", i)
			repeat(25, "export function do%[1]d_%[2]d(a: number, b: number): number {\n  return a * %[2]d + b\n}\n")
		case 7, 8:
			name = fmt.Sprintf("file_%d.py", i)
			repeat(25, "def do_%[1]d_%[2]d(a, b):\n    return a * %[2]d + b\n\n\n")
		default:
			name, text = fmt.Sprintf("file-%d.md", i), strings.Repeat(fmt.Sprintf("Words about part %d.\n\n", i), 60)
		}
		folder := filepath.Join(dir, fmt.Sprintf("part%03d", part))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/many\n\ngo 1.26\n"), 0o644)
}

func readAll(dir string) (size int64, err error) {
	return size, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		size += int64(len(data))
		return err
	})
}
