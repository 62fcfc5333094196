package realm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/kind"
	"agentdungeon/server/kinds"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/server/skill"
	"agentdungeon/server/template"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// These types are the port to agents, under the names that the tests of this package use.
type (
	Activity    = driver.Activity
	Chunk       = driver.Chunk
	Driver      = driver.Driver
	NamedText   = driver.NamedText
	Progress    = driver.Progress
	Read        = driver.Read
	Seal        = driver.Seal
	ToolEnd     = driver.ToolEnd
	ToolOutput  = driver.ToolOutput
	ToolStart   = driver.ToolStart
	TurnError   = driver.TurnError
	TurnRequest = driver.Turn
	Withdraw    = driver.Withdraw
)

// memJournal is a journal in memory. Its disk can be made to fail.
type memJournal struct {
	mu       sync.Mutex
	from     int64 // frames[0] has the seq from+1
	frames   []world.Frame
	events   []world.Event
	who      []string // who[i] is the person of the audit for events[i]
	answers  []world.CommandRow
	ends     []int64 // the head after each commit; a kill can leave each of these
	answered []int   // the number of answers after each commit
	fail     error
	gate     chan struct{} // if not nil, a commit waits for it
	bases    int
	noRead   error          // of the tables
	damaged  map[int64]bool // events that no read returns; a page with one of them fails
	runs     map[run.Key]bool
	// forgetful is set if restored conversations have no list of used requestIds, but a mark that some were used.
	forgetful bool
}

func (j *memJournal) Commit(b *world.Batch) error {
	j.mu.Lock()
	gate, fail := j.gate, j.fail
	j.mu.Unlock()
	if gate != nil {
		<-gate
	}
	if fail != nil {
		return fail
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range b.Records {
		if want := j.from + int64(len(j.frames)) + 1; r.Event.Seq != want {
			return fmt.Errorf("%w: seq %d, want %d", world.ErrBroken, r.Event.Seq, want)
		}
		j.frames = append(j.frames, world.Frame{Seq: r.Event.Seq, Type: r.Event.Body.EventType(), Bytes: slices.Clone(r.Frame)})
		ev, err := world.DecodeEvent(r.Frame)
		if err != nil {
			return fmt.Errorf("%w: %w", world.ErrBroken, err)
		}
		if b, ok := ev.Body.(*world.ChatStarted); ok && !j.begins(run.Key{Talk: b.ConversationID, Request: b.RequestID}) {
			return fmt.Errorf("%w: run %s of %s begins twice", world.ErrBroken, b.RequestID, b.ConversationID)
		}
		if f, ok := ev.Body.(*world.ForgeStepped); ok { // the context of a forge, which no frame has
			f.Context, f.Damaged = r.Event.Body.(*world.ForgeStepped).Context, r.Event.Body.(*world.ForgeStepped).Damaged
		}
		j.events = append(j.events, ev)
		j.who = append(j.who, r.Who)
	}
	j.answers = append(j.answers, b.Commands...)
	j.ends = append(j.ends, j.from+int64(len(j.frames)))
	j.answered = append(j.answered, len(j.answers))
	return nil
}

// begins records that a run begins, and returns false if that run has begun before, as the store's tables do.
func (j *memJournal) begins(k run.Key) bool {
	if len(j.runs) == 0 {
		j.runs = map[run.Key]bool{}
		for _, ev := range j.events {
			if b, ok := ev.Body.(*world.ChatStarted); ok {
				j.runs[run.Key{Talk: b.ConversationID, Request: b.RequestID}] = true
			}
		}
	}
	used := j.runs[k]
	j.runs[k] = true
	return !used
}

func (j *memJournal) Read(_ context.Context, after int64, limit int) ([]world.Frame, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if after < j.from {
		return nil, errors.New("trimmed")
	}
	out := j.frames[min(after-j.from, int64(len(j.frames))):]
	out = slices.Clone(out[:min(limit, len(out))])
	for _, f := range out {
		if j.damaged[f.Seq] {
			return nil, fmt.Errorf("event %d is damaged", f.Seq)
		}
	}
	return out, nil
}

func (j *memJournal) Floor() int64                     { return j.from + 1 }
func (j *memJournal) SaveBase(world.Checkpoint) error  { j.bases++; return nil }
func (j *memJournal) MarkVaults(world.VaultMark) error { return nil }
func (j *memJournal) Idle()                            {}
func (j *memJournal) Close() error                     { return nil }

func (j *memJournal) set(fail error, gate chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.fail, j.gate = fail, gate
}

func (j *memJournal) head() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.from + int64(len(j.frames))
}

// memFiles keeps written files in memory, and counts the writes.
type memFiles struct {
	mu          sync.Mutex
	checkpoints []world.Checkpoint
	vaults      map[string]world.Vault
	fail        error
	skills      map[string]map[string]string // the files of skills, by the skill's name and the file's path
	noSkills    error                        // the error of reading and writing skills; nil for none
	keep        chan struct{}                // if not nil, a skill is written when a value comes
	given       []sessionFile                // files that the realm may import
}

// sessionFile is a session's file. Taken is called when the realm removes the file.
type sessionFile struct {
	Name  string
	Load  func() ([]byte, error)
	Taken func() error
}

func (f *memFiles) SessionFiles() (names []string, err error) {
	for _, file := range f.given {
		names = append(names, file.Name)
	}
	return names, nil
}

func (f *memFiles) session(name string) sessionFile {
	return f.given[slices.IndexFunc(f.given, func(file sessionFile) bool { return file.Name == name })]
}

func (f *memFiles) ReadSession(name string) ([]byte, error) { return f.session(name).Load() }
func (f *memFiles) RemoveSession(name string) error         { return f.session(name).Taken() }

func (f *memFiles) LoadSkills([]world.Skill) ([]world.SkillText, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := []world.SkillText{}
	for _, name := range slices.Sorted(maps.Keys(f.skills)) {
		s, err := skill.Parse(f.skills[name][skill.File])
		t := world.SkillText{Name: name, Description: s.Description, Body: skill.ForPrompt(s.Body, f.skills[name], world.MaxSkillPrompt)}
		if err != nil {
			t.Bad = err.Error()
		}
		out = append(out, t)
	}
	return out, f.noSkills
}

func (f *memFiles) ReadSkill(name string) (map[string]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.skills[name] == nil {
		return nil, world.ErrNoSkill
	}
	return maps.Clone(f.skills[name]), f.noSkills
}

func (f *memFiles) WriteSkill(s world.SkillFiles) error {
	if f.keep != nil {
		<-f.keep
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch old := f.skills[s.Name]; {
	case f.noSkills != nil:
		return f.noSkills
	case old != nil && !maps.Equal(old, s.Files) && !s.Replace:
		return world.ErrSkillTaken
	}
	if f.skills == nil {
		f.skills = map[string]map[string]string{}
	}
	f.skills[s.Name] = maps.Clone(s.Files)
	return nil
}

func (f *memFiles) WriteCheckpoint(c world.Checkpoint) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		return f.fail
	}
	f.checkpoints = append(f.checkpoints, c)
	return nil
}

func (f *memFiles) WriteVault(v world.Vault) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.vaults == nil {
		f.vaults = map[string]world.Vault{}
	}
	f.vaults[v.AgentID] = v
	return nil
}

func (f *memFiles) Asides(world.Time) ([]string, error)                  { return nil, nil }
func (f *memFiles) Forget(int64, int64, []string) (int, []string, error) { return 0, nil, nil }

func (f *memFiles) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.checkpoints)
}

type builtin struct{ extra []*world.Template }

func (b builtin) All() []*world.Template { return append(template.Builtin(), b.extra...) }

func (b builtin) Template(id string) (*world.Template, error) {
	for _, t := range b.All() {
		if t.ID == id || id == "" {
			return t, nil
		}
	}
	return nil, errors.New("there is no such template")
}

// cast is a set of drivers: one function plays every role. A nil cast has no drivers.
type cast func(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error

func (c cast) Driver(*world.Template, world.Role) Driver {
	if c == nil {
		return nil
	}
	return c
}

// plays is a set of drivers: the roles of a cast, and a smith.
type plays struct {
	cast  cast
	smith smithy
}

func (p plays) Driver(t *world.Template, r world.Role) Driver {
	if r.ID == "smith" {
		if p.smith == nil {
			return nil
		}
		return p.smith
	}
	return p.cast.Driver(t, r)
}

// Run plays a turn by the function of the cast. In chats it calls hears instead, unless the role is allKinds.
func (c cast) Run(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
	if turn.Kind == world.KindChat && turn.Role.ID != allKinds {
		return hears(ctx, turn, emit)
	}
	return c(ctx, turn, emit)
}

// allKinds is the role that the function of a cast plays in chats too.
const allKinds = "sage"

// hears repeats the words that it gets in a chat. It never answers "wait".
func hears(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error {
	if turn.Words == "wait" {
		<-ctx.Done()
		return ctx.Err()
	}
	return emit(Chunk{Text: turn.Role.ID + " heard: " + turn.Words})
}

// speak is a driver that says one sentence, and gives the stage's signal (its Seal) if the stage ends by a signal.
func speak(_ context.Context, t TurnRequest, emit func(Chunk) error) error {
	if err := emit(Chunk{Text: t.Role.ID + " says " + fmt.Sprint(t.N)}); err != nil {
		return err
	}
	if t.Completion == world.CompleteSignal {
		return emit(Chunk{Seal: &Seal{Summary: "done"}})
	}
	return nil
}

// bench is one realm whose journal and files are in memory. start opens it, also again; a life is the time from an
// opening to the next stop or kill.
type bench struct {
	t       *testing.T
	journal *memJournal
	files   *memFiles
	slow    Files // used instead of files if set
	drivers cast
	smith   smithy
	extra   []*world.Template
	kinds   []kind.Registration // nil for the kinds of the registry
	teams   kind.Teams          // nil for the embedded teams
	given   []sessionFile
	prompt  string // the prompt of the newest turn, if a test stores it
	limits  commit.Limits
	ring    ring.Limits
	pace    string          // "" for world.PaceInstant
	survey  *dungeon.Survey // the survey that each life gets
	land    *world.Land     // the land of the checkpoint; nil for none
	life    int
	folder  Folder
	path    string // path of the linked folder
	r       *Realm
	lines   []world.Line
}

func newBench(t *testing.T, drivers cast) *bench {
	b := &bench{t: t, journal: &memJournal{}, files: &memFiles{}, drivers: drivers}
	b.start(false)
	return b
}

// start opens the realm with the state that the journal's events give, as recovery does from the disk.
func (b *bench) start(auto bool) {
	b.life++
	w := world.New(world.Realm{ID: "r1", Name: "realm", Tenant: "default", Path: b.path})
	saved := world.Saved{Realm: w.Realm, World: w, Epoch: fmt.Sprintf("e%d", b.life)}
	for _, ev := range b.journal.events {
		world.Apply(w, ev)
		saved.LastAt = ev.At
	}
	b.journal.runs = nil // an older copy may have been restored
	for _, c := range fold(b.journal.events).saved(w) {
		if b.journal.forgetful {
			c.Requests = nil
			for i := range world.MaxRequests {
				c.Requests = append(c.Requests, fmt.Sprint("other", i))
			}
		}
		h := c.Conversation
		if h.Kind == world.KindParty && h.ConversationID != w.Party.ConversationID {
			continue // the store also skips these, except those with a run that the previous opening did not end
		}
		if !h.Ended() || h.ConversationID == w.ProcessState.ConversationID {
			saved.Conversations = append(saved.Conversations, c)
		}
	}
	saved.Head = w.Tick
	if b.land != nil {
		saved.Land = b.land
		var err error
		if saved.State, err = world.EncodeState(w, b.land); err != nil {
			b.t.Fatal(err)
		}
	}
	saved.Commands = b.journal.answers
	saved.Skills, _ = b.files.LoadSkills(w.Skills)
	b.lines = append(b.lines, world.Line{Epoch: saved.Epoch, FromSeq: w.Tick + 1, OpenedAt: world.TimeOf(clock()), Auto: auto})
	saved.Lines = slices.Clone(b.lines)
	if b.life > 1 {
		saved.Restored = &world.RealmRestored{Source: world.RestoredFromJournal, RestoredTo: w.Tick}
	}
	b.files.given = b.given
	var files Files = b.files
	if b.slow != nil {
		files = b.slow
	}
	b.r = Start(Config{
		Saved: saved, Journal: b.journal, Files: files, Kinds: b.registrations(), Templates: builtin{b.extra}, Drivers: plays{b.drivers, b.smith}, Folder: b.folder,
		Teams: b.teams, Zone: time.UTC, Log: zerolog.Nop(), OutboxLimits: b.limits, RingLimits: b.ring, Pace: cmp.Or(b.pace, world.PaceInstant),
	})
	if b.survey != nil {
		b.r.SetSurvey(b.survey, dungeon.Change{All: true})
	}
	// If the test has failed, its goroutine ends without a stop of the realm. So kill the realm; otherwise the bubble
	// would panic about the goroutines that are left, and hide the test's own error.
	r := b.r
	b.t.Cleanup(func() {
		select {
		case <-r.Done():
		default:
			if b.r == r {
				b.kill()
			}
		}
	})
}

func (b *bench) registrations() []kind.Registration {
	if b.kinds != nil {
		return b.kinds
	}
	return kinds.All()
}

// kill stops the realm without saving: everything that is not in the journal is lost.
func (b *bench) kill() {
	b.journal.set(errors.New("killed"), nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.r.Stop(ctx); err == nil {
		b.t.Log("the life had ended")
	}
	<-b.r.Done()
	b.journal.set(nil, nil)
}

func (b *bench) stop() {
	b.t.Helper()
	if n, err := b.r.Stop(context.Background()); n != 0 || err != nil {
		b.t.Fatalf("stop: %d events not shown, %v", n, err)
	}
}

var ada = Person{SpectatorID: "p1", Name: "Ada", Color: "#aabbcc", Role: wire.RoleHost}
var ben = Person{SpectatorID: "p2", Name: "Ben", Color: "#ccbbaa", Role: wire.RoleHost}

// tab is a client: it keeps every frame that it got and reduces the frames to a world.
type tab struct {
	b       *bench
	v       *watch.Viewer
	epoch   string
	seq     int64
	world   *world.World
	land    *world.Land
	frames  []map[string]any
	raw     [][]byte
	durable map[int64][]byte
	// returns is set if the tab connects again after it was cut as too slow, as a page does.
	returns bool
}

func (b *bench) tab() *tab {
	t := &tab{b: b, durable: map[int64][]byte{}}
	t.attach(watch.Position{})
	return t
}

func (c *tab) attach(pos watch.Position) {
	c.b.t.Helper()
	v, err := c.b.r.Attach(context.Background(), pos)
	if err != nil {
		c.b.t.Fatalf("attach: %v", err)
	}
	c.v = v
	c.pull()
}

// again connects the tab again with its position.
func (c *tab) again() {
	c.b.t.Helper()
	c.attach(watch.Position{Epoch: &c.epoch, LastSeq: &c.seq})
}

// pull takes all waiting frames and checks their numbering.
func (c *tab) pull() []map[string]any {
	c.b.t.Helper()
	start := len(c.frames)
	for {
		synctest.Wait()
		frames, err := c.v.Take(context.Background(), 1<<16)
		if errors.Is(err, watch.ErrStopped) {
			return c.frames[start:]
		}
		if errors.Is(err, watch.ErrLapped) && c.returns {
			c.again()
			continue
		}
		if err != nil {
			c.b.t.Fatalf("take: %v", err)
		}
		if len(frames) == 0 {
			return c.frames[start:]
		}
		for _, f := range frames {
			c.take(f)
		}
	}
}

func (c *tab) take(f []byte) {
	c.b.t.Helper()
	var m map[string]any
	if err := json.Unmarshal(f, &m); err != nil {
		c.b.t.Fatalf("frame %s: %v", f, err)
	}
	c.frames, c.raw = append(c.frames, m), append(c.raw, f)
	switch {
	case m["type"] == "welcome":
		c.epoch = m["epoch"].(string)
	case m["type"] == "world:state":
		var s wire.WorldState
		if err := json.Unmarshal(f, &s); err != nil {
			c.b.t.Fatal(err)
		}
		w, land, err := world.DecodeState(s.World, json.Unmarshal)
		if err != nil {
			c.b.t.Fatal(err)
		}
		c.world, c.land, c.seq = w, land, s.Seq
		c.world.Fill()
	case m["at"] != nil:
		ev, err := world.DecodeEvent(f)
		if err != nil {
			c.b.t.Fatal(err)
		}
		if ev.Seq != c.seq+1 {
			c.b.t.Fatalf("seq %d after %d: never a hole, never twice", ev.Seq, c.seq)
		}
		c.seq = ev.Seq
		if old, ok := c.durable[ev.Seq]; ok && !bytes.Equal(old, f) {
			c.b.t.Fatalf("seq %d was shown as\n%s\nand now is\n%s", ev.Seq, old, f)
		}
		c.durable[ev.Seq] = f
		world.Apply(c.world, ev)
	}
}

// send submits a command and then pulls.
func (c *tab) send(who Person, id string, cmd wire.Command) []map[string]any {
	c.b.t.Helper()
	if e := c.b.r.Submit(Input{From: who, RequestID: id, Command: cmd, To: c.v}); e != nil {
		c.b.t.Fatalf("submit: %v", e)
	}
	return c.pull()
}

func types(frames []map[string]any) []string {
	out := []string{}
	for _, f := range frames {
		out = append(out, f["type"].(string))
	}
	return out
}

func find(frames []map[string]any, kind string) map[string]any {
	for _, f := range frames {
		if f["type"] == kind {
			return f
		}
	}
	return nil
}

func count(frames []map[string]any, kind string) int {
	n := 0
	for _, f := range frames {
		if f["type"] == kind {
			n++
		}
	}
	return n
}
