package realm

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
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

// actor owns a realm. Only its goroutine touches it.
type actor struct {
	r   *Realm
	log zerolog.Logger

	// What it works with.
	wall    calendar
	still   bool            // see Config.Still
	life    context.Context // of what is read; over when the actor ends
	endLife context.CancelFunc
	work    sync.WaitGroup // drivers, what is written and erased

	// This turn.
	by string // who is acting, for the audit; "" for the server

	// What is decided, which may be ahead of what is committed.
	world   *world.World
	sees    *kind.Realm // what kinds see of it; its clock is the actor's
	talks   *memory.Talks
	answers *command.Answers

	// What is provisional.
	runs     *run.Runs
	waits    *wait.Queue
	shelf    *skills.Shelf // the skills folder
	writes   *skills.Writes
	walks    *place.Walks
	plans    *plan.Plans
	stopping bool // no turn begins any more

	// The way out.
	outbox *commit.Outbox
	saved  *checkpoint.Checkpoints

	// Who watches.
	audience *watch.Audience

	erasures *erasure.Erasures

	// What the folder held at the opening.
	opened      *opening.Opening
	foundSkills []world.SkillText // those that lie in the folder; opening tells what is new
}

type surveyMsg struct {
	survey *dungeon.Survey
	change dungeon.Change
}

type summonMsg struct{}

func newActor(r *Realm, cfg Config) *actor {
	a := &actor{
		r: r, log: cfg.Log.With().Str("realm", r.id).Logger(),
		wall: cfg.Wall, still: cfg.Still,
		world: cfg.Saved.World,

		runs:  run.New(cfg.Log.With().Str("realm", r.id).Logger()),
		plans: plan.New(cfg.Still, cfg.Log.With().Str("realm", r.id).Logger()),
		shelf: skills.NewShelf(cfg.Saved.Skills, cfg.Log.With().Str("realm", r.id).Logger()),
		walks: place.NewWalks(&r.rooms, cfg.Log.With().Str("realm", r.id).Logger()),

		saved: newCheckpoints(&cfg),

		opened: opening.New(&cfg.Saved), foundSkills: cfg.Saved.Skills,
	}
	r.ring = ring.New(cfg.RingLimits, max(cfg.Saved.Head-watch.RingPrefill, cfg.Journal.Floor()-1))
	r.feed = watch.NewFeed(r.ring, cfg.Journal, desk{r}, r.done, cfg.Saved.ErasedAt)
	a.audience = watch.NewAudience(r.id, r.feed, a.log)
	a.life, a.endLife = context.WithCancel(context.Background())
	a.outbox = commit.New(commit.Config{
		Epoch: cfg.Saved.Epoch, Lines: cfg.Saved.Lines, Head: cfg.Saved.Head, Limits: cfg.OutboxLimits,
		Journal: cfg.Journal, Rescuer: cfg.Rescuer,
		Audience: a.audience, Rows: a.runs, Position: &r.head, Inbox: r.inbox, Life: a.life.Done(), Log: a.log,
	})
	a.waits = wait.New(a.life, sources{
		Tables: r.tables, Skills: cfg.Files, Imports: cfg.Files, folder: cfg.Folder, land: &r.rooms,
	}, r.inbox)
	a.writes = skills.NewWrites(cfg.Files, r.inbox, a.life)
	a.erasures = erasure.New(r.tables, cfg.Saved.Erasures, erasure.Config{
		Eraser: cfg.Eraser, Journal: cfg.Journal, Files: cfg.Files, Log: a.log, Life: a.life,
		Reports: r.inbox, Damaged: cfg.Damaged,
	})
	a.sees = seen(cfg, moment{a.audience, a.waits, a.runs, a.erasures})
	a.sees.Vaults, a.sees.Texts = a.saved.Vaults, a.shelf.Texts
	a.wall.look(&a.sees.Clock, clock())
	r.noteErased(a.world.Erased)
	if a.opened.Rename(a.world, cfg.Saved.Realm) {
		cfg.Saved.Encoded = nil
	}
	a.talks = memory.NewTalks(a.sees, cfg.Saved.Conversations)
	r.intake.begin(a.sees.Kinds)
	a.answers = command.NewAnswers(cfg.Saved.Commands, a.sees.Clock.Wall)
	land := cfg.Saved.Land
	if land == nil {
		land = world.NewLand()
	}
	if land.Country.Tiles.Width == 0 { // a new realm, or one of an older version
		land = &world.Land{Map: land.Map, MapTree: land.MapTree, Country: dungeon.Country(r.id, nil)}
		cfg.Saved.Encoded = nil
	}
	r.rooms.Begin(land)
	a.saved.Begin(a.picture(cfg.Saved.Encoded))
	return a
}

// run is the actor's goroutine.
func (a *actor) run() {
	defer close(a.r.done)
	a.audience.Prefill(a.outbox.Head())
	a.outbox.Begin()
	a.turn(a.opening)
	a.turn(func() {
		for _, k := range a.sees.Kinds.All {
			a.drive(plan.Imports(a.sees, k))
		}
		a.r.intake.look()
	})
	a.turn(func() {
		for _, e := range a.erasures.Resume() {
			a.erase(e)
		}
	})
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select { // completions come first: they make room
		case res := <-a.outbox.Results():
			a.turn(func() { a.onCommit(res) })
			continue
		default:
		}
		made := a.runs.Made()
		if a.outbox.Full() || a.outbox.Broken() != nil {
			made = nil // drivers wait while the outbox is full
		}
		timer.Reset(a.untilNext())
		select {
		case res := <-a.outbox.Results():
			a.turn(func() { a.onCommit(res) })
		case e := <-a.saved.Out():
			a.turn(func() {
				least := max(a.r.feed.ErasedAt(), a.erasures.Least())
				if err := a.saved.OnEncoded(e, least, a.outbox.Head()); err != nil {
					a.breakdown(err)
				}
			})
		case <-timer.C:
			a.turn(a.onTime)
		case msg := <-a.r.inbox:
			a.turn(func() { a.onMessage(msg) })
		case m := <-made:
			a.turn(func() { a.onMade(m) })
		case <-a.r.stop:
			a.finish()
			return
		}
	}
}

// turn is one step of the actor: what it decided is numbered, folded and on its
// way when it returns.
func (a *actor) turn(step func()) {
	a.wall.look(&a.sees.Clock, clock())
	a.outbox.Turn(a.sees.Clock.Now, a.sees.Clock.Wall)
	before := a.world.Tick
	step()
	if a.world.Tick != before {
		a.drive(a.plans.Next(a.sees))
	}
	quiet := a.still || a.outbox.Broken() != nil || a.stopping
	if !quiet && (a.world.Tick != before || a.walks.Wakes(a.sees.Clock.Now)) {
		for b := range a.walks.March(place.SceneOf(a.sees, a.runs.Playing())) {
			a.emit("", b)
		}
	}
	if a.world.Tick != before {
		a.saved.Changed(a.sees.Clock.Now)
	}
	a.outbox.Flush()
	a.outbox.Pump()
	a.checkpoint()
	a.r.unshown.Store(int64(a.outbox.Unshown()))
	_, gathering := a.sees.Gathering()
	process := a.world.ProcessState.Status
	a.r.stats.Store(&Stats{
		Viewers: a.audience.Len(), Busy: a.runs.Len() > 0 || a.outbox.Unshown() > 0 || a.erasures.Busy(),
		Running: process == world.StatusRunning || process == world.StatusPaused || gathering > 0 ||
			a.sees.Kinds.Running(a.sees),
	})
}

func (a *actor) onMessage(msg any) {
	switch m := msg.(type) {
	case erasure.Request, erasure.Found, erasure.Scoped, erasure.Redacted, erasure.Ended:
		a.erase(m)
	case Input:
		a.command(m)
	case worldMsg:
		if !a.erasures.Hold(m) {
			a.tellWorld(m)
		}
	case settledMsg:
		m.reply <- struct{}{}
	case attachMsg:
		if !a.erasures.Hold(m) {
			a.onWatch(m)
		}
	case repositionMsg, insteadMsg, identifyMsg, leaveMsg:
		a.onWatch(m)
	case surveyMsg:
		a.out(commit.Entry{Frame: a.audience.Encode(a.r.rooms.Take(a.r.id, m.survey, m.change))})
		a.saved.Changed(a.sees.Clock.Now)
	case summonMsg:
		a.emit("", opening.Oracle(a.world)...)
	case abandonMsg:
		a.onAbandon(m)
	case wait.Result:
		a.onRead(m)
	case commit.Rescued:
		a.outbox.Told(m)
	case skills.Written:
		if a.outbox.Broken() == nil {
			known := a.shelf.Wrote(a.world, a.sees.At(), m)
			a.drive(plan.Written(a.sees, m.Writing, m.Err, known))
		}
		a.writes.End(m.Run.ConversationID, m.Run.RequestID)
	case boardMsg:
		a.outbox.Board(m.note)
	}
}

// untilNext is how long the actor may sleep.
func (a *actor) untilNext() time.Duration {
	next := a.sees.Clock.Now.Add(time.Hour)
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

// onTime does what is due.
func (a *actor) onTime() {
	due := func(t time.Time) bool { return !t.IsZero() && !a.sees.Clock.Now.Before(t) }
	if due(a.audience.ListDue()) {
		if list := a.audience.List(); list != nil {
			a.out(commit.Entry{Frame: list})
		}
	}
	if due(a.saved.Vaults.Due()) {
		a.saveVaults(a.saved.Vaults.All())
	}
	if due(a.outbox.Due()) {
		a.outbox.Slow()
	}
	a.do(a.runs.OnTime(a.sees))
	if due(a.plans.Due()) {
		a.drive(a.plans.Next(a.sees))
	}
}

// emit numbers, folds and sends what was decided. The first event carries the
// request that led to it.
func (a *actor) emit(requestID string, bodies ...world.Body) {
	if len(bodies) == 0 || a.outbox.Broken() != nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			a.breakdown(fmt.Errorf("panic while folding: %v\n%s", p, debug.Stack()))
		}
	}()
	bodies = a.runs.Expand(a.sees, bodies)
	for i, b := range bodies {
		if joined, ok := b.(*world.AgentJoined); ok {
			a.walks.Appear(a.world, &joined.Agent)
		}
		if r, ok := b.(interface{ RunRequestID() string }); ok && requestID != "" && r.RunRequestID() != requestID {
			a.log.Error().Str("event", b.EventType()).
				Msg("the first event of a command is about another run; it goes without the command's requestId")
			requestID = ""
		}
		at := a.sees.At()
		ev := world.Event{Seq: a.world.Tick + 1, At: at, V: 1, RequestID: requestID, Body: b}
		rec, err := ev.Encode()
		if err != nil {
			a.breakdown(err)
			return
		}
		rec.Who = a.by
		a.sees.Clock.Last, requestID = at, ""
		world.Apply(a.world, ev)
		a.sees.Kinds.Fold(a.sees.Talks, ev)
		e := commit.Entry{Record: &rec, Ends: i == len(bodies)-1}
		if more, ok := b.(interface{ ExtraBytes() int }); ok {
			e.Holds = more.ExtraBytes()
		}
		if _, ok := b.(*world.HistoryErased); ok {
			e.Effect = shownErasure{ev.Seq}
		}
		a.out(e)
		a.react(ev)
	}
}

// finish is the stop: runs end as interrupted, everything is committed and saved
// with the cast still in the world.
func (a *actor) finish() {
	a.stopping = true
	a.plans.Stop()
	a.turn(func() {
		for _, talk := range a.sees.Talks {
			for _, active := range talk.Active() {
				k := run.Key{Talk: talk.Head.ConversationID, Request: active.RequestID}
				a.emit("", a.runs.CutOff(a.sees, k, world.CancelInterrupted, run.Rests(a.sees, k.Talk)...)...)
			}
		}
		if len(a.saved.Vaults.Changed()) > 0 || a.saved.Vaults.MarkDue(a.world.Tick) {
			a.saveVaults(a.saved.Vaults.All())
		}
	})
	for !a.outbox.Empty() && a.outbox.Broken() == nil && !a.outbox.OnlyOpened() {
		select {
		case res := <-a.outbox.Results():
			a.turn(func() { a.onCommit(res) })
		case <-a.r.abandon:
			a.r.stopErr = errors.New("the disk did not take everything in time")
			a.outbox.Abandon(a.r.stopErr)
			a.saved.Stop()
		}
	}
	if err := a.outbox.InPlace(); err != nil { // it was taken away while nothing was committed
		a.breakdown(err)
	}
	if a.outbox.Broken() != nil && a.r.stopErr == nil {
		a.r.stopErr = a.outbox.Broken()
	}
	if a.outbox.Broken() == nil && a.outbox.Empty() {
		a.r.last = a.world
	}
	a.outbox.Stop()
	a.endLife()
	a.runs.DropAll()
	var last *checkpoint.Picture // else the journal has what was shown, and the next start folds it
	if a.outbox.Broken() == nil && a.world.Tick == a.outbox.Head() {
		last = a.picture(nil)
	}
	if err := a.saved.Finish(last); err != nil && a.r.stopErr == nil {
		a.r.stopErr = err
	}
	a.work.Wait()
	a.waits.Close()
	a.outbox.Wait()
	a.r.stopErr = a.outbox.Ended(a.r.stopErr)
	if a.r.unshown.Store(int64(a.outbox.Unshown())); a.outbox.OnlyOpened() {
		a.r.unshown.Store(0)
	}
	if err := a.r.journal.Close(); err != nil && a.r.stopErr == nil {
		a.r.stopErr = fmt.Errorf("close the journal: %w", err)
	}
	a.r.ring.Close()
}
