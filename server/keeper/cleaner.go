package keeper

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentdungeon/server/realm"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/retention"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Retention holds the ports of the cleaner; the rule is in server/retention (S1-16, S1-B7).
type Retention struct {
	// Policy returns the operator's current limits. With an error nothing is deleted.
	Policy func() (retention.Policy, error)
	// Load and Save keep what passes know of the clock.
	Load func() (retention.Watch, error)
	Save func(retention.Watch) error
	// Erase deletes conversations with the reason world.ErasedByRetention, all or none of them,
	// at most AtOnce. It returns erasure.ErrNotSilent if one of them has changed since its last
	// update.
	Erase func(ctx context.Context, r *realm.Realm, due []retention.Item) error
	// Clock is the wall clock, nil for the machine's.
	Clock func() time.Time
}

// Bounds of the cleaner.
const (
	// lookEvery is how often the cleaner reads the clock and checks whether a pass is due.
	lookEvery = time.Hour
	// keepEvery is how often the state of the clock is saved while nothing changes. After a kill
	// the server seems to have been away for up to that much longer.
	keepEvery = 6 * time.Hour
	// MaxActs is how many conversations one pass marks and deletes; the next pass continues.
	MaxActs = 5_000
	// AtOnce is how many conversations of a realm are marked in one commit or deleted together:
	// an erasure reads the realm's whole history once, for one conversation as for many.
	AtOnce = world.MaxErasedConversations
	// actTime bounds the wait for one act. An erasure that takes longer continues; the next pass
	// sees its result.
	actTime = 5 * time.Minute
)

// Ask describes a pass.
type Ask struct {
	Tenant string // "" for all
	DryRun bool   // reports what a pass would do, and changes nothing
	// Force acts although the clock is not trusted, because a person has checked it.
	Force bool
}

// errPassing refuses a second pass beside the first, which would do the same.
var errPassing = wire.Errorf(wire.Conflict, "a retention pass is under way; try again in a moment")

// cleaner runs retention: a pass at the start and one each day.
type cleaner struct {
	watch  retention.Watch // under pass
	looked time.Time       // monotonic, at the last look; zero before the first
	passed time.Time       // monotonic, at the last pass of this life
	kept   time.Time       // monotonic, when watch was last written
	loaded bool
	broken error // why the state of the clock could not be loaded; then no pass runs
}

// clean is the cleaner's goroutine, which Start begins once.
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

// load loads the state of the clock, once; pass is held.
func (k *Keeper) load() {
	c := &k.cleaner
	if c.loaded {
		return
	}
	c.loaded = true
	if c.watch, c.broken = k.cfg.Retention.Load(); c.broken != nil {
		k.log.Error().Err(c.broken).Msg("retention deletes nothing until the next start: retention.json cannot be read")
	}
}

// lived returns the time since the last look at the clock, 0 before the first look of this life.
func (c *cleaner) lived() time.Duration {
	if c.looked.IsZero() {
		return 0
	}
	return time.Since(c.looked)
}

// observeClock returns the watch as of now without saving it, for dry runs.
func (k *Keeper) observeClock() retention.Watch {
	k.load()
	c := &k.cleaner
	if c.broken != nil {
		return c.watch
	}
	next, _ := c.watch.Look(k.wall(), c.lived())
	return next
}

// look reads the clock, updates the watch and reports whether the clock is trusted; pass is
// held.
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
		k.log.Warn().Dur("by", jump).Dur("waits",
			c.watch.Waits).Msg("the clock has jumped, or the server was away for long; retention deletes nothing until the " +
			"server has run for a day")
	}
	if jump != 0 || c.watch.Trusted() != was || c.kept.IsZero() || time.Since(c.kept) >= keepEvery {
		k.keepWatch()
	}
	return c.watch.Trusted()
}

// keepWatch saves the watch. If that fails, the next life only waits longer.
func (k *Keeper) keepWatch() {
	k.cleaner.kept = time.Now()
	if err := k.cfg.Retention.Save(k.cleaner.watch); err != nil {
		k.log.Warn().Err(err).Msg("retention.json could not be written")
	}
}

func (k *Keeper) wall() world.Time {
	if clock := k.cfg.Retention.Clock; clock != nil {
		return world.TimeOf(clock())
	}
	return world.TimeOf(time.Now())
}

// Clean runs one pass, or reports what one would do. Its error is that of the whole pass; errors
// of a realm or conversation are in the report, and the pass continues. It stops between two
// conversations when ctx or the keeper ends.
func (k *Keeper) Clean(ctx context.Context, ask Ask) (*retention.Report, error) {
	if k.cfg.Retention == nil {
		return nil, errors.New("this server has no retention")
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
	k.loops.Add(1) // also for a pass that somebody asked for: a stop waits for it
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
		p.report.Waits = fmt.Sprintf("The clock has jumped, or nobody knows how long the server was away: nothing is "+
			"deleted until the server has run for another %s.", watch.Waits.Round(time.Minute))
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
		p.report.Waits = "" // nothing is waited for
	}
	if !p.ask.DryRun && ask.Tenant == "" && !p.report.More {
		k.cleaner.passed = time.Now() // otherwise the next look continues
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
	left   int // number of acts that the pass may still do
	report retention.Report
}

// realm handles one realm. It reads beside the realm what is due, and opens the realm only if
// there is something to do.
func (p *passing) realm(ctx context.Context, t *Tenant, info wire.RealmInfo) {
	out := retention.Realm{Tenant: t.name, RealmID: info.ID, Name: info.Name, Items: []retention.Item{}}
	problem := func(err error) {
		p.k.log.Error().Err(err).Str("tenant", t.name).Str("realm", info.ID).
			Msg("retention failed for this realm and continues with the next")
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
		// An opening would resume it; it was left closed at the start on purpose (Afresh).
		problem(errors.New("skipped: opening this realm would resume its process"))
		return
	}
	p.left -= len(due)
	if err := t.visit(ctx, info.ID, func(r *realm.Realm) {
		for _, batch := range batches(due) {
			done, err := p.act(ctx, r, batch)
			if errors.Is(err, watch.ErrStopped) { // it was opened again because its journal was damaged
				if again, oerr := t.Open(ctx, info.ID); oerr == nil {
					r = again
					done, err = p.act(ctx, r, batch)
				}
			}
			if err != nil {
				done += p.each(ctx, r, batch, err, problem)
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
		p.k.log.Info().Str("tenant", t.name).Str("realm", info.ID).Int("marked", out.Marked).Int("deleted", out.Deleted).
			Msg("retention")
	}
}

// each does the items of a batch that failed with err one by one, so that a conversation that
// fails does not stop the others. It reports failures to problem and returns how many were done.
func (p *passing) each(
	ctx context.Context, r *realm.Realm, batch []retention.Item, err error, problem func(error),
) (done int) {
	for i := range batch {
		if len(batch) > 1 {
			var n int
			n, err = p.act(ctx, r, batch[i:i+1])
			done += n
		}
		if err != nil {
			problem(fmt.Errorf("%s %s: %w", batch[i].Act, batch[i].ConversationID, err))
		}
	}
	return done
}

// meet records times in the future, once the clock is trusted; otherwise conversations with such
// times would be kept for as long as the clock was wrong.
func (p *passing) meet(heads []retention.Head) {
	if !p.watch.Trusted() {
		return
	}
	for _, h := range heads {
		p.watch = p.watch.Meets(max(h.UpdatedAt, h.EndedAt), p.now)
	}
	if !p.ask.DryRun {
		p.k.cleaner.watch.Jumps = p.watch.Jumps // saved at the end of the pass
	}
}

// batches groups items that are done together, at most AtOnce: marks of one kind, and deletions.
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

// act does a batch and returns how many conversations were done; it does nothing once the pass
// is to end.
func (p *passing) act(ctx context.Context, r *realm.Realm, batch []retention.Item) (done int, err error) {
	if ctx.Err() != nil {
		return 0, nil
	}
	during, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	if it := batch[0]; it.Act == retention.Abandon {
		var talks []erasure.Silent
		for _, it := range batch {
			talks = append(talks, erasure.Silent{ConversationID: it.ConversationID, UpdatedAt: it.UpdatedAt})
		}
		done, err = r.Abandon(during, talks, fmt.Sprintf("Nothing was said for %d days.", p.policy[it.Kind].AbandonAfterDays))
	} else if err = p.k.cfg.Retention.Erase(during, r, batch); err == nil {
		done = len(batch)
	}
	switch {
	case err == nil:
		return done, nil
	case ctx.Err() != nil: // the server stops; the next pass continues
		return 0, nil
	case len(batch) == 1 && (errors.Is(err, erasure.ErrNotSilent) || errors.Is(err, world.ErrNoConversation)):
		// it has changed since it was read
		return 0, nil
	}
	return 0, err
}

// heads reads a realm's conversations. A realm that is closed stays closed meanwhile, which
// Heads requires.
func (t *Tenant) heads(ctx context.Context, id string) ([]retention.Head, error) {
	t.k.ops.Lock()
	if t.k.get(t.key(id)) != nil {
		t.k.ops.Unlock()
		return t.shelf.Heads(ctx, id)
	}
	defer t.k.ops.Unlock()
	return t.shelf.Heads(ctx, id)
}

// goesOn reports whether something continues by itself when the realm is opened.
func (t *Tenant) goesOn(info wire.RealmInfo) bool {
	return info.Status == world.StatusRunning || info.Talks > 0 || t.shelf.Unfinished(info.ID)
}

// visit runs do in a realm. A realm that was closed is opened for it and closed afterwards,
// unless somebody needs it by then.
func (t *Tenant) visit(ctx context.Context, id string, do func(*realm.Realm)) error {
	t.k.ops.Lock()
	was := t.k.get(t.key(id)) != nil
	r, err := (*realm.Realm)(nil), t.k.ctx.Err() // nothing is opened once the keeper stops
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
