package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// agentFile is a transcript of Claude Code, to which the measurement appends lines as the program does.
type agentFile struct {
	*os.File
	id, dir string
	n       int // number of lines so far
}

// stampMark begins the text of a line; a stamp follows.
const stampMark = "~"

// turnLines is the number of lines of a turn: a prompt, then texts, tool calls and results alternately.
const turnLines = 100

// agentFile begins a transcript for a session in the folder dir, below b.home.
func (b *bench) agentFile(id, dir string) *agentFile {
	path := filepath.Join(b.home, ".claude", "projects", strings.NewReplacer("/", "-", ".", "-").Replace(dir), id+".jsonl")
	write(path, "")
	a := &agentFile{File: get(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)), id: id, dir: dir}
	b.after(func() { _ = a.Close() }) // it can be closed
	return a
}

// line returns the next line of the transcript. The row that the server makes of it contains text.
func (a *agentFile) line(text string) string {
	n := a.n
	a.n++
	text = stampMark + text + " " + strings.Repeat(lamp, 8)
	role, content := "assistant", ""
	switch k := n % turnLines; {
	case k == 0:
		role, content = "user", fmt.Sprintf("%q", text)
	case k%3 == 1:
		content = fmt.Sprintf(`[{"type":"text","text":%q}]`, text)
	case k%3 == 2:
		content = fmt.Sprintf(`[{"type":"tool_use","id":"t%d","name":"Edit",`+
			`"input":{"file_path":"%s/%s.go","old_string":"a","new_string":%q}}]`, n, a.dir, a.id[:8], text)
	default:
		role, content = "user", fmt.Sprintf(`[{"type":"tool_result","tool_use_id":"t%d","content":%q,"is_error":false}]`, n-1, text)
	}
	usage := ""
	if role == "assistant" {
		usage = fmt.Sprintf(`"id":"msg_%d","type":"message","model":"claude-opus-4-5",`+
			`"usage":{"input_tokens":3,"output_tokens":42},`, n)
	}
	return fmt.Sprintf(`{"type":%[1]q,"message":{%[2]s"role":%[1]q,"content":%[3]s},"uuid":"%[4]s-%[5]d",`+
		`"requestId":"r%[5]d","promptId":"p%[6]d","timestamp":%[7]q,"cwd":%[8]q,"sessionId":%[4]q}`+"\n",
		role, usage, content, a.id, n, n/turnLines, time.Now().UTC().Format(time.RFC3339Nano), a.dir)
}

// says appends n lines to the transcript.
func (a *agentFile) says(n int) {
	for range n {
		get(a.WriteString(a.line(stamp())))
	}
}

// liveAgents begins n sessions with some lines each. Each has a status file of the program that names a living
// process.
func (b *bench) liveAgents(n int, dir, status string) (all []*agentFile) {
	for i := range n {
		c := exec.CommandContext(b.ctx, "sleep", "3600")
		must(c.Start())
		b.after(func() {
			_ = c.Process.Kill()
			_ = c.Wait() // the error only reports the kill
		})
		a, pid := b.agentFile(fmt.Sprintf("%08x-0000-4000-8000-000000000000", i), dir), c.Process.Pid
		a.says(9)
		_, stat, _ := strings.Cut(readText(fmt.Sprintf("/proc/%d/stat", pid)), ") ")
		write(filepath.Join(b.home, ".claude", "sessions", fmt.Sprintf("%d.json", pid)), fmt.Sprintf(
			`{"pid":%d,"sessionId":%q,"cwd":%q,"startedAt":%[4]d,"procStart":%q,"status":%q,"statusUpdatedAt":%[4]d}`,
			pid, a.id, dir, time.Now().UnixMilli(), strings.Fields(stat)[19], status))
		all = append(all, a)
	}
	return all
}

// oldAgents makes n sessions of the last week, a tenth of them in the folder dir and the others elsewhere.
func (b *bench) oldAgents(n int, dir string) {
	lastWeek := time.Now().AddDate(0, 0, -7)
	for i := range n {
		at := dir
		if i%10 != 0 {
			at = fmt.Sprintf("/elsewhere/project%d", i%50)
		}
		a := b.agentFile(fmt.Sprintf("%08x-0000-4000-8000-111111111111", i), at)
		a.says(30)
		must(a.Close(), os.Chtimes(a.Name(), lastWeek, lastWeek))
	}
}

// agentsHome sets a home folder for the servers of the enclosing call of bench.scope, and returns a linked folder.
func (b *bench) agentsHome() (repo string) {
	was := b.home
	b.after(func() { b.home = was })
	b.home = b.folder()
	repo = filepath.Join(b.folder(), "repo")
	makeFiles(repo, 200)
	return repo
}

// heroes connects a client to the server, which reads frames until n sessions of coding agents are on the map as
// heroes.
func (b *bench) heroes(c *child, n int) *socket {
	const hero = `"id":"claude:`
	s := b.dial(c.addr)
	s.send(`{"type":"hello","protocol":1}`)
	for seen := map[string]bool{}; len(seen) < n; {
		for _, part := range strings.Split(string(s.unless(`"type":"error"`, hero)), hero)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			seen[id] = true
		}
	}
	return s
}

// agentLines measures the time from a new line in a transcript until a page that shows the conversation gets its
// row, with a few live sessions.
func (b *bench) agentLines(sessions, perSecond int) {
	add := b.percentiles(aim{below, 250e-3}, "bare fsnotify event, ",
		"line on disk of a coding agent to screen, %d live sessions, %d lines/s, ", sessions, perSecond)
	repo := b.agentsHome()
	all := b.liveAgents(sessions, repo, "busy")
	s := b.heroes(b.serve(b.folder(), "-repo", repo), sessions)
	delay := b.readDelays([]*socket{s}, stampMark)
	watcher, bare := get(fsnotify.NewWatcher()), b.agentFile("bare0000", "/elsewhere")
	b.after(func() { must(watcher.Close()) })
	must(watcher.Add(bare.Name()))
	b.times(b.runs, func() {
		took := b.paced(delay, 1, perSecond, func(k int) { all[k%sessions].says(1) })
		add(took, pace(perSecond, b.during, func(int) {
			bare.says(1)
			<-watcher.Events
		}))
	})
}

// agentLoad measures a server with many live sessions that all write, and with old sessions.
func (b *bench) agentLoad(sessions, perSecond, old int) {
	what := fmt.Sprintf("%d coding agents at %d lines/s, %d old sessions", sessions, perSecond, old)
	first := b.row(seconds, aim{below, 2}, "smallest Go HTTP server", "%s: start to the first world", what)
	heroes := b.row(seconds, aim{below, 2}, "", "%s: start to all heroes", what)
	add := b.percentiles(aim{below, 1}, "", "%s: line on disk to screen, ", what)
	share := b.row(part, aim{below, 0.5}, "", "%s: CPU of one core", what)
	memory := b.row(octets, aim{below, 150 << 20}, "", "%s: memory (RSS)", what)
	repo := b.agentsHome()
	b.oldAgents(old, repo)
	b.times(b.few(), func() {
		all := b.liveAgents(sessions, repo, "busy")
		args := []string{"-worlds", b.folder(), "-log-level", "error", "-repo", repo}
		ask := func(s *socket) {
			s.upgrade()
			s.send(`{"type":"hello","protocol":1}`)
			s.until(`"type":"world:state"`)
		}
		first.addTook(b.timedStart(ask, b.server, args...),
			b.timedStart(func(s *socket) { s.request("/healthz", 200, "") }, b.bare, "-http"))
		var c *child
		var s *socket
		heroes.add(timed(func() {
			c = b.serve(b.folder(), "-repo", repo)
			s = b.heroes(c, sessions)
		}).Seconds())
		delay := b.readDelays([]*socket{s}, stampMark)
		time.Sleep(settle)
		var took []time.Duration
		begin := time.Now()
		used := c.cpu(func() {
			took = b.paced(delay, 1, sessions*perSecond, func(k int) { all[k%sessions].says(1) })
		})
		share.add(used.Seconds() / time.Since(begin).Seconds())
		add(took, nil)
		memory.add(c.resident())
	})
}

// agentIdle measures the processor time of a server with live sessions that do nothing.
func (b *bench) agentIdle(sessions int) {
	share := b.row(part, aim{below, 0.01}, "", "%d live coding agents, idle: CPU of one core", sessions)
	repo := b.agentsHome()
	b.liveAgents(sessions, repo, "idle")
	c := b.serve(b.folder(), "-repo", repo)
	b.heroes(c, sessions)
	b.times(b.few(), func() {
		time.Sleep(settle)
		long := time.Duration(b.size(20, 2)) * time.Second
		share.add(c.cpu(func() { time.Sleep(long) }).Seconds() / long.Seconds())
	})
}
