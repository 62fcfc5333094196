package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"agentdungeon/shared/world"
)

// heroes returns the agents of sessions on the map with their states, in order. The caller holds mu.
func heroes(tab *Tab) string {
	var out []string
	for i := range tab.World.Agents {
		if a := &tab.World.Agents[i]; a.State != nil {
			_, id, _ := strings.Cut(a.ID, ":")
			out = append(out, id[max(0, len(id)-8):]+" "+a.State.State)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// are waits until exactly these heroes are on the map. Each is given by the last 8 characters of an id, and a state.
func are(tab *Tab, want ...string) {
	tab.t.Helper()
	slices.Sort(want)
	all := strings.Join(want, ", ")
	if !tab.Within(Patience/10, func() bool { return heroes(tab) == all }) {
		tab.Look(func() { tab.t.Fatalf("the heroes are %q, want %q", heroes(tab), all) })
	}
}

// A hero is lost if the process of its session was killed, if another process has that pid now, or if nobody holds the
// session's lock during a turn; also after a restart of the server. A hero whose process lives stays at work (P17.3).
func TestTheKilledAreLost_P17_3(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	one, start := process(t)
	two, _ := process(t)
	killed, living := d.claude("5d3c1a00-0000-4000-8000-0000000killed", one), d.claude("5d3c1a00-0000-4000-8000-0000000living", two)
	codex := d.codex("01a20d48-32fd-7ad3-a1d7-000000000005")
	for _, s := range []*record{killed, living} {
		s.append(s.next())
	}
	lines, _ := codex.turn(0)
	codex.append(strings.Join(lines[:4], "\n") + "\n") // the session has an open call
	l := d.home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	d.joins(l, tab)
	are(tab, "00killed working", "00living working", "00000005 working")
	must(t, syscall.Kill(one, syscall.SIGKILL))
	must(t, codex.lock.Close()) // the kernel does this when the process that holds the lock is killed
	are(tab, "00killed lost", "00living working", "00000005 lost")
	other, _ := process(t)
	must(t, os.Remove(filepath.Join(d.root, ".claude", "sessions", strconv.Itoa(one)+".json")))
	d.status(killed, other, start+"1", "busy") // as if another process had got the pid of the killed one
	for range 2 {
		living.append(living.next())
		last := living.rows[len(living.rows)-1]
		eventually(t, "a look at the sessions", func() bool { return slices.Contains(kept(tab, living.agent), last) })
		are(tab, "00killed lost", "00living working", "00000005 lost")
		l.Kill()
		l = d.home.Start()
		d.joins(l, tab)
	}
}

// A session of Claude Code has three sub-agents in the background, one of them started by another. The session and
// its sub-agents are four heroes, and each sub-agent is shown with the agent that started it; finished ones leave
// (P17.2, P17.3).
func TestSubAgentsAreHeroes_P17_2(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	pid, _ := process(t)
	s := d.claude("5d3c1a00-0000-4000-8000-00000000main", pid)
	s.append(s.next())
	folder := filepath.Join(strings.TrimSuffix(s.file, ".jsonl"), "subagents")
	meta := func(id, parent string, finished bool) {
		fields := []any{"agentType", "general-purpose", "description", "Look at " + id, "toolUseId", "toolu_" + id, "spawnDepth", 1}
		if parent != "" {
			fields = append(fields, "parentAgentId", parent)
		}
		if finished {
			fields = append(fields, "finished", true)
		}
		file(t, filepath.Join(folder, "agent-"+id+".meta.json"), fieldsOf(t, fields...))
	}
	works := func(id string, n int) {
		lines, _ := claudeTurn(t, s.id, d.dir, n)
		text := strings.ReplaceAll(strings.Join(lines, "\n"), `"isSidechain":false`, `"isSidechain":true,"agentId":"`+id+`"`)
		(&record{t: t, file: filepath.Join(folder, "agent-"+id+".jsonl")}).append(text + "\n")
	}
	for id, parent := range map[string]string{"aaaaaaaa": "", "bbbbbbbb": "", "cccccccc": "bbbbbbbb"} {
		must(t, os.MkdirAll(folder, 0o700))
		meta(id, parent, false)
		works(id, int(id[0]))
	}
	l := d.home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	d.joins(l, tab)
	are(tab, "0000main working", "aaaaaaaa working", "bbbbbbbb working", "cccccccc working")
	for id, want := range map[string]string{"aaaaaaaa": s.agent, "bbbbbbbb": s.agent, "cccccccc": s.agent + "/agent-bbbbbbbb"} {
		tab.Look(func() {
			if of := world.SessionOf(tab.World.Sessions, s.agent+"/agent-"+id); of == nil || of.Parent != want {
				t.Errorf("%s belongs to %+v, want %s", id, of, want)
			}
		})
	}
	meta("cccccccc", "bbbbbbbb", true)
	are(tab, "0000main working", "aaaaaaaa working", "bbbbbbbb working")
	must(t, syscall.Kill(pid, syscall.SIGKILL))
	are(tab, "0000main lost", "aaaaaaaa lost", "bbbbbbbb lost")
}

// A session that was resumed or compacted keeps its hero and its conversation, also in another worktree. /clear ends
// one session and begins another. A fork is a second hero, and its conversation repeats nothing (P17.3).
func TestOneHeroOrTwo_P17_3(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	tree := filepath.Join(t.TempDir(), "tree")
	begin := "-c user.name=G -c user.email=g@example.org commit -q -m Begin"
	for _, args := range []string{"init -q", "add .", begin, "worktree add -q " + tree} {
		git := exec.Command("git", strings.Fields(args)...)
		git.Dir = d.dir
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	pid, start := process(t)
	s := d.claude("5d3c1a00-0000-4000-8000-00000000once", pid)
	s.append(s.next())
	l := d.home.Start()
	tab := NewTab(t, NewLedger(t), "Ada")
	d.joins(l, tab)
	are(tab, "0000once working")
	holds := func(pid int) string { return filepath.Join(d.root, ".claude", "sessions", strconv.Itoa(pid)+".json") }
	sessions := func(want int) {
		t.Helper()
		tab.Look(func() {
			if len(tab.World.Sessions) != want {
				t.Errorf("%d sessions, want %d", len(tab.World.Sessions), want)
			}
		})
	}
	must(t, os.Remove(holds(pid))) // the program exits normally and removes the file
	are(tab)
	second, began := process(t)
	d.status(s, second, began, "busy") // and is resumed
	summary := spoke(t, s.id, d.dir, "user", "c-1", "A summary.")
	s.append(strings.Replace(summary, "{", `{"isCompactSummary":true,`, 1) + "\n" + s.next())
	are(tab, "0000once working")
	sessions(1)

	moved := filepath.Join(d.root, ".claude", "projects", "-tree", filepath.Base(s.file))
	must(t, os.MkdirAll(filepath.Dir(moved), 0o700))
	must(t, os.Rename(s.file, moved))
	s.file, s.turn = moved, func(n int) (lines, rows []string) { return claudeTurn(t, s.id, tree, n) }
	s.append(s.next())
	want := slices.Concat(s.rows[:3], []string{"system The context was replaced by a summary."}, s.rows[3:6],
		[]string{"system The session goes on in another folder: " + tree}, s.rows[6:])
	eventually(t, "the move", func() bool { return len(kept(tab, s.agent)) >= len(want) })
	if got := kept(tab, s.agent); !slices.Equal(got, want) {
		t.Errorf("the rows are %q, want %q", got, want)
	}
	are(tab, "0000once working")
	sessions(1)

	fork := d.claude("5d3c1a00-0000-4000-8000-00000000fork", pid)
	copied := spoke(t, fork.id, d.dir, "assistant", "u0-2", []object{{"type": "text", "text": "say 0"}})
	fork.append(spoke(t, fork.id, d.dir, "user", "u0-1", "ask 0") + "\n" +
		strings.Replace(copied, "{", fmt.Sprintf(`{"requestSessionId":%q,`, s.id), 1) + "\n")
	fork.append(spoke(t, fork.id, d.dir, "user", "f-1", "its own") + "\n" +
		spoke(t, fork.id, d.dir, "assistant", "f-2", []object{{"type": "text", "text": "Yes."}}) + "\n")
	are(tab, "0000fork working", "0000once working")
	eventually(t, "the fork", func() bool { return len(kept(tab, fork.agent)) >= 2 })
	if got := kept(tab, fork.agent); !slices.Equal(got, []string{"user its own", "assistant Yes."}) {
		t.Errorf("the fork says %q", got)
	}
	sessions(2)

	clear := &record{t: t, id: "5d3c1a00-0000-4000-8000-000000cleared", file: filepath.Join(filepath.Dir(fork.file), "5d3c1a00-0000-4000-8000-000000cleared.jsonl")}
	lines, _ := claudeTurn(t, clear.id, d.dir, 9)
	clear.append(strings.Join(lines, "\n") + "\n")
	d.status(clear, pid, start, "busy") // /clear: the fork's process has another session now
	are(tab, "0cleared working", "0000once working")
	sessions(3)
}

// The test uses recordings of the real Claude Code and Codex: a day with three sub-agents in the background, /clear, a
// resumption, a compaction and a fork that was killed, and terminals with /new, a fork and a sub-agent. Each session is
// one conversation, sub-agents belong to the session that started them, no hero is at work because no process lives,
// and a restart adds nothing (P17.2, P17.3).
func TestRecordedDaysAreShownOnce_P17_2(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for from, to := range map[string]string{"claude/testdata/day": ".claude", "codex/testdata/terminal": ".codex",
		"codex/testdata/subagent": ".codex"} {
		from = filepath.Join("..", "reader", from)
		must(t, filepath.WalkDir(from, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err == nil {
				rel := strings.TrimPrefix(path, from)
				file(t, filepath.Join(d.root, to, rel), strings.ReplaceAll(string(data), "/home/dev/project", d.dir))
			}
			return err
		}))
	}
	must(t, os.MkdirAll(filepath.Join(d.root, ".codex", "thread-writer-locks"), 0o700))
	const main, spawner = "claude:a5da0ece-22bb-4ea3-94b3-9522512d4212", "codex:01a209fd-8f98-7f10-ba01-3cf62ee4bad2"
	parents := map[string]string{
		main: "", main + "/agent-a9323e8e1907852a0": main, main + "/agent-a993c53362d0f1fab": main,
		main + "/agent-af48ac2b208c2d997": main, "claude:5fcaf07b-4337-4859-9d0e-ec09cd4a5ee8": "",
		"claude:02b659f3-6659-49ae-ab28-4e2759335b32": "", spawner: "",
		"codex:01a209fd-9105-7060-b02c-de82870474bf": spawner, "codex:01a209fe-3bf7-7c63-93be-cb31d31b6af0": "",
		"codex:01a209ff-c89b-7ac3-ac87-b8749c156199": "", "codex:01a209ff-f08e-7d20-ba7d-2acfdf4b3ccc": "",
	}
	tab := NewTab(t, NewLedger(t), "Ada")
	rows := map[string]int{}
	for life := range 2 {
		l := d.home.Start()
		d.joins(l, tab)
		tab.Until("all sessions", func() bool { return len(tab.World.Sessions) >= len(parents) })
		talks := map[string]bool{}
		tab.Look(func() {
			for _, s := range tab.World.Sessions {
				if parent, known := parents[s.AgentID]; !known || s.Parent != parent || talks[s.ConversationID] {
					t.Errorf("life %d: %s belongs to %q, its conversation is %s", life, s.AgentID, s.Parent, s.ConversationID)
				}
				talks[s.ConversationID] = true
			}
			if all := heroes(tab); strings.Contains(all, "working") || strings.Contains(all, "waiting") {
				t.Errorf("life %d: at work are %s", life, all)
			}
		})
		for id := range parents {
			n := len(kept(tab, id))
			if n == 0 || life > 0 && n != rows[id] {
				t.Errorf("life %d: %s has %d rows, and had %d", life, id, n, rows[id])
			}
			rows[id] = n
		}
		l.Stop()
	}
}
