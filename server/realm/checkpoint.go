package realm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// When a checkpoint is taken: quiet after the last change, but never more than
// unsaved after the first one that is not in it (S3-06; a debounce without a
// maximum never saves a busy realm).
const (
	quiet   = time.Second
	unsaved = 5 * time.Second
)

// baseEvery is how often a world is kept in the journal, so that older events may
// be trimmed (design 3.14).
const (
	baseEvents = 50_000
	baseAge    = 24 * time.Hour
)

// encoded is a world at seq, made while its events may still wait for their
// commit; it is of use once the head has reached seq.
type encoded struct {
	base
	epoch string
	at    world.Time
	info  wire.RealmInfo
	err   error
}

type clone struct {
	world *world.World
	views []world.View
	epoch string
	at    world.Time
	info  wire.RealmInfo
}

// keeping encodes clones and writes files away from the actor.
type keeping struct {
	clones  chan clone   // holds one: the actor has one clone under way
	encoded chan encoded // holds one
	stop    chan struct{}

	mu     sync.Mutex
	next   *encoded // latest wins: what has not been written is overtaken
	vaults map[string]world.Vault
	kick   chan struct{} // holds one
	least  int64         // worlds from before are not written any more: something was erased since
	// waiting are told what became of all that was handed over before; as many as wait.
	waiting []chan<- error

	done  sync.WaitGroup
	saved func(wire.RealmInfo)

	lastBaseSeq int64
	lastBaseAt  time.Time
}

func newKeeping() *keeping {
	return &keeping{
		clones: make(chan clone, 1), encoded: make(chan encoded, 1), stop: make(chan struct{}),
		vaults: map[string]world.Vault{}, kick: make(chan struct{}, 1),
	}
}

// start begins both goroutines.
func (k *keeping) start(files Files, journal Journal, log zerolog.Logger) {
	k.done.Go(k.encode)
	k.done.Go(func() { k.write(files, journal, log) })
}

// encode is the encoder's goroutine.
func (k *keeping) encode() {
	for {
		select {
		case c := <-k.clones:
			select {
			case k.encoded <- encode(c):
			case <-k.stop:
				return
			}
		case <-k.stop:
			return
		}
	}
}

func encode(c clone) encoded {
	e := encoded{epoch: c.epoch, at: c.at, info: c.info}
	e.seq = c.world.Tick
	l, err := encodeLand(c.world)
	fields := l.fields()
	if err == nil {
		e.world, err = json.Marshal(c.world)
	}
	if err == nil {
		e.conversations, err = json.Marshal(c.views)
	}
	// A quote inside a JSON string is escaped, so this can only be the fields.
	e.mapAt, e.mapLen = bytes.Index(e.world, fields), len(fields)
	if err == nil && e.mapAt < 0 {
		err = errors.New("the map is not where it should be")
	}
	e.err = err
	return e
}

// write is the writer's goroutine: the newest checkpoint and the vaults, one at a
// time.
func (k *keeping) write(files Files, journal Journal, log zerolog.Logger) {
	failing := false
	for {
		select {
		case <-k.kick:
		case <-k.stop:
			return
		}
		k.mu.Lock()
		waiting := k.waiting
		k.waiting = nil
		k.mu.Unlock()
		err := k.writeAll(files, journal)
		for _, w := range waiting {
			w <- err // holds one
		}
		if err != nil {
			if !failing {
				log.Error().Err(err).Msg("a checkpoint or vault could not be written; the journal has everything")
			}
			failing = true
			continue
		}
		failing = false
	}
}

func (k *keeping) writeAll(files Files, journal Journal) error {
	k.mu.Lock()
	next, vaults := k.next, k.vaults
	if next != nil && next.seq < k.least {
		next = nil
	}
	k.next, k.vaults = nil, map[string]world.Vault{}
	k.mu.Unlock()
	var failed error
	for id, v := range vaults {
		if err := files.WriteVault(v); err != nil {
			failed = fmt.Errorf("vault of %s: %w", id, err)
			k.mu.Lock()
			if _, newer := k.vaults[id]; !newer {
				k.vaults[id] = v // with the next kick
			}
			k.mu.Unlock()
		}
	}
	if next == nil {
		return failed
	}
	cp := world.Checkpoint{Epoch: next.epoch, Seq: next.seq, SavedAt: next.at, World: next.world}
	if err := files.WriteCheckpoint(cp); err != nil {
		// The next change makes another; at the stop, or for who waits, it is tried again.
		k.mu.Lock()
		if k.next == nil {
			k.next = next
		}
		k.mu.Unlock()
		return fmt.Errorf("checkpoint at %d: %w", next.seq, err)
	}
	if k.saved != nil {
		k.saved(next.info)
	}
	if now := clock(); next.seq-k.lastBaseSeq >= baseEvents || now.Sub(k.lastBaseAt) >= baseAge {
		if err := journal.SaveBase(cp); err != nil {
			return fmt.Errorf("base at %d: %w", next.seq, err)
		}
		k.lastBaseSeq, k.lastBaseAt = next.seq, now
	}
	return failed
}

// put hands the writer a checkpoint; one that has not been begun is overtaken.
func (k *keeping) put(e *encoded) {
	k.mu.Lock()
	k.next = e
	k.mu.Unlock()
	k.poke()
}

// erased hands over the first world after an erasure: none from before it is written.
func (k *keeping) erased(e *encoded) {
	k.mu.Lock()
	k.least = e.seq
	if k.next == nil || k.next.seq < e.seq {
		k.next = e
	}
	k.mu.Unlock()
	k.poke()
}

// flush waits until all that was handed over before is written.
func (k *keeping) flush(ctx context.Context) error {
	done := make(chan error, 1)
	k.mu.Lock()
	k.waiting = append(k.waiting, done)
	k.mu.Unlock()
	k.poke()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (k *keeping) putVault(v world.Vault) {
	k.mu.Lock()
	k.vaults[v.AgentID] = v // bounded by the number of members
	k.mu.Unlock()
	k.poke()
}

func (k *keeping) poke() {
	select {
	case k.kick <- struct{}{}:
	default:
	}
}

// finish ends the goroutines and writes what is left: the stop's last save.
func (k *keeping) finish(files Files, journal Journal) error {
	close(k.stop)
	k.done.Wait()
	return k.writeAll(files, journal)
}

// checkpointDue is when the next checkpoint is to be taken, zero for not.
func (a *actor) checkpointDue() time.Time {
	if a.dirtySince.IsZero() || a.encoding || a.candidate != nil || a.broken != nil {
		return time.Time{}
	}
	due := a.dirtyLast.Add(quiet)
	if limit := a.dirtySince.Add(unsaved); limit.Before(due) {
		due = limit
	}
	return due
}

// checkpoint clones the world when it is time; encoding and writing happen
// elsewhere.
func (a *actor) checkpoint() {
	due := a.checkpointDue()
	if due.IsZero() || a.now.Before(due) {
		return
	}
	a.encoding = true
	a.dirtySince = time.Time{}
	a.keeping.clones <- a.clone() // never blocks: one under way, room for one
}

func (a *actor) clone() clone {
	a.letGo()
	return clone{world: a.world.Clone(), views: a.views(), epoch: a.epoch, at: world.TimeOf(a.now), info: a.info()}
}

func (a *actor) onEncoded(e encoded) {
	a.encoding = false
	if e.seq < a.r.erasedAt.Load() || a.erasing != nil && e.seq < a.erasing.told {
		return // it holds what was erased since; the world after that is written
	}
	if e.err != nil {
		a.breakdown(fmt.Errorf("encode the world: %w", e.err))
		return
	}
	a.candidate = &e
	a.promote()
}

// promote takes the encoded world as base and writes it, once all its events are
// committed: a checkpoint is never ahead of the journal.
func (a *actor) promote() {
	e := a.candidate
	if e == nil || e.seq > a.head {
		return
	}
	a.candidate = nil
	a.base = e.base
	a.keeping.put(e)
}

// firstBase encodes what the folder gave back, before anything else happens: all
// of it is committed.
func (a *actor) firstBase(saved *world.Saved) {
	e := encode(a.clone())
	if e.err != nil {
		a.breakdown(fmt.Errorf("encode the world: %w", e.err))
	}
	a.base = e.base
	a.encodeLand()
	// Of realms that are used for an hour a day, too, a base is saved each day.
	a.keeping.lastBaseSeq, a.keeping.lastBaseAt = saved.BaseSeq, a.now
	if at := saved.BaseAt.Go(); saved.BaseAt > 0 && at.Before(a.now) {
		a.keeping.lastBaseAt = at
	}
	a.keeping.saved = a.summary
}

// lastCheckpoint is the stop's: synchronous, of what is committed.
func (a *actor) lastCheckpoint() error {
	if a.broken == nil && a.world.Tick == a.head {
		e := encode(a.clone())
		if e.err != nil {
			return fmt.Errorf("encode the world: %w", e.err)
		}
		a.keeping.put(&e)
	} // else the journal has what was shown; the next start folds it
	return a.keeping.finish(a.files, a.journal)
}

// views are the conversations of world:state: the process's, the party at hand, councils
// that have not ended, and the chats and forges that last spoke.
func (a *actor) views() []world.View {
	shown := map[string]bool{a.world.ProcessState.ConversationID: true}
	for _, c := range append(a.newestOf(world.KindChat), a.newestOf(world.KindForge)...) {
		shown[c.Head.ConversationID] = true
	}
	out := []world.View{}
	for _, id := range a.talkIDs() {
		talk := a.talks[id]
		if !shown[id] && !a.inParty(id) && (talk.Head.Kind != world.KindCouncil || talk.Head.Ended()) {
			continue
		}
		v := talk.View(a.planOf(talk))
		v.Team, v.TaskPrompt = a.team(v.Conversation), shortTask(v.TaskPrompt)
		out = append(out, v)
	}
	fit(out, wire.ViewBytes)
	return out
}

// fit takes rows off views until about limit bytes are left: of the largest the oldest,
// and never a row that is open. A view that has none left says that there are some.
func fit(views []world.View, limit int) {
	sizes, total := make([]int, len(views)), 0
	for i, v := range views {
		total += len(v.TaskPrompt) + 300*len(v.Team.Members)
		for _, m := range v.Messages {
			sizes[i] += rowBytes(m)
		}
		total += sizes[i]
	}
	stuck := make([]bool, len(views))
	for total > limit {
		most := -1
		for i := range views {
			if !stuck[i] && (most < 0 || sizes[i] > sizes[most]) {
				most = i
			}
		}
		if most < 0 {
			return
		}
		v := &views[most]
		if len(v.Messages) == 0 || v.Messages[0].Status == world.MessageOpen {
			stuck[most] = true
			continue
		}
		n := rowBytes(v.Messages[0])
		v.Messages, v.HasMore = v.Messages[1:], true
		sizes[most], total = sizes[most]-n, total-n
	}
}

// rowBytes is about what a row takes in a frame.
func rowBytes(m world.Message) int {
	n := len(m.Content) + 300
	if m.Tool != nil {
		n += len(m.Tool.Input)
	}
	return n
}

// info is the realm's row of realm:list.
func (a *actor) info() wire.RealmInfo {
	w := a.world
	info := wire.RealmInfo{
		ID: w.Realm.ID, Name: w.Realm.Name, Path: w.Realm.Path, LastExplored: world.TimeOf(a.now),
		Status: w.ProcessState.Status, Files: w.Map.Files, Findings: w.Standing(), Bytes: w.Map.Bytes,
	}
	if s := w.ProcessState.Stage(); s != nil && w.ProcessState.Status != world.StatusIdle {
		info.Stage = s.Name
	}
	info.Talks = a.underWay()
	return info
}

// learn adds to a member's vault; it is saved within a minute and when the member
// leaves (S3-14).
func (a *actor) learn(memberID string, in world.Insight) {
	v := a.vaults[memberID]
	if v == nil {
		v = &world.Vault{AgentID: memberID}
		a.vaults[memberID] = v
	}
	v.Insights = append(v.Insights, in)
	if over := len(v.Insights) - world.MaxInsights; over > 0 {
		v.Insights = append([]world.Insight(nil), v.Insights[over:]...)
	}
	a.vaultDirty[memberID] = true
	if a.vaultDue.IsZero() {
		a.vaultDue = a.now.Add(vaultEvery)
	}
}

// vaultEvery bounds how long something learned stays unsaved (S3-14).
const vaultEvery = 60 * time.Second

func (a *actor) saveVaults() {
	for id := range a.vaultDirty {
		a.saveVault(id)
	}
}

func (a *actor) saveVault(memberID string) {
	if !a.vaultDirty[memberID] {
		return
	}
	delete(a.vaultDirty, memberID)
	v := *a.vaults[memberID]
	v.Insights = append([]world.Insight(nil), v.Insights...)
	v.SavedAt = world.TimeOf(a.now)
	a.keeping.putVault(v)
}
