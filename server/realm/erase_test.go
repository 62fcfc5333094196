package realm

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rs/zerolog"
	"github.com/spf13/afero"
	_ "modernc.org/sqlite"

	"agentdungeon/server/kinds"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// disk is a realm on a real folder of the file system.
type disk struct {
	*bench
	dir  string
	o    *recovery.Opened
	kill *killer
	late *lateReads
	held *heldSaves
	with func(*Config) // changes the realm's configuration; nil for none
	log  zerolog.Logger
}

// onDisk runs f in a bubble with a realm on a real folder.
func onDisk(t *testing.T, play cast, f func(d *disk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t, play, t.TempDir())
		d.open(false)
		f(d)
	})
}

// newDisk returns a realm on a new folder within the folder in. The realm is not open yet.
func newDisk(t *testing.T, play cast, in string) *disk {
	return &disk{bench: &bench{t: t, drivers: play, extra: []*world.Template{actors()}}, dir: filepath.Join(in, "r1"), log: zerolog.Nop()}
}

var diskRealm = world.Realm{ID: "r1", Name: "realm", Path: "/srv/repo", Tenant: "default"}

func (d *disk) open(still bool) {
	d.t.Helper()
	o, err := recovery.Open(context.Background(), afero.NewOsFs(), d.dir, diskRealm, world.DefaultSettings(), time.Now())
	if err != nil {
		d.t.Fatal(err)
	}
	d.o = o
	cfg := Config{
		Saved: o.Saved, Journal: o.Journal, Files: o.Files, Eraser: o.Eraser, Kinds: kinds.All(), Templates: builtin{d.extra}, Drivers: d.drivers,
		Log: d.log, Pace: world.PaceInstant, Still: still,
	}
	if d.kill != nil {
		d.kill.Journal, d.kill.Files, d.kill.eraser = o.Journal, o.Files, o.Eraser
		cfg.Journal, cfg.Files, cfg.Eraser = d.kill, d.kill, d.kill
	}
	if d.held != nil {
		d.held.Files = o.Files
		cfg.Files = d.held
	}
	if d.late != nil {
		d.late.Journal = o.Journal
		cfg.Journal = d.late
	}
	if d.with != nil {
		d.with(&cfg)
	}
	d.r = Start(cfg)
}

// Words that the tests plant. Their beginnings differ, because the full-text index (FTS) stores of each word only what
// differs from the word before it.
const (
	adaSays  = "qzadaplanted leaves at nine tomorrow"
	adaAside = "xvadapassing by the gate today"
	adaName  = "Wkadaname"
	benSays  = "jybenplanted stays for the night"
	chatSays = "hbchatplanted between the two of us"
)

var planter = Person{SpectatorID: "p1", Name: adaName, Color: "#aabbcc", Role: wire.RoleHost}

// quoting is a driver that quotes its prompt in words, tool calls, insights and findings.
func quoting(_ context.Context, q TurnRequest, emit func(Chunk) error) error {
	said := q.Words
	for _, m := range q.Window {
		said += " / " + m.Content
	}
	if q.Kind == world.KindProcess {
		said = "nothing that others said"
	}
	for _, c := range []Chunk{
		{Tool: &ToolStart{CallID: "c1", Name: "look", Input: said, Reads: true}}, {ToolOutput: &ToolOutput{CallID: "c1", Text: "seen " + said}},
		{ToolEnd: &ToolEnd{CallID: "c1", OK: true, Output: "seen " + said}},
		{Insight: &world.Insight{Area: "people", Text: "they said: " + said}},
		{Finding: &world.Finding{Title: "found", Text: said, Path: "a.go", Severity: "low"}},
		{Text: q.Role.ID + " heard: " + said},
	} {
		if err := emit(c); err != nil {
			return err
		}
	}
	return nil
}

// lived lets two people say something in each way that there is, and returns a client and two conversations.
func (d *disk) lived() (c *tab, chat, council string) {
	c = d.tab()
	c.returns = true
	c.send(planter, "s1", &wire.SpectatorSay{Text: adaAside})
	c.send(planter, "s2", &wire.SpectatorSay{Text: adaSays})
	chat = begun(d.t, c.send(planter, "n1", chatWith("sage")))
	c.send(planter, "q1", &wire.ChatSend{ConversationID: chat, Content: chatSays})
	c.send(planter, "t1", &wire.ConversationRename{ConversationID: chat, Title: "about " + chatSays})
	council = begun(d.t, c.send(ben, "n2", councilOf("speak of the night", 3, ben.SpectatorID, "bard")))
	c.send(planter, "q2", &wire.ChatSend{ConversationID: council, Content: adaSays})
	c.send(ben, "q3", &wire.ChatSend{ConversationID: council, Content: benSays})
	c.send(ben, "p", &wire.StartProcess{Problem: "what to keep", TemplateID: "standard_brainstorm"})
	c.send(planter, "k", &wire.TakeRole{RoleID: "ideator"})
	conv := c.world.ProcessState.ConversationID
	c.send(planter, "a1", &wire.ChatSend{ConversationID: conv, Content: adaSays})
	c.send(planter, "z", &wire.PlayerCommand{Text: "/pause"})
	time.Sleep(time.Minute)
	c.pull()
	return c, chat, council
}

// After the erasure of a conversation no byte of the folder has its words, and the words of other conversations are
// still there (S1-19). P16.2.
func TestEraseAConversation(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		c, chat, _ := d.lived()
		before := grep(t, d.dir, chatSays, adaSays, benSays)
		if before[chatSays] == 0 || before[benSays] == 0 {
			t.Errorf("nothing is planted: %v", before)
		}
		frames := c.send(ben, "e1", &wire.HistoryErase{ConversationID: chat})
		time.Sleep(time.Minute)
		frames = append(frames, c.pull()...)
		// The server had cut the connection of the client, which was far behind, and the client has connected again.
		// Like a page it sends the command again.
		frames = append(frames, c.send(ben, "e1", &wire.HistoryErase{ConversationID: chat})...)
		receipt := find(frames, "history:receipt")
		if receipt == nil {
			t.Errorf("it is answered by %v", types(frames))
			d.stop()
			return
		}
		t.Log(receipt["receipt"])
		if f := find(c.send(ben, "o1", &wire.ConversationOpen{ConversationID: chat}), "error"); f == nil || f["code"] != "not_found" {
			t.Errorf("opened it is %v", f)
		}
		again := c.send(ben, "e2", &wire.HistoryErase{ConversationID: chat})
		if find(again, "history:erased") != nil || find(again, "history:receipt") == nil {
			t.Errorf("erased twice it is %v", types(again))
		}
		if f := find(c.send(ben, "e1", &wire.HistoryErase{SpectatorID: "p9"}), "error"); f == nil || f["code"] != "conflict" {
			t.Errorf("the requestId of another erasure gives %v", f)
		}
		d.gone(t, c, []string{chatSays}, []string{adaSays, benSays})
		d.stop()
		d.gone(t, nil, []string{chatSays}, []string{adaSays, benSays})
		d.open(false)
		d.equal(t)
		d.stop()
	})
}

// After the erasure of a person the person's words and name are gone, also where an agent quoted them word for word.
// The words of others stay (S1-19). P16.6.
func TestEraseAPerson(t *testing.T) {
	onDisk(t, cast(quoting), func(d *disk) {
		c, chat, council := d.lived()
		receipt, err := d.r.Erase(context.Background(), world.Erasure{SpectatorID: planter.SpectatorID, Reason: world.ErasedOnRequest, Who: "test"})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", receipt)
		c.pull()
		// The erased person may no longer send these commands.
		for n, cmd := range []*wire.HistoryErase{{SpectatorID: ben.SpectatorID}, {ConversationID: council}} {
			if f := find(c.send(planter, fmt.Sprint("erases", n), cmd), "error"); f == nil || f["code"] != "not_allowed" {
				t.Errorf("who was erased erases others: %v", f)
			}
		}
		if f := find(c.send(planter, "again", &wire.HistoryErase{SpectatorID: planter.SpectatorID}), "history:receipt"); f == nil {
			t.Error("who was erased cannot ask for the receipt again")
		}
		if f := find(c.send(planter, "later", &wire.SpectatorSay{Text: "me again"}), "error"); f == nil || f["code"] != "not_allowed" {
			t.Errorf("who was erased speaks: %v", f)
		}
		if f := find(c.send(ben, "o", &wire.ConversationOpen{ConversationID: council}), "snapshot"); f == nil || !strings.Contains(fmt.Sprint(f), benSays) {
			t.Errorf("the council is %v", f)
		}
		if f := find(c.send(ben, "o2", &wire.ConversationOpen{ConversationID: chat}), "error"); f == nil {
			t.Error("their own chat is still there")
		}
		words := []string{adaSays, adaAside, chatSays, adaName}
		d.gone(t, c, words, []string{benSays})
		d.equal(t)
		if cast := c.world.ProcessState.Casting("ideator"); cast == nil || cast.Kind != world.KindOpen {
			t.Errorf("their role is %+v", cast)
		}
		hits, err := d.r.Search(context.Background(), world.SearchQuery{Words: "qzadaplanted", Limit: 5})
		if err != nil || len(hits) > 0 {
			t.Errorf("it is found: %v %v", hits, err)
		}
		if hits, err = d.r.Search(context.Background(), world.SearchQuery{Words: "jybenplanted", Limit: 5}); err != nil || len(hits) == 0 {
			t.Errorf("the others' is not found: %v %v", hits, err)
		}
		d.stop()
		d.gone(t, nil, words, []string{benSays})
		d.open(false)
		d.equal(t)
		d.stop()
	})
}

// gone checks that no byte of the folder has any of words any more, and that the folder still has all of kept.
func (d *disk) gone(t *testing.T, c *tab, words, kept []string) {
	t.Helper()
	found := grep(t, d.dir, append(words, kept...)...)
	for _, w := range words {
		if found[w] > 0 {
			t.Errorf("%q is still in the folder, %d times", w, found[w])
		}
	}
	for _, w := range kept {
		if found[w] == 0 {
			t.Errorf("%q is gone too", w)
		}
	}
	if c == nil {
		return
	}
	late := d.tab() // a client that connects now
	stale := &tab{b: d.bench, durable: map[int64][]byte{}}
	epoch, seq := c.epoch, int64(3)
	stale.attach(watch.Position{Epoch: &epoch, LastSeq: &seq})
	if w := find(stale.frames, "welcome"); w["continuity"] != "snapshot" || w["reason"] != "erased" {
		t.Errorf("a position from before is welcomed by %v", w)
	}
	for _, other := range []*tab{late, stale} {
		for _, f := range other.raw {
			for _, w := range words {
				if at := bytes.Index(f, []byte(w)); at >= 0 {
					t.Errorf("somebody who comes gets ... %s ...", f[max(0, at-200):min(len(f), at+100)])
				}
			}
		}
	}
}

// equal checks that the redacted journal folds to the server's world.
func (d *disk) equal(t *testing.T) {
	t.Helper()
	synctest.Wait()
	w := world.New(diskRealm)
	for after := int64(0); ; {
		frames, err := d.o.Journal.Read(context.Background(), after, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(frames) == 0 {
			break
		}
		for _, f := range frames {
			ev, err := world.DecodeEvent(f.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			world.Apply(w, ev)
			after = f.Seq
		}
	}
	have, err := d.r.World(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if a, b := asJSON(t, w), asJSON(t, have); !bytes.Equal(a, b) {
		t.Errorf("folded anew the world is\n%s\nand it is\n%s", a, b)
	}
}

// grep counts words in every byte of a folder: in the raw files, in every value of the database, and in compressed
// values.
func grep(t *testing.T, dir string, words ...string) map[string]int {
	t.Helper()
	found := map[string]int{}
	look := func(b []byte) {
		lower := bytes.ToLower(b)
		for _, w := range words {
			found[w] += bytes.Count(b, []byte(w))
			// The search index stores single words.
			found[w] += bytes.Count(lower, []byte(strings.ToLower(strings.Fields(w)[0])))
		}
	}
	unpack, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpack.Close()
	if err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		look(raw)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(copied, sqlite.JournalFile))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, table := range strings.Fields("journal journal_packs messages conversations runs commands bases forges audit erasures meta search_data search_idx") {
		rows, err := db.Query("SELECT * FROM " + table)
		if err != nil {
			continue // older versions of the schema do not have this table
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new([]byte)
			}
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				b := *v.(*[]byte)
				look(b)
				if plain, err := unpack.DecodeAll(b, nil); err == nil && len(b) > 0 {
					look(plain)
				}
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func asJSON(t *testing.T, w *world.World) []byte {
	t.Helper()
	raw, err := json.MarshalIndent(w, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
