package keeper

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentdungeon/server/realm"
	"agentdungeon/server/retention"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Retention is what the cleaner needs; the rule is server/retention's (S1-16, S1-B7).
type Retention struct {
	// Policy as an operator has set it now. With an error nothing is let go of.
	Policy func() (retention.Policy, error)
	// Load and Save what passes know of the clock.
	Load func() (retention.Watch, error)
	Save func(retention.Watch) error
	// Erase deletes conversations for good, with the reason world.ErasedByRetention, all or
	// none of them: at most AtOnce. One in which something has happened since it was
	// last updated is realm.ErrNotSilent.
	Erase func(ctx context.Context, r *realm.Realm, due []retention.Item) error
	// Clock is the wall clock, nil for the machine's.
	Clock func() time.Time
}

// Bounds of the cleaner.
const (
	// lookEvery is how often the clock is looked at, and whether a pass is due.
	lookEvery = time.Hour
	// keepEvery is how often what is known of the clock is written while nothing changes: a
	// server that is killed seems to have been away for so much longer.
	keepEvery = 6 * time.Hour
	// MaxActs is how many conversations one pass marks and deletes; the next goes on.
	MaxActs = 5_000
	// AtOnce is how many conversations of a realm are marked together, in one commit, or
	// deleted together: an erasure goes through the realm's whole history once, whatever it
	// is of.
	AtOnce = world.MaxErasedTalks
	// actTime bounds one act. An erasure that takes longer goes on; what it did is seen in
	// the next pass.
	actTime = 5 * time.Minute
)

// Ask says what a pass is to do.
type Ask struct {
	Tenant string // "" for all
	DryRun bool   // says what would be done, and does nothing
	// Force acts although the clock is not trusted: a person has looked at it.
	Force bool
}

// errPassing: a second pass beside the first would do nothing that the first does not.
var errPassing = wire.Errorf(wire.Conflict, "a retention pass is under way; try again in a moment")

// cleaner is the part of a keeper that lets go of what is past its time. Its goroutine
// runs a pass at the start and one each day.
type cleaner struct {
	watch  retention.Watch // under pass
	looked time.Time       // monotonic, at the last look; zero before the first
	passed time.Time       // monotonic, at the last pass of this life
	kept   time.Time       // monotonic, when watch was last written
	loaded bool
	broken error // why what is known of the clock could not be had; then nothing is done
}

// clean is the cleaner's goroutine. Start begins it once.
func (k *Keeper) clean() {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		k.pass.Lock()
		trusted := k.look()
		due := k.cleaner.passed.IsZero() || time.Since(k.cleaner.passed) >= retention.Every
		k.pass.Unlock()
		if trusted && due {
			if _, err := k.Clean(k.ctx, Ask{}); err != nil && k.ctx.Err() == nil {
				k.log.Error().Err(err).Msg("a retention pass failed; the next one tries again")
			}
		}
		select {
		case <-k.ctx.Done():
			k.pass.Lock()
			defer k.pass.Unlock()
			k.look()
			if k.cleaner.broken == nil {
				k.keepWatch()
			}
			return
		case <-ticker.C:
		}
	}
}

// load reads what is known of the clock, once; pass is held.
func (k *Keeper) load() {
	c := &k.cleaner
	if c.loaded {
		return
	}
	c.loaded = true
	if c.watch, c.broken = k.cfg.Retention.Load(); c.broken != nil {
		k.log.Error().Err(c.broken).Msg("nothing is let go of in this life: what is known of the clock cannot be had")
	}
}

// lived is the time since the last look at the clock, 0 before the first of a life.
func (c *cleaner) lived() time.Duration {
	if c.looked.IsZero() {
		return 0
	}
	return time.Since(c.looked)
}

// observeClock is what the watch would be after a look at the clock. It keeps nothing: it is for
// dry runs.
func (k *Keeper) observeClock() retention.Watch {
	k.load()
	c := &k.cleaner
	if c.broken != nil {
		return c.watch
	}
	next, _ := c.watch.Look(k.wall(), c.lived())
	return next
}

// look looks at the clock and keeps what it says; pass is held. It says whether the clock
// is trusted.
func (k *Keeper) look() bool {
	k.load()
	c := &k.cleaner
	if c.broken != nil {
		return false
	}
	lived := c.lived()
	c.looked = time.Now()
	was := c.watch.Trusted()
	var jump time.Duration
	if c.watch, jump = c.watch.Look(k.wall(), lived); jump != 0 {
		k.log.Warn().Dur("by", jump).Dur("waits", c.watch.Waits).Msg("the clock has jumped, or the server was away for long; nothing is let go of until it has lived for a day")
	}
	if jump != 0 || c.watch.Trusted() != was || c.kept.IsZero() || time.Since(c.kept) >= keepEvery {
		k.keepWatch()
	}
	return c.watch.Trusted()
}

// keepWatch: what could not be kept makes the next life wait longer, and harms nothing.
func (k *Keeper) keepWatch() {
	k.cleaner.kept = time.Now()
	if err := k.cfg.Retention.Save(k.cleaner.watch); err != nil {
		k.log.Warn().Err(err).Msg("what is known of the clock could not be kept")
	}
}

func (k *Keeper) wall() world.Time {
	if clock := k.cfg.Retention.Clock; clock != nil {
		return world.TimeOf(clock())
	}
	return world.TimeOf(time.Now())
}

// Clean runs one pass, or says what one would do. Errors are those of the pass as a whole;
// what goes wrong with a realm or a conversation stands in the report, and the pass goes
// on. It ends with ctx and with the keeper, between two conversations.
func (k *Keeper) Clean(ctx context.Context, ask Ask) (*retention.Report, error) {
	if k.cfg.Retention == nil {
		return nil, errors.New("this server lets go of nothing")
	}
	if !k.pass.TryLock() {
		return nil, errPassing
	}
	defer k.pass.Unlock()
	k.mu.Lock()
	if k.ctx.Err() != nil {
		k.mu.Unlock()
		return nil, errOver
	}
	k.loops.Add(1) // also a pass that somebody asked for: a stop waits for it
	k.mu.Unlock()
	defer k.loops.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(k.ctx, cancel)()
	policy, err := k.cfg.Retention.Policy()
	if err != nil {
		return nil, fmt.Errorf("the limits: %w", err)
	}
	watch := k.observeClock()
	if !ask.DryRun {
		k.look()
		watch = k.cleaner.watch
	}
	trusted := k.cleaner.broken == nil && watch.Trusted()
	p := &passing{k: k, ask: ask, policy: policy, watch: watch, now: watch.SeenAt, left: MaxActs}
	p.report = retention.Report{At: p.now, DryRun: ask.DryRun, Realms: []retention.Realm{}}
	if !trusted && !ask.Force {
		p.report.Waits = fmt.Sprintf("The clock has jumped, or nobody knows how long the server was away: nothing is let go of until it has lived for another %s.", watch.Waits.Round(time.Minute))
		if k.cleaner.broken != nil {
			p.report.Waits = "What is known of the clock cannot be had; nothing is let go of."
		}
		p.ask.DryRun = true
	}
	names := k.cfg.Store.Tenants()
	if ask.Tenant != "" {
		names = []string{ask.Tenant}
	}
	for _, name := range names {
		t, err := k.Tenant(name)
		if err != nil {
			return nil, err
		}
		realms, _ := t.shelf.Realms()
		for _, info := range realms {
			if ctx.Err() != nil {
				return &p.report, context.Cause(ctx)
			}
			p.realm(ctx, t, info)
		}
	}
	if !slices.ContainsFunc(p.report.Realms, func(r retention.Realm) bool { return r.Due > 0 }) {
		p.report.Waits = "" // for nothing
	}
	if !p.ask.DryRun && ask.Tenant == "" && !p.report.More {
		k.cleaner.passed = time.Now() // else the next look goes on
	}
	if !p.ask.DryRun {
		k.cleaner.watch.PassedAt = p.now
		k.keepWatch()
	}
	return &p.report, nil
}

// passing is a pass under way.
type passing struct {
	k      *Keeper
	ask    Ask
	policy retention.Policy
	watch  retention.Watch
	now    world.Time
	left   int // acts that the pass may still do
	report retention.Report
}

// realm does one realm's part: what is due is read beside it, and it is opened only where
// there is something to do.
func (p *passing) realm(ctx context.Context, t *Tenant, info wire.RealmInfo) {
	out := retention.Realm{Tenant: t.name, RealmID: info.ID, Name: info.Name, Items: []retention.Item{}}
	problem := func(err error) {
		p.k.log.Error().Err(err).Str("tenant", t.name).Str("realm", info.ID).Msg("retention goes on without this")
		if len(out.Problems) < retention.MaxProblems {
			out.Problems = append(out.Problems, err.Error())
		}
	}
	defer func() { p.report.Realms = append(p.report.Realms, out) }()
	heads, err := t.heads(ctx, info.ID)
	if err != nil {
		problem(err)
		return
	}
	p.meet(heads)
	items := retention.Plan(heads, p.policy, p.watch, p.now)
	out.Conversations, out.Next = len(heads), retention.Soonest(heads, p.policy, p.watch, p.now)
	out.Items = append(out.Items, items[:min(len(items), retention.MaxItems)]...)
	var due []retention.Item
	for _, it := range items {
		if it.Act != retention.Keep {
			due = append(due, it)
		}
	}
	if out.Due = len(due); p.ask.DryRun || len(due) == 0 {
		return
	}
	if len(due) > p.left {
		due, p.report.More = due[:p.left], true
	}
	if !p.k.cfg.Still && t.k.get(t.key(info.ID)) == nil && t.goesOn(info) {
		// It would go on by being opened, and was left closed at the start on purpose (Afresh).
		problem(errors.New("left alone: it would go on by itself if it were opened for this"))
		return
	}
	p.left -= len(due)
	if err := t.visit(ctx, info.ID, func(r *realm.Realm) {
		for _, batch := range batches(due) {
			done, err := p.act(ctx, r, batch)
			if errors.Is(err, realm.ErrStopped) { // it was opened again meanwhile: its journal was damaged
				if again, oerr := t.Open(ctx, info.ID); oerr == nil {
					r = again
					done, err = p.act(ctx, r, batch)
				}
			}
			if err != nil && len(batch) > 1 { // one that fails keeps none of the others
				for i := range batch {
					n, err := p.act(ctx, r, batch[i:i+1])
					if done += n; err != nil {
						problem(fmt.Errorf("%s %s: %w", batch[i].Act, batch[i].ConversationID, err))
					}
				}
			} else if err != nil {
				problem(fmt.Errorf("%s %s: %w", batch[0].Act, batch[0].ConversationID, err))
			}
			if batch[0].Act == retention.Abandon {
				out.Marked += done
			} else {
				out.Deleted += done
			}
		}
	}); err != nil {
		problem(err)
	}
	if out.Marked+out.Deleted > 0 {
		p.k.log.Info().Str("tenant", t.name).Str("realm", info.ID).Int("marked", out.Marked).Int("deleted", out.Deleted).Msg("retention")
	}
}

// meet notes times that lie ahead, once the clock is trusted: else they are kept for as long
// as the clock was wrong.
func (p *passing) meet(heads []retention.Head) {
	if !p.watch.Trusted() {
		return
	}
	for _, h := range heads {
		p.watch = p.watch.Meets(max(h.UpdatedAt, h.EndedAt), p.now)
	}
	if !p.ask.DryRun {
		p.k.cleaner.watch.Jumps = p.watch.Jumps // kept at the end of the pass
	}
}

// batches are what is done together: marks of one kind, and deletions, AtOnce.
func batches(due []retention.Item) (out [][]retention.Item) {
	by := map[string][]retention.Item{}
	for _, it := range due {
		key := "" // deletions
		if it.Act == retention.Abandon {
			key = it.Kind
		}
		by[key] = append(by[key], it)
	}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		out = slices.AppendSeq(out, slices.Chunk(by[key], AtOnce))
	}
	return out
}

// act does a batch and says how many it did; nothing, once the pass is to end.
func (p *passing) act(ctx context.Context, r *realm.Realm, batch []retention.Item) (done int, err error) {
	if ctx.Err() != nil {
		return 0, nil
	}
	during, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	if it := batch[0]; it.Act == retention.Abandon {
		var talks []realm.Silent
		for _, it := range batch {
			talks = append(talks, realm.Silent{ConversationID: it.ConversationID, UpdatedAt: it.UpdatedAt})
		}
		done, err = r.Abandon(during, talks, fmt.Sprintf("Nothing was said for %d days.", p.policy[it.Kind].AbandonAfterDays))
	} else if err = p.k.cfg.Retention.Erase(during, r, batch); err == nil {
		done = len(batch)
	}
	switch {
	case err == nil:
		return done, nil
	case ctx.Err() != nil: // the server stops: the next pass goes on
		return 0, nil
	case len(batch) == 1 && (errors.Is(err, realm.ErrNotSilent) || errors.Is(err, world.ErrNoConversation)): // it has changed since
		return 0, nil
	}
	return 0, err
}

// heads reads a realm's conversations. One that is not open is not opened meanwhile, as
// Heads asks for.
func (t *Tenant) heads(ctx context.Context, id string) ([]retention.Head, error) {
	t.k.ops.Lock()
	if t.k.get(t.key(id)) != nil {
		t.k.ops.Unlock()
		return t.shelf.Heads(ctx, id)
	}
	defer t.k.ops.Unlock()
	return t.shelf.Heads(ctx, id)
}

// goesOn says that a realm does something by itself once it is opened.
func (t *Tenant) goesOn(info wire.RealmInfo) bool {
	return info.Status == world.StatusRunning || info.Talks > 0 || t.shelf.Unfinished(info.ID)
}

// visit does something in a realm, which it opens for that where it is not open, and
// closes again where nobody has come meanwhile.
func (t *Tenant) visit(ctx context.Context, id string, do func(*realm.Realm)) error {
	t.k.ops.Lock()
	was := t.k.get(t.key(id)) != nil
	r, err := (*realm.Realm)(nil), t.k.ctx.Err() // nothing opens any more once the keeper stops
	if err == nil {
		r, err = t.openRealm(ctx, id, true)
	}
	t.k.ops.Unlock()
	if err != nil {
		return err
	}
	do(r)
	if was {
		return nil
	}
	t.k.ops.Lock()
	defer t.k.ops.Unlock()
	return t.k.closeIdle(t.key(id))
}
