package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// menders is a script whose agents give a long answer in a chat, and use a tool that can change something in a council.
const menders = `{"version":1,"turns":[
 {"match":{"kind":"chat","words":"count"},"steps":[{"say":"word ","repeat":2500,"chunkMs":4,"chunkWords":1}]},
 {"match":{"kind":"chat"},"steps":[{"say":"You said: {{words}}"}]},
 {"match":{"kind":"council"},"steps":[{"say":"I look at it first."},
   {"tool":{"name":"mend","input":"{}","output":"mended","delayMs":10}},{"say":"{{role}} has mended it, turn {{n}}."}]}],
 "otherwise":[{"say":"Said by {{role}}."},{"seal":"done"}]}`

// count returns the number of closed rows of a conversation that begin with line.
func (l *Ledger) count(conversation, line string) (n int) {
	for _, row := range l.script(conversation) {
		if strings.HasPrefix(row, line) {
			n++
		}
	}
	return n
}

// The disk goes away during a council and two chats, and comes back, or the server is killed meanwhile. While it is
// away, people are served, everybody is told, shown rows continue to stream, nothing durable is shown, and no tool
// begins. Afterwards everything that was asked for is there once and in order, and nothing that was shown is lost
// (P12.1).
func TestDiskAwayInMidConversation(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		t.Run(map[bool]string{false: "given back", true: "killed"}[killed], func(t *testing.T) {
			t.Parallel()
			f := newFullDisk(t, 32, menders)
			tab, other, ledger := f.tab, f.other, f.ledger
			tab.Do("start", &wire.StartProcess{Problem: "a disk that goes away", TemplateID: "standard_brainstorm"})
			tab.Do("council", &wire.ConversationStart{Kind: world.KindCouncil, MemberIDs: []string{"ideator", "facilitator", "synthesizer"}, TaskPrompt: "Mend it.", MaxTurns: 12})
			tab.Do("long", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"ideator"}, Title: "long"})
			tab.Do("short", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"facilitator"}, Title: "short"})
			council, _ := ledger.conversation("Mend it.")
			long, _ := ledger.conversation("long")
			short, _ := ledger.conversation("short")
			tab.Do("count", &wire.ChatSend{ConversationID: long.ConversationID, Content: "count for me"})
			tab.Until("a turn of the council and words", func() bool { return ledger.count(council.ConversationID, "assistant:") > 0 && tab.Streams > 20 })
			f.fill()
			var said []*Command
			tab.Look(func() {
				for n := range 30 { // the log can still use space that it has allocated before
					said = append(said, tab.Send(fmt.Sprintf("full-%d", n), &wire.SpectatorSay{Text: fmt.Sprintf("full %d %s", n, strings.Repeat("x", 20_000))}))
				}
			})
			for _, c := range []*Tab{tab, other} {
				c.Until("that saving fails", func() bool { return c.Save.State == wire.SaveFailing })
			}
			head, streamed := ledger.Head(), 0
			tab.Look(func() {
				streamed = tab.Streams
				said = append(said,
					tab.Send("hello", &wire.ChatSend{ConversationID: short.ConversationID, Content: "hello there"}),
					tab.Send("rename", &wire.ConversationRename{ConversationID: short.ConversationID, Title: "still short"}))
			})
			if c := other.Do("room", &wire.MapRoom{}); c.Code != "" {
				t.Errorf("a room: %s", c.Answer)
			}
			tab.Until("more words of the row that is open", func() bool { return tab.Streams > streamed+50 })
			if got := ledger.Head(); got != head { // so no tool, no run and no turn began
				t.Errorf("from %d to %d was shown while nothing could be saved", head, got)
			}
			tab.Look(func() {
				for _, c := range said[len(said)-2:] {
					if c.Answer != nil || c.Code != "" {
						t.Errorf("%s is answered while nothing can be saved: %s", c.Type, c.Answer)
					}
				}
			})
			if killed {
				f.life.Kill()
				f.free()
				f.life = f.home.Start()
				for _, c := range []*Tab{tab, other} {
					c.MustReplay = true
					c.Join(f.life)
				}
			} else {
				f.free()
			}
			for _, c := range said {
				if tab.Await(c); c.Code != "" {
					t.Errorf("%s: %s", c.Type, c.Answer)
				}
			}
			f.settleTalks(council.ConversationID, short.ConversationID)
			if want := "assistant:ideator:" + strings.Repeat("word ", 2500) + ":done"; !killed {
				tab.Until("the long answer", func() bool { return ledger.count(long.ConversationID, strings.TrimSuffix(want, " :done")) == 1 })
			}
			f.backToNormal(30, tab, other)
		})
	}
}

// settleTalks waits until the council has taken each of its turns once and in order, and the short chat has its one
// answer.
func (f *fullDisk) settleTalks(council, short string) {
	f.t.Helper()
	n := 0
	if !f.tab.Within(Patience, func() bool {
		switch _, status := f.ledger.conversation("Mend it."); {
		case status == world.ConversationCompleted:
			return true
		// The council was cut off during its tool call, so it asks a person.
		case status == world.ConversationPaused && len(f.tab.Pending) == 0:
			n++
			f.tab.Send(fmt.Sprint("resume-", n), &wire.ConversationResume{ConversationID: council})
		}
		return false
	}) {
		_, status := f.ledger.conversation("Mend it.")
		f.t.Fatalf("the council is %s\n%s", status, strings.Join(f.ledger.script(council), "\n"))
	}
	turns := 0
	for _, line := range f.ledger.script(council) {
		if strings.Contains(line, "has mended it") && strings.HasSuffix(line, ":"+world.MessageDone) {
			if turns++; !strings.Contains(line, fmt.Sprintf("turn %d.", turns)) {
				f.t.Errorf("turn %d of the council: %s", turns, line)
			}
		}
	}
	if turns != 12 {
		f.t.Errorf("the council has %d turns of 12", turns)
	}
	f.tab.Until("the answer", func() bool { return f.ledger.count(short, "assistant:facilitator:You said: hello there:done") == 1 })
	if asked, answers := f.ledger.count(short, "user:"), f.ledger.count(short, "assistant:"); asked != 1 || answers != 1 {
		f.t.Errorf("the words stand there %d times and have %d answers", asked, answers)
	}
}

// While the disk is away, no model is asked: each request costs money, and after a kill the model would be asked
// again, because no event of the request was saved.
func TestNoModelIsAskedWhileTheDiskIsAway(t *testing.T) {
	t.Parallel()
	s := modeltest.New(finishes)
	d := newDisk(t, 24)
	home := modelHome(t, s)
	home.Worlds = filepath.Join(d.dir, "worlds")
	l := home.Start()
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "Ada")
	tab.Join(l)
	tab.Do("bare", &wire.StartProcess{Problem: "What now?", TemplateID: "standard_brainstorm", Bare: true})
	tab.Until("a process at rest", func() bool { return tab.World != nil && tab.World.ProcessState.Status == world.StatusCompleted })
	tab.Do("chat", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"ideator"}, Title: "c"})
	c, _ := ledger.conversation("c")
	tab.Do("first", &wire.ChatSend{ConversationID: c.ConversationID, Content: "first"})
	tab.Until("an answer", func() bool { return ledger.count(c.ConversationID, "assistant:") == 1 })
	d.fill()
	tab.Look(func() {
		for n := range 30 {
			tab.Send(fmt.Sprintf("full-%d", n), &wire.SpectatorSay{Text: strings.Repeat("x", 20_000)})
		}
	})
	tab.Until("that saving fails", func() bool { return tab.Save.State == wire.SaveFailing })
	asked := s.Asked()
	var second *Command
	tab.Look(func() {
		second = tab.Send("second", &wire.ChatSend{ConversationID: c.ConversationID, Content: "second"})
	})
	for range 5 { // the realm handles the earlier commands before it attaches a new client
		late := NewTab(t, ledger, "")
		late.Join(l)
		late.Close()
	}
	if got := s.Asked(); got != asked {
		t.Errorf("the model was asked %d times more while nothing could be saved", got-asked)
	}
	d.free()
	tab.Await(second)
	tab.Until("two answers", func() bool { return ledger.count(c.ConversationID, "assistant:") == 2 })
	if got := s.Asked(); got != asked+1 {
		t.Errorf("the model was asked %d times for one question", got-asked)
	}
	ledger.Check()
	if code := l.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// The disk of the linked folder goes away while the realm runs (the folder is empty, as after an unmount), becomes
// read-only, and comes back. Events of the realm are saved meanwhile, findings stay, and the map is the same again.
func TestRepositoryDiskAway(t *testing.T) {
	t.Parallel()
	d := newDisk(t, 8)
	repo := filepath.Join(d.dir, "tools")
	fillRepo := func() {
		for name, text := range map[string]string{"README.md": "# tools\n", "src/main.go": "package main\n", "docs/guide.md": "read\n"} {
			file(t, filepath.Join(repo, name), text)
		}
	}
	fillRepo()
	home := NewHome(t, server, "-pace", "instant", "-script", file(t, filepath.Join(t.TempDir(), "s.json"), talkers))
	l := home.Start()
	ledger := NewLedger(t)
	tab := NewTab(t, ledger, "Ada")
	tab.Join(l)
	if c := tab.Do("link", &wire.LinkRepo{Path: repo}); c.Code != "" {
		t.Fatalf("link: %s", c.Answer)
	}
	tab.Until("a map", func() bool { return tab.World != nil && tab.Land.Map.Files == 3 })
	tab.Do("chat", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"oracle"}, Title: "c"})
	for n, what := range []string{"gone", "back", "read-only", "writable"} {
		flags := uintptr(syscall.MS_REMOUNT)
		switch what {
		case "gone":
			must(t, syscall.Unmount(d.dir, syscall.MNT_DETACH))
		case "back":
			must(t, syscall.Mount("e2e", d.dir, "tmpfs", 0, "size=8m"))
			fillRepo()
		case "read-only":
			must(t, syscall.Mount("e2e", d.dir, "tmpfs", flags|syscall.MS_RDONLY, ""))
			if err := os.WriteFile(filepath.Join(repo, "x"), nil, 0o600); err == nil {
				t.Fatal("the disk is not read-only")
			}
		case "writable":
			must(t, syscall.Mount("e2e", d.dir, "tmpfs", flags, ""))
		}
		if c := tab.Do(fmt.Sprint("say-", n), &wire.SpectatorSay{Text: "the disk is " + what}); c.Code != "" {
			t.Errorf("%s: %s", what, c.Answer)
		}
		missing := what == "gone"
		eventually(t, "a map that says that its disk is "+what, func() bool {
			late := NewTab(t, ledger, "")
			late.Join(l)
			defer late.Close()
			return late.Land.Map.Missing == missing && late.Land.Map.Files == 3
		})
	}
	if n := len(ledger.Said()); n != 4 {
		t.Errorf("%d of 4 words were kept", n)
	}
	ledger.Check()
	l.Kill()
	l = home.Start()
	tab.MustReplay = true
	tab.Join(l)
	sameAsFresh(t, l, tab)
	if code := l.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
