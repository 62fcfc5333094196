package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// reviewTime bounds one review.
const reviewTime = 5 * time.Minute

// review is a code review by the scouts at the pace instant, from its start to its
// report, against reading every file once.
func (b *bench) review(ctx context.Context, sizes ...int) ([]figure, error) {
	var out []figure
	for _, n := range sizes {
		dir, err := b.folder()
		if err != nil {
			return nil, err
		}
		repo := filepath.Join(dir, "repo")
		if err := sources(repo, n); err != nil {
			return nil, err
		}
		took := figure{name: fmt.Sprintf("code review by the scouts, %d files, start to report", n), unit: seconds, bare: "reading every file once"}
		peak := figure{name: "the same, memory at its most (RSS)", unit: octets, bare: "bytes of all files"}
		for range b.fewRuns() {
			if err := b.breathe(ctx); err != nil {
				return nil, err
			}
			begin := time.Now()
			size, err := readAll(repo)
			if err != nil {
				return nil, err
			}
			read := time.Since(begin)
			reviewed, most, err := b.reviewOnce(ctx, repo)
			if err != nil {
				return nil, fmt.Errorf("%d files: %w", n, err)
			}
			took.ours, took.limit = append(took.ours, reviewed.Seconds()), append(took.limit, read.Seconds())
			peak.ours, peak.limit = append(peak.ours, float64(most)), append(peak.limit, float64(size))
		}
		out = append(out, took, peak)
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (b *bench) reviewOnce(ctx context.Context, repo string) (took time.Duration, peak int64, err error) {
	c, s, err := b.guest(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, c.kill()) }()
	defer s.close()
	if _, err := s.link(repo); err != nil {
		return 0, 0, err
	}
	if err := s.send(`{"type":"spectator:register","name":"bench","color":"#4fb8a3"}`); err != nil {
		return 0, 0, err
	}
	if err := s.send(`{"type":"player:update-settings","settings":{"pace":"instant","turnTimeoutSeconds":600}}`); err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	if err := s.send(`{"type":"player:start-process","problem":"Review it.","templateId":"code_review","requestId":"go"}`); err != nil {
		return 0, 0, err
	}
	if err := s.c.SetReadDeadline(begin.Add(reviewTime)); err != nil {
		return 0, 0, err
	}
	for {
		p, err := s.frame()
		if err != nil {
			return 0, 0, err
		}
		if bytes.Contains(p, []byte(`"type":"process:completed"`)) {
			break
		}
		if bytes.Contains(p, []byte(`"type":"error"`)) {
			return 0, 0, fmt.Errorf("the review: %.300s", p)
		}
	}
	took = time.Since(begin)
	kb, err := strconv.ParseInt(strings.TrimSuffix(field(readText(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid)), "VmHWM"), " kB"), 10, 64)
	return took, kb << 10, err
}

// sources makes a repository of n files: Go, TypeScript and Python in the shares of
// 4, 3 and 2, and Markdown, some 1.5 KB each.
func sources(dir string, n int) error {
	const perFolder = 40
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("part%03d", i/perFolder))
		if i%perFolder == 0 {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
		}
		var name, text string
		switch i % 10 {
		case 0, 1, 2, 3:
			name, text = fmt.Sprintf("file_%d.go", i), fmt.Sprintf("// Package part%03d is one of many.\npackage part%03d\n\n", i/perFolder, i/perFolder)
			for k := range 20 {
				text += fmt.Sprintf("// Do%d_%d adds what it is given.\nfunc Do%d_%d(a, b int) int {\n\treturn a*%d + b\n}\n\n", i, k, i, k, k)
			}
		case 4, 5, 6:
			name = fmt.Sprintf("file-%d.ts", i)
			for k := range 25 {
				text += fmt.Sprintf("export function do%d_%d(a: number, b: number): number {\n  return a * %d + b\n}\n", i, k, k)
			}
		case 7, 8:
			name = fmt.Sprintf("file_%d.py", i)
			for k := range 25 {
				text += fmt.Sprintf("def do_%d_%d(a, b):\n    return a * %d + b\n\n\n", i, k, k)
			}
		default:
			name, text = fmt.Sprintf("file-%d.md", i), strings.Repeat(fmt.Sprintf("Words about part %d.\n\n", i), 60)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/many\n\ngo 1.26\n"), 0o644)
}

func readAll(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		size += int64(len(data))
		return err
	})
	return size, err
}
