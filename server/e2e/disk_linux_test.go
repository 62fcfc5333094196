package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// disk is a file system of its own for a worlds folder. It is small, and can be made read-only. It needs the right to
// mount, which root has in continuous integration.
type disk struct {
	t   *testing.T
	dir string
}

func newDisk(t *testing.T, megabytes int) *disk {
	t.Helper()
	dir := t.TempDir()
	err := syscall.Mount("e2e", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", megabytes))
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		// A limit on the size of files cannot replace the mount: Go ends a process on SIGXFSZ.
		t.Skip("SKIPPED, NOT TESTED: a full and a read-only disk need the right to mount (run as root)")
	}
	must(t, err)
	d := &disk{t, dir}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return d
}

// fill fills the disk to the last byte.
func (d *disk) fill() {
	d.t.Helper()
	f, err := os.OpenFile(filepath.Join(d.dir, "ballast"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	must(d.t, err)
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		block := make([]byte, size)
		for err = nil; err == nil; {
			_, err = f.Write(block)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			d.t.Fatal(err)
		}
	}
	must(d.t, f.Close())
}

// free makes the space free again.
func (d *disk) free() {
	d.t.Helper()
	must(d.t, os.Remove(filepath.Join(d.dir, "ballast")))
}

// fullDisk is a realm with a streaming answer on a disk that can be filled.
type fullDisk struct {
	*disk
	home   *Home
	life   *Life
	ledger *Ledger
	tab    *Tab
	other  *Tab
	first  string
}

func newFullDisk(t *testing.T, megabytes int, script string) *fullDisk {
	t.Helper()
	f := &fullDisk{disk: newDisk(t, megabytes), ledger: NewLedger(t)}
	f.home = NewHome(t, server, "-script", file(t, filepath.Join(t.TempDir(), "s.json"), script))
	f.home.Worlds = filepath.Join(f.dir, "worlds")
	f.life = f.home.Start()
	f.tab, f.other = NewTab(t, f.ledger, "Ada"), NewTab(t, f.ledger, "Ben")
	f.tab.Join(f.life)
	f.tab.Do("link", &wire.LinkRepo{Path: repository(t)})
	f.tab.Until("a realm", func() bool { return f.tab.World != nil })
	f.tab.Look(func() { f.first = f.tab.Epoch })
	f.other.Join(f.life)
	return f
}

// The disk is full: people are served, rows continue to stream, and all clients are told, also new ones. When there
// is space again, everything that was asked for is shown once and in order (P12.1, P12.2, B24). After a kill all of
// it is there.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	f := newFullDisk(t, 24, streaming)
	tab, other := f.tab, f.other
	tab.Do("start", &wire.StartProcess{Problem: "a full disk"})
	tab.Until("a stream", func() bool { return tab.Streams > 5 })
	f.fill()
	var said []*Command
	fail := func() {
		tab.Look(func() {
			n := len(said)
			said = append(said, tab.Send(fmt.Sprintf("full-%d", n), &wire.SpectatorSay{Text: fmt.Sprintf("full %d %s", n, strings.Repeat("x", 20_000))}))
		})
	}
	for range 30 { // the log can still use space that it has allocated before
		fail()
	}
	for _, c := range []*Tab{tab, other} {
		c.Until("that saving fails", func() bool { return c.Save.State == wire.SaveFailing && c.Save.Message != "" })
	}
	head, streamed := f.ledger.Head(), 0
	tab.Look(func() { streamed = tab.Streams })
	tab.Until("more words of the stream", func() bool { return tab.Streams > streamed+20 })
	late := NewTab(t, f.ledger, "late")
	late.Join(f.life)
	late.Until("that saving fails", func() bool { return late.Save.State == wire.SaveFailing })
	if c := late.Do("room", &wire.MapRoom{}); c.Code != "" {
		t.Errorf("a room: %s", c.Answer)
	}
	if got := realmList(t, late.Do("list", &wire.ListRealms{})); len(got.Realms) != 1 {
		t.Errorf("realms: %+v", got)
	}
	if f.ledger.Head() != head {
		t.Errorf("from %d to %d was shown while nothing could be saved", head, f.ledger.Head())
	}
	f.free()
	for _, c := range []*Tab{tab, other, late} {
		c.Until("that saving is well", func() bool { return c.Save.State == wire.SaveSaved || c.Save.State == "" })
	}
	for _, c := range said {
		tab.Await(c)
	}
	f.backToNormal(len(said), tab, other, late)
}

// backToNormal checks that every command was carried out once and in order, that a kill loses nothing, and that the
// next stop is clean.
func (f *fullDisk) backToNormal(n int, tabs ...*Tab) {
	f.t.Helper()
	last := ""
	count := 0
	for _, ev := range f.ledger.Events() {
		if say, ok := ev.Body.(*world.SpectatorCommand); ok && strings.HasPrefix(say.Text, "full ") {
			count++
			last = say.Text
		}
	}
	if count != n {
		f.t.Errorf("%d were said while the disk was full, %d are there", n, count)
	}
	if n > 0 && !strings.HasPrefix(last, fmt.Sprintf("full %d ", n-1)) {
		f.t.Errorf("the last one is %.20s", last)
	}
	for _, c := range tabs {
		c.MustReplay = true
	}
	f.life.Kill()
	f.life = f.home.Start()
	for _, c := range tabs {
		c.Join(f.life)
		sameAsFresh(f.t, f.life, c)
	}
	f.ledger.Check()
	if code := f.life.Stop(); code != 0 {
		f.t.Errorf("exit code %d", code)
	}
}

// Events that wait for a full disk are limited to 16 MiB. Beyond that, commands are answered unsaved. The sender keeps
// them and sends them again with the same requestId, and when there is space, each is carried out once (P12.3).
func TestFullDiskUpToTheBound(t *testing.T) {
	t.Parallel()
	f := newFullDisk(t, 160, streaming)
	tabs := []*Tab{f.tab, f.other}
	for i := range 4 {
		c := NewTab(t, f.ledger, fmt.Sprintf("speaker%d", i))
		c.Join(f.life)
		tabs = append(tabs, c)
	}
	f.fill()
	const each = 120 // 120 commands of 30 KB, six times: over 20 MB in total, and each time within a socket's burst
	for _, c := range tabs {
		c.Look(func() {
			for n := range each {
				c.Send(fmt.Sprintf("bound-%s-%d", c.Name, n), &wire.SpectatorSay{Text: fmt.Sprintf("%s %d %s", c.Name, n, strings.Repeat("y", 30_000))})
			}
		})
	}
	refused := func() bool {
		return slices.ContainsFunc(tabs, func(c *Tab) (found bool) {
			c.Look(func() {
				found = slices.ContainsFunc(c.Errors, func(e wire.ErrorFrame) bool { return e.Code == wire.Unsaved })
			})
			return found
		})
	}
	eventually(t, "unsaved", refused)
	before := f.life.Memory()
	f.free()
	for _, c := range tabs {
		// All frames come at the same time: a client that the ring overtakes connects again, as any client does.
		c.untilThrough(f.life, "an answer to everything", func() bool { return len(c.Pending) == 0 })
	}
	t.Logf("memory at the bound: %d MiB", before>>20)
	said := f.ledger.Said()
	if len(said) != each*len(tabs) {
		t.Errorf("%d of %d were taken", len(said), each*len(tabs))
	}
	for text, n := range said {
		if n != 1 {
			t.Errorf("%.30q was taken %d times", text, n)
		}
	}
	f.backToNormal(0, f.tab)
}

// The disk is full at the stop: the exit code is 1, and the server says how many events were not shown. No client was
// shown one of these events. The commands are carried out once when the tab comes back.
func TestStopWithTheDiskFull(t *testing.T) {
	t.Parallel()
	f := newFullDisk(t, 16, streaming)
	f.fill()
	f.tab.Look(func() {
		for n := range 20 {
			f.tab.Send(fmt.Sprintf("lost-%d", n), &wire.SpectatorSay{Text: fmt.Sprintf("full %d %s", n, strings.Repeat("x", 30_000))})
		}
	})
	f.tab.Until("that saving fails", func() bool { return f.tab.Save.State == wire.SaveFailing })
	if status, said := probe(t, f.life, "/readyz"); status != 503 || !strings.Contains(said, "The disk is full.") {
		t.Errorf("/readyz while a realm cannot be saved: %d %s", status, said)
	}
	eventually(t, "all of them taken in", func() bool {
		// The socket itself answers map:room, after it has read the earlier commands and given them to the realm. The realm
		// decides these at the latest at the stop; then they wait for the disk.
		c := f.tab.Do("room-"+fmt.Sprint(f.ledger.Head()), &wire.MapRoom{})
		return c.Code == ""
	})
	f.life.Signal(syscall.SIGTERM)
	code := f.life.End()
	// Wait until the tab has received everything that was shown before the stop.
	f.tab.Until("the end", func() bool { return f.tab.Closed != 0 })
	head := f.ledger.Head()
	f.tab.Look(func() {
		want := fmt.Sprintf("%d events were never shown", len(f.tab.Pending))
		if code != 1 || !strings.Contains(f.life.Log(), want) {
			t.Errorf("exit code %d, want %q in\n%s", code, want, f.life.Log())
		}
		lines := strings.Split(f.life.Log(), "\n")
		if !slices.ContainsFunc(lines, func(line string) bool {
			return strings.Contains(line, "not everything in it is saved") && strings.Contains(line, "realm="+f.tab.RealmID)
		}) {
			t.Errorf("no line names the realm that is not saved:\n%s", f.life.Log())
		}
	})
	// The disk is still full at the next start: the realm can be read.
	f.life = f.home.Start()
	late := NewTab(t, f.ledger, "late")
	late.Join(f.life)
	late.Until("why it cannot be written", func() bool {
		return late.World != nil && late.Save.State == wire.SaveFailing && strings.Contains(late.Save.Message, "The disk is full.")
	})
	f.free()
	f.tab.MustReplay = true
	f.tab.Join(f.life)
	f.tab.Until("an answer to everything", func() bool { return len(f.tab.Pending) == 0 })
	f.other.MustReplay = true
	f.other.Join(f.life)
	f.other.Until("what was kept", func() bool { return f.other.Seq > head+20 })
	f.backToNormal(20, f.tab, f.other)
}

// probe returns the status and the text of an answer of a server.
func probe(t *testing.T, life *Life, path string) (status int, text string) {
	t.Helper()
	resp, err := http.Get("http://" + life.Addr + path)
	must(t, err)
	body, err := io.ReadAll(resp.Body)
	must(t, errors.Join(err, resp.Body.Close()))
	return resp.StatusCode, string(body)
}

// A server makes a new worlds folder on a full disk: it answers, and says that nothing can be saved (P1.1). If the disk
// is still full at the stop, the exit code is 1, because the next start would not recognize people; if there is room
// again, what was not stored is stored.
func TestNewFolderOnAFullDisk(t *testing.T) {
	t.Parallel()
	for _, room := range []bool{false, true} {
		t.Run(fmt.Sprintf("room=%t", room), func(t *testing.T) {
			t.Parallel()
			d := newDisk(t, 1)
			home := NewHome(t, server)
			home.Worlds = filepath.Join(d.dir, "worlds")
			d.fill()
			life := home.Start()
			if status, said := probe(t, life, "/readyz"); status != 503 || !strings.Contains(said, "The disk is full.") {
				t.Errorf("/readyz on a full disk: %d %s", status, said)
			}
			if status, said := probe(t, life, "/healthz"); status != 200 {
				t.Errorf("/healthz on a full disk: %d %s", status, said)
			}
			want := 1
			if room {
				d.free()
				want = 0
			}
			if code := life.Stop(); code != want || room == strings.Contains(life.Log(), "stop: store the key") {
				t.Errorf("exit code %d, want %d\n%s", code, want, life.Log())
			}
			if _, err := os.Stat(filepath.Join(home.Worlds, "secret.key")); room != (err == nil) {
				t.Errorf("the key that signs seats: %v", err)
			}
		})
	}
}

// remount makes the disk read-only (syscall.MS_RDONLY) or writable (0). No process may have a file on it open for
// writing.
func (d *disk) remount(flags uintptr) {
	d.t.Helper()
	must(d.t, syscall.Mount("e2e", d.dir, "tmpfs", syscall.MS_REMOUNT|flags, ""))
}

// readable checks that a life whose disk cannot be written shows everything that was shown before, and says on the page
// and in the log why it saves nothing.
func (f *fullDisk) readable(reason string, said ...string) *Tab {
	f.t.Helper()
	late := NewTab(f.t, f.ledger, "late")
	late.Join(f.life)
	late.Look(func() {
		if late.World == nil {
			f.t.Fatalf("a realm on a disk that takes nothing is not shown\n%s", f.life.Log())
		}
	})
	late.Until("why it cannot be written", func() bool {
		return late.Save.State == wire.SaveFailing && strings.Contains(late.Save.Message, reason)
	})
	if seq, _ := late.Position(); seq != f.ledger.Head() {
		f.t.Errorf("it is shown at %d and was shown at %d", seq, f.ledger.Head())
	}
	for _, text := range said {
		if f.ledger.Said()[text] != 1 {
			f.t.Errorf("%q is not shown", text)
		}
	}
	if c := late.Do("room", &wire.MapRoom{}); c.Code != "" {
		f.t.Errorf("a room: %s", c.Answer)
	}
	if code, out, errs := f.home.Run("export", "-worlds", f.home.Worlds); code != 0 {
		f.t.Errorf("an export by the server: exit code %d\n%s%s", code, out, errs)
	}
	if log := f.life.Log(); !strings.Contains(log, "the realm can only be read") {
		f.t.Errorf("the log does not say that the realm can only be read:\n%s", log)
	}
	return late
}

// The server starts on a read-only disk, after a clean stop and after a kill that left a log. The realm is shown with
// the reason why nothing is saved, a stop loses nothing, and commands can read the folder. When the disk can be
// written, the realm continues by itself (S3-17, P12.1).
func TestReadOnlyDiskAtTheStart(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed=%t", killed), func(t *testing.T) {
			t.Parallel()
			f := newFullDisk(t, 24, streaming)
			chat := f.tab.Do("chat", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"oracle"}, Title: "what lies in the cellar?"})
			if chat.Code != "" {
				t.Fatalf("a chat: %s", chat.Answer)
			}
			f.tab.Do("say", &wire.SpectatorSay{Text: "full 0 before"})
			if killed {
				f.life.Kill()
			} else if code := f.life.Stop(); code != 0 {
				t.Fatalf("exit code %d\n%s", code, f.life.Log())
			}
			f.remount(syscall.MS_RDONLY)
			for _, args := range [][]string{{"realms"}, {"export"}, {"export", "-format", "sarif"}, {"conversations", "-content"}, {"audit"}} {
				code, out, errs := f.home.Run(append(args, "-worlds", f.home.Worlds)...)
				if code != 0 || args[0] == "conversations" && !strings.Contains(out, "what lies in the cellar?") {
					t.Errorf("%v on a read-only disk: exit code %d\n%s%s", args, code, out, errs)
				}
			}
			code, _, errs := f.home.Run("erase", "-worlds", f.home.Worlds, "-realm", f.tab.RealmID, "-person", f.tab.Self.SpectatorID)
			if code != 1 || !strings.Contains(errs, "read-only file system") {
				t.Errorf("an erasure on a read-only disk: exit code %d\n%s", code, errs)
			}
			f.life = f.home.Start()
			f.readable("The disk can only be read.", "full 0 before")
			if code := f.life.Stop(); code != 0 || !strings.Contains(f.life.Log(), "the realm could not be written since it was opened") {
				t.Errorf("a stop with nothing to save: exit code %d\n%s", code, f.life.Log())
			}
			f.life = f.home.Start()
			late := f.readable("The disk can only be read.", "full 0 before")
			var said *Command
			late.Look(func() { said = late.Send("ro", &wire.SpectatorSay{Text: "full 1 while it can only be read"}) })
			f.remount(0)
			late.Await(said)
			if said.Code != "" {
				t.Errorf("once it can be written: %s", said.Answer)
			}
			f.tab.MustReplay, f.other.MustReplay = true, true
			f.tab.Join(f.life)
			f.other.Join(f.life)
			f.backToNormal(2, f.tab, f.other)
		})
	}
}

// The server starts after a kill on a disk without a free byte. The realm is shown with the reason why nothing is
// saved, commands can read the folder, and when there is space, what was said meanwhile is saved once.
func TestFullDiskAtTheStart(t *testing.T) {
	t.Parallel()
	f := newFullDisk(t, 24, streaming)
	f.tab.Do("say", &wire.SpectatorSay{Text: "full 0 before"})
	f.life.Kill()
	f.fill()
	for _, args := range [][]string{{"export"}, {"conversations"}, {"audit"}} {
		if code, out, errs := f.home.Run(append(args, "-worlds", f.home.Worlds)...); code != 0 {
			t.Errorf("%v on a full disk: exit code %d\n%s%s", args, code, out, errs)
		}
	}
	f.life = f.home.Start()
	late := f.readable("The disk is full.", "full 0 before")
	var said *Command
	late.Look(func() { said = late.Send("full", &wire.SpectatorSay{Text: "full 1 while it is full"}) })
	f.free()
	late.Await(said)
	if said.Code != "" {
		t.Errorf("once there is room: %s", said.Answer)
	}
	f.tab.MustReplay = true
	f.tab.Join(f.life)
	f.backToNormal(2, f.tab)
}

// The realm's folder becomes read-only while the server runs. Open files can still be written, so everything is saved
// and shown. state.json cannot be replaced, and is written when the folder is writable again. (A kernel does not make a
// disk read-only while files on it are open for writing; the store's tests cover a journal that fails like that.)
func TestFolderTurnsReadOnlyWhileItRuns(t *testing.T) {
	t.Parallel()
	f := newFullDisk(t, 24, streaming)
	dir := filepath.Join(f.home.Worlds, f.tab.RealmID)
	immutable := func(sign string) error {
		if out, err := exec.Command("chattr", sign+"i", dir).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
		}
		return nil
	}
	if err := immutable("+"); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: folders cannot be made immutable here: %v", err)
	}
	t.Cleanup(func() {
		if err := immutable("-"); err != nil {
			t.Error(err)
		}
	})
	var said []*Command
	f.tab.Look(func() {
		for n := range 20 {
			said = append(said, f.tab.Send(fmt.Sprintf("ro-%d", n), &wire.SpectatorSay{Text: fmt.Sprintf("full %d x", n)}))
		}
	})
	for _, c := range said {
		if f.tab.Await(c); c.Code != "" {
			t.Errorf("while the folder is read-only: %s", c.Answer)
		}
	}
	eventually(t, "a word in the log", func() bool { return strings.Contains(f.life.Log(), "could not be written") })
	must(t, immutable("-"))
	path := filepath.Join(dir, "state.json")
	f.tab.Do("once-more", &wire.SpectatorSay{Text: "the folder is back"})
	eventually(t, "a checkpoint", func() bool {
		var s state
		data, err := os.ReadFile(path)
		seq, _ := f.tab.Position()
		return err == nil && json.Unmarshal(data, &s) == nil && s.Seq == seq
	})
	f.backToNormal(len(said), f.tab, f.other)
}
