package realm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/server/realm/command"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/memory"
	"agentdungeon/server/realm/opening"
	"agentdungeon/server/realm/place"
	"agentdungeon/server/realm/plan"
	"agentdungeon/server/realm/run"
	"agentdungeon/server/realm/skills"
	"agentdungeon/server/realm/wait"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/shared/world"
)

// Start starts the actor of a realm and returns at once. The actor's first step is actor.opening.
func Start(cfg Config) *Realm {
	if cfg.RingLimits == (ring.Limits{}) {
		cfg.RingLimits = ring.DefaultLimits
	}
	if cfg.OutboxLimits == (commit.Limits{}) {
		cfg.OutboxLimits = commit.DefaultLimits
	}
	r := &Realm{
		id: cfg.Saved.Realm.ID, log: cfg.Log, journal: cfg.Journal, tables: erasure.NewTables(cfg.Journal),
		inbox: make(chan any, inboxSize), stop: make(chan struct{}), done: make(chan struct{}),
		imports: imports{over: make(chan struct{})}, abandon: make(chan struct{}),
	}
	r.head.Set(cfg.Saved.Epoch, cfg.Saved.Head)
	r.stats.Store(&Stats{})
	a := newActor(r, cfg)
	go a.run()
	return r
}

// actor is the state of a realm. Only the actor's goroutine uses it.
type actor struct {
	handle *Realm
	log    zerolog.Logger

	wall    calendar
	still   bool            // the realm is open for retention or an erasure only; see Config.Still
	life    context.Context // the context of reads; the actor's end cancels it
	endLife context.CancelFunc
	work    sync.WaitGroup // counts the goroutines of drivers, of the skill writer and of the erasure worker

	by string // the person who causes the events of this step, for the audit; "" for the server

	// The fields below follow from all events that the actor has decided, also from those that the journal has not
	// committed yet.
	realm   *kind.Realm // with the world
	talks   *memory.Talks
	answers *command.Answers

	// The fields below are lost when the server ends.
	runs     *run.Runs
	waits    *wait.Queue
	shelf    *skills.Shelf
	writes   *skills.Writes
	walks    *place.Walks
	plans    *plan.Plans
	erasures *erasure.Erasures
	stopping bool

	outbox   *commit.Outbox
	saved    *checkpoint.Checkpoints
	audience *watch.Audience

	opened      *opening.Opening
	foundSkills []world.SkillText // the skills that the skills folder had when the realm was opened
}

func newActor(r *Realm, cfg Config) *actor {
	a := &actor{
		handle: r, log: cfg.Log.With().Str("realm", r.id).Logger(),
		wall: cfg.Wall, still: cfg.Still,

		runs:  run.New(cfg.Log.With().Str("realm", r.id).Logger()),
		plans: plan.New(cfg.Still, cfg.Log.With().Str("realm", r.id).Logger()),
		shelf: skills.NewShelf(cfg.Saved.Skills, cfg.Log.With().Str("realm", r.id).Logger()),
		walks: place.NewWalks(&r.rooms, cfg.Log.With().Str("realm", r.id).Logger()),

		saved: newCheckpoints(&cfg),

		opened: opening.New(&cfg.Saved), foundSkills: cfg.Saved.Skills,
	}
	r.ring = ring.New(cfg.RingLimits, max(cfg.Saved.Head-world.NewestEvents, cfg.Journal.Floor()-1))
	r.feed = watch.NewFeed(r.ring, cfg.Journal, desk{r}, r.done, cfg.Saved.ErasedAt)
	a.audience = watch.NewAudience(r.id, r.feed, a.log)
	a.life, a.endLife = context.WithCancel(context.Background())
	a.outbox = commit.New(commit.Config{
		Epoch: cfg.Saved.Epoch, Lines: cfg.Saved.Lines, Head: cfg.Saved.Head, Limits: cfg.OutboxLimits,
		Journal: cfg.Journal, Rescuer: cfg.Rescuer,
		Audience: a.audience, Runs: a.runs, Position: &r.head, Inbox: r.inbox, Life: a.life.Done(), Log: a.log,
	})
	a.waits = wait.New(a.life, sources{
		Tables: r.tables, Skills: cfg.Files, Imports: cfg.Files, folder: cfg.Folder, rooms: &r.rooms,
	}, r.inbox)
	a.writes = skills.NewWrites(cfg.Files, r.inbox, a.life)
	a.erasures = erasure.New(r.tables, cfg.Saved.Erasures, erasure.Config{
		Eraser: cfg.Eraser, Journal: cfg.Journal, Files: cfg.Files, Log: a.log, Life: a.life,
		Reports: r.inbox, Damaged: cfg.Damaged,
	})
	a.realm = newRealm(cfg, here{a.audience, a.waits, a.runs, a.erasures})
	a.realm.Vaults, a.realm.Texts = a.saved.Vaults, a.shelf.Texts
	a.wall.set(&a.realm.Clock, clock())
	a.audience.Open(&a.realm.World.Settings, cfg.Saved.Head)
	a.audience.Fill(cfg.Saved.Newest)
	r.noteErased(a.realm.World.Erased)
	renamed := a.opened.Rename(a.realm.World, cfg.Saved.Known())
	a.talks = memory.NewTalks(a.realm, cfg.Saved.Conversations)
	r.imports.begin(a.realm.Kinds)
	a.answers = command.NewAnswers(cfg.Saved.Commands, a.realm.Clock.Wall)
	land := firstLand(&cfg.Saved)
	r.rooms.Begin(land)
	encoded := cfg.Saved.State
	if renamed || land != cfg.Saved.Land {
		encoded = nil
	}
	a.saved.Begin(a.picture(encoded))
	return a
}

// firstLand returns the land (the map, the rooms and the overworld) that a realm shows until the linked folder was
// scanned for the first time.
func firstLand(saved *world.Saved) *world.Land {
	first := saved.Land
	if first == nil {
		first = world.NewLand()
	}
	// A new realm, or one that an older version wrote, has no stored overworld (country), so make one.
	if first.Country.Tiles.Width == 0 {
		made := *first
		made.Country = dungeon.Country(saved.Realm.ID, nil)
		first = &made
	}
	return first
}

// run is the function of the actor's goroutine.
func (a *actor) run() {
	// Deferred first, so this call runs last, after done is closed. Closing the ring wakes all viewers. If they woke
	// before done is closed, they would find that the realm has not ended, wait again, and never be woken.
	defer a.handle.ring.Close()
	defer close(a.handle.done)
	a.audience.Prefill(a.outbox.Head())
	a.outbox.Begin()
	a.step(a.opening)
	a.step(func() {
		for _, k := range a.realm.Kinds.All {
			a.drive(plan.Imports(a.realm, k))
		}
		a.handle.imports.check()
	})
	a.step(a.resumeErasures)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select { // The results of commits come first, because they make room in the outbox.
		case res := <-a.outbox.Results():
			a.step(func() { a.onCommit(res) })
			continue
		default:
		}
		made := a.runs.Made()
		if a.outbox.Full() || a.outbox.Broken() != nil {
			made = nil // a nil channel is never ready, so no chunk of a driver is received
		}
		timer.Reset(a.untilNext())
		select {
		case res := <-a.outbox.Results():
			a.step(func() { a.onCommit(res) })
		case e := <-a.saved.Out():
			a.step(func() {
				if err := a.saved.OnEncoded(e, a.erasures.Least(a.handle.feed.ErasedAt()), a.outbox.Head()); err != nil {
					a.breakdown(err)
				}
			})
		case <-timer.C:
			a.step(a.onTime)
		case msg := <-a.handle.inbox:
			a.step(func() { a.onMessage(msg) })
		case m := <-made:
			a.step(func() { a.do(a.runs.Hear(a.realm, m)) })
		case <-a.handle.stop:
			a.finish()
			return
		}
	}
}

// step handles one input to its end: it calls f, and then lets plans, walks and checkpoints continue. When
// step returns, the outbox has all events and frames of the step.
func (a *actor) step(f func()) {
	a.wall.set(&a.realm.Clock, clock())
	a.outbox.Step(a.realm.Clock.Now, a.realm.Clock.Wall)
	before := a.realm.World.Tick
	f()
	if !a.erasures.Busy() {
		for _, m := range a.waits.Take(afterErasure) {
			a.onMessage(m)
		}
	}
	if a.realm.World.Tick != before {
		a.drive(a.plans.Next(a.realm))
	}
	quiet := a.still || a.outbox.Broken() != nil || a.stopping
	if !quiet && (a.realm.World.Tick != before || a.walks.Wakes(a.realm.Clock.Now)) {
		for b := range a.walks.March(place.SceneOf(a.realm, a.runs.Playing())) {
			a.emit("", b)
		}
	}
	if a.realm.World.Tick != before {
		a.saved.Changed(a.realm.Clock.Now)
	}
	a.outbox.Flush()
	a.outbox.Pump()
	a.checkpoint()
	a.handle.unshown.Store(int64(a.outbox.Unshown()))
	stats := Stats{
		Viewers: a.audience.Len(), Busy: a.runs.Len() > 0 || a.outbox.Unshown() > 0 || a.erasures.Busy(),
		Running: a.realm.Gathering() > 0 || a.realm.Kinds.Running(a.realm),
	}
	if a.outbox.IsFailing() {
		stats.Failing = a.outbox.Status().Message
	}
	a.handle.stats.Store(&stats)
}

// onCommit handles the result of a commit.
func (a *actor) onCommit(res commit.Result) {
	if broken := a.outbox.On(res); broken != nil {
		a.breakdown(broken)
		return
	}
	a.saved.Committed(a.outbox.Head())
	a.audience.Based(a.saved.Base().Seq())
}

// onMessage handles a message of the inbox.
func (a *actor) onMessage(msg any) {
	switch m := msg.(type) {
	case erasure.Request, erasure.Found, erasure.Scoped, erasure.Redacted, erasure.Ended:
		a.erase(m)
	case Input:
		a.command(m)
	case copyMsg:
		a.copy(m)
	case settledMsg:
		m.reply <- struct{}{}
	case attachMsg, repositionMsg, insteadMsg, identifyMsg, leaveMsg:
		a.onWatch(m)
	case surveyMsg:
		a.outbox.Show(a.handle.rooms.Take(a.handle.id, m.survey, m.change))
		a.saved.Changed(a.realm.Clock.Now)
	case summonMsg:
		a.emit("", opening.Oracle(a.realm.World)...)
	case abandonMsg:
		a.onAbandon(m)
	case wait.Result:
		a.onRead(m)
	case commit.Rescued:
		a.outbox.OnRescued(m)
	case skills.Written:
		if a.outbox.Broken() == nil {
			known := a.shelf.Wrote(a.realm.World, a.realm.At(), m)
			a.drive(plan.Written(a.realm, m.Writing, m.Err, known))
		}
		a.writes.End(m.Run.ConversationID, m.Run.RequestID)
	case outsideMsg:
		a.outside(m)
	case shownMsg:
		m.reply <- shownOf(a.realm.World)
	case boardMsg:
		a.outbox.Board(m.note)
	}
}

// untilNext returns the time until the loop has to call onTime.
func (a *actor) untilNext() time.Duration {
	next := a.realm.Clock.Now.Add(time.Hour)
	soonest := func(t time.Time) {
		if !t.IsZero() && t.Before(next) {
			next = t
		}
	}
	soonest(a.plans.Due())
	soonest(a.walks.Due())
	soonest(a.audience.ListDue())
	soonest(a.saved.Vaults.Due())
	soonest(a.saved.Due())
	soonest(a.outbox.Due())
	soonest(a.runs.Due())
	return max(0, next.Sub(clock()))
}

// onTime calls each part of the actor whose time has come: plans, walks, runs, checkpoints and the list of spectators.
func (a *actor) onTime() {
	due := func(t time.Time) bool { return !t.IsZero() && !a.realm.Clock.Now.Before(t) }
	if due(a.audience.ListDue()) {
		if list := a.audience.List(); list != nil {
			a.outbox.Out(commit.Entry{Frame: list})
		}
	}
	if due(a.saved.Vaults.Due()) {
		a.saveVaults()
	}
	if due(a.outbox.Due()) {
		a.outbox.Slow()
	}
	a.do(a.runs.OnTime(a.realm))
	if due(a.plans.Due()) {
		a.drive(a.plans.Next(a.realm))
	}
}

// finish stops the realm: it handles what the inbox holds, interrupts the runs, waits until all events are committed,
// and saves the world. The members stay in the world, so that the next opening finds them there.
func (a *actor) finish() {
	// Handle the commands that were in the inbox when the stop began. Their events are saved, or the result unshown of
	// Stop counts them.
	for range len(a.handle.inbox) { // messages that arrive later are not handled
		a.step(func() { a.onMessage(<-a.handle.inbox) })
	}
	a.stopping = true
	a.plans.Stop()
	a.step(func() {
		for _, talk := range a.realm.Talks {
			for _, active := range talk.Active() {
				k := run.Key{Talk: talk.Head.ConversationID, Request: active.RequestID}
				a.emit("", a.runs.CutOff(a.realm, k, world.CancelInterrupted)...)
			}
		}
		if len(a.saved.Vaults.Changed()) > 0 || a.saved.Vaults.MarkDue(a.realm.World.Tick) {
			a.saveVaults()
		}
	})
	for !a.outbox.Empty() && a.outbox.Broken() == nil && !a.outbox.OnlyOpened() {
		select {
		case res := <-a.outbox.Results():
			a.step(func() { a.onCommit(res) })
		case <-a.handle.abandon:
			a.handle.stopErr = errors.New("some events could not be written to the disk within the time limit of the stop")
			a.outbox.Abandon(a.handle.stopErr)
			a.saved.Stop()
		}
	}
	if err := a.outbox.InPlace(); err != nil { // a deleted or replaced database, which no commit has met yet
		a.breakdown(err)
	}
	if a.outbox.Broken() != nil && a.handle.stopErr == nil {
		a.handle.stopErr = a.outbox.Broken()
	}
	if a.outbox.Broken() == nil && a.outbox.Empty() {
		a.handle.last = a.realm.World
	}
	a.outbox.Stop()
	a.endLife()
	a.runs.DropAll()
	var last *checkpoint.Picture // nil if some events are not committed: the next opening then folds the journal
	if a.outbox.Broken() == nil && a.realm.World.Tick == a.outbox.Head() {
		last = a.picture(nil)
	}
	if err := a.saved.Finish(last); err != nil && a.handle.stopErr == nil {
		a.handle.stopErr = err
	}
	a.work.Wait()
	a.waits.Close()
	a.outbox.Wait()
	a.handle.stopErr = a.outbox.Ended(a.handle.stopErr)
	if a.handle.unshown.Store(int64(a.outbox.Unshown())); a.outbox.OnlyOpened() {
		a.handle.unshown.Store(0)
		a.log.Warn().Msg("the realm could not be written since it was opened; nobody has done anything in it, and the next " +
			"opening goes on from the same state")
	}
	if err := a.handle.journal.Close(); err != nil && a.handle.stopErr == nil {
		a.handle.stopErr = fmt.Errorf("close the journal: %w", err)
	}
}
