package mirror

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/driver"
	"agentdungeon/server/kinds"
	"agentdungeon/server/mirror/redistest"
	"agentdungeon/server/realm"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// forEver limits a hang; no test measures time.
const forEver = 3 * time.Minute

// quick has short times. The time for an answer of Redis stays long, because a busy machine may be slow.
var quick = Times{
	File: 20 * time.Millisecond, Look: 50 * time.Millisecond, Verify: 300 * time.Millisecond,
	FirstRetry: 20 * time.Millisecond, LastRetry: 100 * time.Millisecond, Patience: forEver, End: forEver,
}

// template has one role whose turn lasts as long as a test.
type template struct{}

func (template) All() []*world.Template { return nil }

func (template) Template(string) (*world.Template, error) {
	return &world.Template{
		ID: "t", Name: "T", Roles: []world.Role{{ID: "r", Name: "R", Color: "#112233"}},
		Stages: []world.Stage{{ID: "s", Name: "S", Goal: "g", Roles: []string{"r"}, Structure: world.StructSingle, Completion: world.CompleteSignal}},
	}, nil
}

// poster is a driver that emits what the test sends it.
type poster struct{ chunks chan driver.Chunk }

func (p poster) Driver(*world.Template, world.Role) driver.Driver { return p }

func (p poster) Run(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
	for {
		select {
		case c := <-p.chunks:
			if err := emit(c); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// log is a log that can be read while it is written.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// folder is a worlds folder of realms without a registry.
type folder struct {
	dir string
	mu  sync.Mutex
	ids map[string]bool
	bad error // of writes
}

func (f *folder) files(ref Ref) *files.Realm {
	return files.OpenRealm(afero.NewOsFs(), filepath.Join(f.dir, ref.ID))
}

func (f *folder) Refs() []Ref {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []Ref
	for id := range f.ids {
		out = append(out, Ref{"default", id})
	}
	return out
}

func (f *folder) LoadBoard(ref Ref) ([]byte, error) {
	data, err := f.files(ref).ReadFindings()
	if errors.Is(err, disk.ErrMissing) {
		return nil, nil
	}
	return data, err
}

func (f *folder) SaveBoard(ref Ref, data []byte) error {
	f.mu.Lock()
	bad := f.bad
	f.mu.Unlock()
	if bad != nil {
		return bad
	}
	return f.files(ref).WriteFindings(data)
}

func (f *folder) RemoveBoard(ref Ref) error { return f.files(ref).RemoveFindings() }

func (f *folder) set(id string, there bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if there {
		f.ids[id] = true
	} else {
		delete(f.ids, id)
	}
}

// rig has the mirror of a server and its realms, on the real disk.
type rig struct {
	t      *testing.T
	log    *log
	folder *folder
	m      *Mirror
	live   map[string]*room
	times  Times
}

type room struct {
	realm  *realm.Realm
	viewer *watch.Viewer
	chunks chan driver.Chunk
	end    func()

	posted map[string]string // titles by id, as the realm has them when it has committed all findings
	gone   map[string]bool   // withdrawn since
}

func newRig(t *testing.T) *rig {
	g := &rig{t: t, log: &log{}, folder: &folder{dir: t.TempDir(), ids: map[string]bool{}}, live: map[string]*room{}, times: quick}
	t.Cleanup(g.stop)
	return g
}

// start starts the mirror.
func (g *rig) start(url string) {
	g.t.Helper()
	a, err := ParseAddress(url)
	must(g.t, err)
	g.m = New(Config{Address: a, Realms: g.folder, Log: zerolog.New(g.log), Server: "me", Times: g.times})
}

// onRedis starts a mirror with a Redis of its own, and opens a realm "one".
func onRedis(t *testing.T) (*redistest.Server, *rig, *room) {
	t.Helper()
	s, g := redistest.New(t, ""), newRig(t)
	g.start(s.URL())
	return s, g, g.open("one")
}

// open opens a realm and starts the turn of its only member.
func (g *rig) open(id string) *room {
	g.t.Helper()
	dir := filepath.Join(g.folder.dir, id)
	must(g.t, os.MkdirAll(dir, 0o700))
	g.folder.set(id, true)
	ctx := context.Background()
	o, err := recovery.Open(ctx, afero.NewOsFs(), dir, world.Realm{ID: id, Name: id, Tenant: "default"}, world.DefaultSettings(), time.Now())
	must(g.t, err)
	chunks := make(chan driver.Chunk)
	r := &room{posted: map[string]string{}, gone: map[string]bool{}, chunks: chunks, realm: realm.Start(realm.Config{
		Saved: o.Saved, Journal: o.Journal, Files: o.Files, Eraser: o.Eraser, Kinds: kinds.All(), Templates: template{}, Drivers: poster{chunks},
		Log: zerolog.Nop(), Summary: func(wire.RealmInfo) {},
	})}
	r.viewer, err = r.realm.Attach(ctx, watch.Position{})
	must(g.t, err)
	r.end = g.m.Follow("default", r.realm)
	g.live[id] = r
	if o.Saved.World.ProcessState.Status == world.StatusIdle {
		e := r.realm.Submit(realm.Input{From: realm.Person{SpectatorID: "p", Name: "Ada", Role: wire.RoleHost}, Command: &wire.StartProcess{Problem: "p"}})
		if e != nil {
			g.t.Fatal(e)
		}
	}
	return r
}

func (g *rig) close(id string) {
	g.t.Helper()
	r := g.live[id]
	if r == nil {
		return
	}
	delete(g.live, id)
	ctx, cancel := context.WithTimeout(context.Background(), forEver)
	defer cancel()
	if n, err := r.realm.Stop(ctx); n != 0 || err != nil {
		g.t.Errorf("stop: %d, %v", n, err)
	}
	r.end()
}

// stop stops the realms and then the mirror.
func (g *rig) stop() {
	for _, id := range sortedKeys(g.live) {
		g.close(id)
	}
	if g.m != nil {
		must(g.t, g.m.Close())
		g.m = nil
	}
}

func sortedKeys(m map[string]*room) []string {
	var out []string
	for id := range m {
		out = append(out, id)
	}
	return out
}

// post lets the member post a finding. The realm commits it later: see taken.
func (r *room) post(t *testing.T, id, title string) {
	t.Helper()
	r.posted[id] = title
	delete(r.gone, id)
	r.give(t, driver.Chunk{Finding: &world.Finding{ID: id, Severity: "low", Title: title, Text: strings.Repeat(title, 3)}})
}

func (r *room) withdraw(t *testing.T, id string) {
	t.Helper()
	r.gone[id] = true
	r.give(t, driver.Chunk{Withdraw: &driver.Withdraw{FindingID: id, Reason: "it does not hold"}})
}

func (r *room) give(t *testing.T, c driver.Chunk) {
	t.Helper()
	select {
	case r.chunks <- c:
	case <-time.After(forEver):
		t.Fatal("nobody takes what the member makes")
	}
}

// says lets a person say something in a chat of their own.
func (r *room) says(t *testing.T, who, words string) {
	t.Helper()
	send := func(cmd wire.Command) {
		t.Helper()
		if e := r.realm.Submit(realm.Input{From: realm.Person{SpectatorID: who, Name: who, Role: wire.RoleHost}, Command: cmd}); e != nil {
			t.Fatal(e)
		}
	}
	send(&wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"r"}, Title: who})
	id, limit := "", time.After(forEver)
	for id == "" {
		frames, err := r.viewer.Take(context.Background(), 1<<20)
		must(t, err)
		for _, f := range frames {
			var begun struct {
				Type         string
				Conversation world.Conversation
			}
			if must(t, json.Unmarshal(f, &begun)); begun.Type == "conversation.started" && begun.Conversation.Title == who {
				id = begun.Conversation.ConversationID
			}
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-r.viewer.Ready():
		case <-limit:
			t.Fatal("no chat begins")
		}
	}
	send(&wire.ChatSend{ConversationID: id, Content: words})
}

// taken waits until the realm has committed all posted findings.
func (r *room) taken(t *testing.T) {
	t.Helper()
	left := 0
	eventually(t, func() bool {
		w, err := r.realm.World(context.Background())
		must(t, err)
		left = len(r.posted)
		for _, f := range w.Findings {
			if title, ok := r.posted[f.ID]; ok && title == f.Title && r.gone[f.ID] == (f.Withdrawn != "") {
				left--
			}
		}
		return left == 0
	}, func() string { return fmt.Sprintf("%d findings are not as they were posted", left) })
}

// committed returns the findings of the realm's world as JSON, by id.
func (r *room) committed(t *testing.T) map[string]string {
	t.Helper()
	w, err := r.realm.World(context.Background())
	must(t, err)
	out := map[string]string{}
	for i := range w.Findings {
		text, err := encodeFinding(&w.Findings[i])
		must(t, err)
		out[w.Findings[i].ID] = text
	}
	return out
}

// same waits until Redis has exactly the committed findings and there is no findings.json.
func (g *rig) same(s *redistest.Server, id string) {
	g.t.Helper()
	c := s.Client()
	defer c.Close()
	ctx := context.Background()
	r := g.live[id]
	r.taken(g.t)
	k := keysOf(Ref{"default", id})
	var last string
	eventually(g.t, func() bool {
		want := r.committed(g.t)
		got, err := c.HGetAll(ctx, k.findings).Result()
		head, err2 := c.HGetAll(ctx, k.board).Result()
		file, err3 := g.folder.LoadBoard(Ref{"default", id})
		epoch, _ := r.realm.Position()
		there := c.SIsMember(ctx, "agentdungeon:boards:me", "default:"+id).Val()
		last = fmt.Sprintf("%d of %d findings on Redis, %v, %v, %v, a file of %d bytes, in the set: %v, errors %v %v", len(got), len(want), head, epoch, err, len(file), there, err2, err3)
		return err == nil && err2 == nil && err3 == nil && maps.Equal(got, want) && head["epoch"] == epoch &&
			head["server"] == "me" && head["findings"] == fmt.Sprint(len(want)) && file == nil && there
	}, func() string { return last + "\n" + g.log.String() })
}

// inFile waits until findings.json has the committed findings.
func (g *rig) inFile(id string) {
	g.t.Helper()
	g.live[id].taken(g.t)
	var last string
	eventually(g.t, func() bool {
		data, err := g.folder.LoadBoard(Ref{"default", id})
		if err != nil || data == nil {
			last = fmt.Sprint(data, err)
			return false
		}
		var f boardFile
		must(g.t, json.Unmarshal(data, &f))
		got := map[string]string{}
		for i := range f.Findings {
			got[f.Findings[i].ID], err = encodeFinding(&f.Findings[i])
			must(g.t, err)
		}
		want := g.live[id].committed(g.t)
		last = fmt.Sprintf("%d of %d findings at %d", len(got), len(want), f.Seq)
		return maps.Equal(got, want)
	}, func() string { return last + "\n" + g.log.String() })
}

// told waits until the message to people contains part; "" waits for no message.
func (r *room) told(t *testing.T, part string) {
	t.Helper()
	limit := time.After(forEver)
	for {
		frames, err := r.viewer.Take(context.Background(), 1<<20)
		must(t, err)
		for _, f := range frames {
			var s wire.SaveStatus
			if !bytes.HasPrefix(f, []byte(`{"type":"save:status"`)) {
				continue
			}
			must(t, json.Unmarshal(f, &s))
			if part == "" && s.Board == "" || part != "" && strings.Contains(s.Board, part) {
				return
			}
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-r.viewer.Ready():
		case <-limit:
			t.Fatalf("nobody says %q", part)
		}
	}
}

func eventually(t *testing.T, ok func() bool, last func() string) {
	t.Helper()
	limit := time.After(forEver)
	for !ok() {
		select {
		case <-limit:
			t.Fatalf("it never came to be: %s", last())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func set(t *testing.T, s *redistest.Server, change func(context.Context, *redis.Client) error) {
	t.Helper()
	c := s.Client()
	defer c.Close()
	must(t, change(context.Background(), c))
}
