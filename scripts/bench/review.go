package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// review measures a code review by the scouts at the pace instant. The limit is reading every file once.
func (b *bench) review(sizes ...int) {
	for _, n := range sizes {
		b.scope(func() {
			repo := filepath.Join(b.folder(), "repo")
			sources(repo, n)
			took := b.row(seconds, noAim, "reading every file once", "code review by the scouts, %d files, start to report", n)
			peak := b.row(octets, noAim, "bytes of all files", "the same with %d files, memory at its most (RSS)", n)
			b.times(b.few(), func() {
				size := 0
				read := timed(func() {
					walk(repo, func(path string, d fs.DirEntry) {
						if !d.IsDir() {
							size += len(get(os.ReadFile(path)))
						}
					})
				})
				reviewed, most := b.reviewed(repo)
				took.addTook(reviewed, read)
				peak.add(most, float64(size))
			})
		})
	}
}

func (b *bench) reviewed(repo string) (took time.Duration, peak float64) {
	c := b.serve(b.folder())
	s := b.guest(c)
	s.link(repo)
	s.send(`{"type":"spectator:register","name":"bench","color":"#4fb8a3"}`)
	s.send(`{"type":"player:update-settings","settings":{"pace":"instant","turnTimeoutSeconds":600}}`)
	took = timed(func() {
		s.send(`{"type":"player:start-process","problem":"Review it.","templateId":"code_review","requestId":"go"}`)
		s.unless(`"type":"error"`, `"type":"process:completed"`)
	})
	return took, c.mostResident()
}

// command measures "agentdungeon review" on the repository in which the measurement runs or, with -quick, on a folder of
// it. The limit is the time to read the same files once and count their lines.
func (b *bench) command() {
	dir := "."
	if b.quick {
		dir = "scripts/bench"
	}
	b.scope(func() {
		const bare = "reading every file and counting its lines"
		took := b.row(seconds, noAim, bare, "agentdungeon review of this repository")
		pace := b.row(perSecond, noAim, "", "the same, lines a second")
		worked := b.row(seconds, noAim, bare, "the same, processor time")
		peak := b.row(octets, noAim, "bytes of all files", "the same, memory at its most (RSS)")
		warm := b.row(seconds, noAim, bare, "the same for a second time, with nothing changed")
		b.times(b.few(), func() {
			lines, size := 0, 0
			read := timed(func() { lines, size = lengths(dir) })
			results := "XDG_CACHE_HOME=" + b.folder()
			run := func() (*exec.Cmd, time.Duration) {
				cmd := exec.CommandContext(b.ctx, b.server, "review", "-format", "json", "-fail-on", "critical", dir)
				cmd.Env = append(os.Environ(), results)
				took := timed(func() { _ = cmd.Run() }) // the exit code is that of its findings
				if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() > 1 {
					failf("agentdungeon review: %v", cmd.ProcessState)
				}
				return cmd, took
			}
			cmd, reviewed := run()
			usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			took.addTook(reviewed, read)
			pace.add(float64(lines) / reviewed.Seconds())
			worked.addTook(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), read)
			peak.add(float64(usage.Maxrss)*1024, float64(size))
			_, again := run()
			warm.addTook(again, read)
		})
	})
}

// lengths returns the lines and bytes of the files below a folder, without hidden folders and node_modules.
func lengths(dir string) (lines, size int) {
	must(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "node_modules" || len(name) > 1 && name[0] == '.'):
			return fs.SkipDir
		case d.Type().IsRegular():
			text := get(os.ReadFile(path))
			lines, size = lines+bytes.Count(text, []byte("\n")), size+len(text)
		}
		return nil
	}))
	return lines, size
}

// sources makes a repository of n files of about 1.5 KB. Of ten files four are Go, three TypeScript, two Python and
// one Markdown.
func sources(dir string, n int) {
	for i := range n {
		name, head, times, text := fmt.Sprintf("file-%d.md", i), "", 60, "Words about part %[1]d.\n\n"
		switch part := i / 40; i % 10 {
		case 0, 1, 2, 3:
			name, head = fmt.Sprintf("file_%d.go", i), fmt.Sprintf("// Package part%03d is one of many.\npackage part%03[1]d\n\n", part)
			times, text = 20, "// Do%[1]d_%[2]d adds what it is given.\nfunc Do%[1]d_%[2]d(a, b int) int {\n\treturn a*%[2]d + b\n}\n\n"
		case 4, 5, 6:
			name = fmt.Sprintf("file-%d.ts", i)
			times, text = 25, "export function do%[1]d_%[2]d(a: number, b: number): number {\n  return a * %[2]d + b\n}\n"
		case 7, 8:
			name, times, text = fmt.Sprintf("file_%d.py", i), 25, "def do_%[1]d_%[2]d(a, b):\n    return a * %[2]d + b\n\n\n"
		}
		for k := range times {
			head += fmt.Sprintf(text, i, k)
		}
		write(filepath.Join(dir, fmt.Sprintf("part%03d", i/40), name), head)
	}
	write(filepath.Join(dir, "go.mod"), "module example.org/many\n\ngo 1.26\n")
}
