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

const (
	// checkEvery is how often the cleaner reads the clock and finds out whether a pass is due.
	checkEvery = time.Hour
	// saveEvery is how often the cleaner saves its observations of the clock (retention.Watch) while the clock
	// neither jumps nor becomes trusted. After the server was killed, the next one counts the time since the last
	// save as time in which no server ran.
	saveEvery = 6 * time.Hour
	// maxActs limits the number of conversations that one pass marks or deletes. The next pass continues with
	// the rest.
	maxActs = 5_000
	// atOnce is the maximum number of conversations that one call of act marks or deletes. It is high, because each
	// erasure reads the whole history of the realm.
	atOnce = world.MaxErasedConversations
	// actTime limits how long a pass waits for one call of act. An erasure continues after that; the next pass finds
	// its result.
	actTime = 5 * time.Minute
)

// PassOptions selects what a retention pass does.
type PassOptions struct {
	Tenant string // "" for all
	DryRun bool   // report what a pass would do, and change nothing
	Force  bool   // act even if the clock is not trusted, because a person has checked it
}

// errPassing is the error of Clean while another retention pass runs.
var errPassing = wire.Errorf(wire.Conflict, "a retention pass is under way; try again in a moment")

// cleaner is the state of the retention passes. Keeper.pass guards it. Its times have monotonic clock readings, so a
// change of the wall clock does not affect the durations between them.
type cleaner struct {
	watch     retention.Watch
	checkedAt time.Time // when the clock was last read; zero if it was never read
	passedAt  time.Time // when the last pass ran; zero if none has run since the server started
	savedAt   time.Time // when watch was last saved
	loaded    bool
	loadErr   error // why watch could not be loaded; then no pass runs
}

// clean is the body of the cleaner goroutine. It runs a retention pass after the start and then one each day, while
// the clock is trusted.
func (k *Keeper) clean() {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		k.pass.Lock()
		trusted := k.checkClock()
		due := k.cleaner.passedAt.IsZero() || time.Since(k.cleaner.passedAt) >= retention.Every
		k.pass.Unlock()
		if trusted && due {
			if _, err := k.Clean(k.ctx, PassOptions{}); err != nil && k.ctx.Err() == nil {
				k.log.Error().Err(err).Msg("a retention pass failed; the next one tries again")
			}
		}
		select {
		case <-k.ctx.Done():
			k.pass.Lock()
			defer k.pass.Unlock()
			k.checkClock()
			if k.cleaner.loadErr == nil {
				k.saveWatch()
			}
			return
		case <-ticker.C:
		}
	}
}

// loadWatch loads cleaner.watch on its first call. The caller holds Keeper.pass.
func (k *Keeper) loadWatch() {
	c := &k.cleaner
	if c.loaded {
		return
	}
	c.loaded = true
	if c.watch, c.loadErr = k.cfg.Retention.Load(); c.loadErr != nil {
		k.log.Error().Err(c.loadErr).Msg("retention deletes nothing until the next start: retention.json cannot be read")
	}
}

// lived returns the time that has passed since the last call of checkClock, or 0 before the first call.
func (c *cleaner) lived() time.Duration {
	if c.checkedAt.IsZero() {
		return 0
	}
	return time.Since(c.checkedAt)
}

// observeClock observes the present time and returns the watch with that observation. It does not store the watch,
// because a dry run must not change anything. The caller holds Keeper.pass.
func (k *Keeper) observeClock() retention.Watch {
	k.loadWatch()
	c := &k.cleaner
	if c.loadErr != nil {
		return c.watch
	}
	next, _ := c.watch.Observe(k.wall(), c.lived())
	return next
}

// checkClock observes the present time, stores the watch with that observation and reports whether the clock is
// trusted. The caller holds Keeper.pass.
func (k *Keeper) checkClock() bool {
	k.loadWatch()
	c := &k.cleaner
	if c.loadErr != nil {
		return false
	}
	lived := c.lived()
	c.checkedAt = time.Now()
	was := c.watch.Trusted()
	var jump time.Duration
	if c.watch, jump = c.watch.Observe(k.wall(), lived); jump != 0 {
		k.log.Warn().Dur("by", jump).Dur("waits", c.watch.Waits).
			Msg("the clock has jumped, or the server was stopped for long; retention deletes nothing until the " +
				"server has run for a day")
	}
	if jump != 0 || c.watch.Trusted() != was || c.savedAt.IsZero() || time.Since(c.savedAt) >= saveEvery {
		k.saveWatch()
	}
	return c.watch.Trusted()
}

// saveWatch saves the watch. A failure has one effect: after a restart the server waits longer until it trusts the
// clock.
func (k *Keeper) saveWatch() {
	k.cleaner.savedAt = time.Now()
	if err := k.cfg.Retention.Save(k.cleaner.watch); err != nil {
		k.log.Warn().Err(err).Msg("retention.json could not be written")
	}
}

// wall returns the present time of the wall clock.
func (k *Keeper) wall() world.Time {
	now := time.Now
	if k.cfg.Retention.Clock != nil {
		now = k.cfg.Retention.Clock
	}
	return world.TimeOf(now())
}

// Clean runs one retention pass, or with o.DryRun reports what a pass would do. If the pass fails in a realm or for a
// conversation, it continues and the report has the error. Clean returns an error only if the pass did not begin or
// was cut short. If ctx ends or the keeper stops, the pass ends before the next batch of conversations.
func (k *Keeper) Clean(ctx context.Context, o PassOptions) (*retention.Report, error) {
	if k.cfg.Retention == nil {
		return nil, errors.New("this server is configured without retention")
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
	k.loops.Add(1) // counted so that Stop waits for the pass
	k.mu.Unlock()
	defer k.loops.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(k.ctx, cancel)()
	policy, err := k.cfg.Retention.Policy()
	if err != nil {
		return nil, fmt.Errorf("read the limits of retention: %w", err)
	}
	watch := k.observeClock()
	if !o.DryRun {
		k.checkClock()
		watch = k.cleaner.watch
	}
	trusted := k.cleaner.loadErr == nil && watch.Trusted()
	p := &pass{PassOptions: o, k: k, policy: policy, watch: watch, now: watch.SeenAt, left: maxActs}
	p.report = retention.Report{At: p.now, DryRun: o.DryRun, Realms: []retention.Realm{}}
	if !trusted && !o.Force {
		p.report.Waits = fmt.Sprintf("The clock has jumped, or it is unknown how long the server was stopped. Nothing is "+
			"deleted until the server has run for another %s.", watch.Waits.Round(time.Minute))
		if k.cleaner.loadErr != nil {
			p.report.Waits = "The state of the clock cannot be read, so nothing is deleted."
		}
		p.DryRun = true
	}
	names := k.cfg.Store.Tenants()
	if o.Tenant != "" {
		names = []string{o.Tenant}
	}
	for _, name := range names {
		t, err := k.Tenant(name)
		if err != nil {
			return nil, err
		}
		realms, _ := t.store.Realms()
		for _, info := range realms {
			if ctx.Err() != nil {
				return &p.report, context.Cause(ctx)
			}
			p.realm(ctx, t, info)
		}
	}
	if !slices.ContainsFunc(p.report.Realms, func(r retention.Realm) bool { return r.Due > 0 }) {
		p.report.Waits = "" // no conversation is due, so the report names no reason to wait
	}
	if !p.DryRun && o.Tenant == "" && !p.report.More {
		k.cleaner.passedAt = time.Now() // without this, clean would begin the next pass after checkEvery already
	}
	if !p.DryRun {
		k.cleaner.watch.PassedAt = p.now
		k.saveWatch()
	}
	return &p.report, nil
}

// pass is the state of the retention pass that is running.
type pass struct {
	PassOptions
	k      *Keeper
	policy retention.Policy
	watch  retention.Watch
	now    world.Time
	left   int // number of conversations that the pass may still mark or delete
	report retention.Report
}

// realm runs the pass in one realm. It finds the due conversations without opening the realm, and opens the
// realm only if there are any.
func (p *pass) realm(ctx context.Context, t *Tenant, info wire.RealmInfo) {
	out := retention.Realm{Tenant: t.name, RealmID: info.ID, Name: info.Name, Items: []retention.Item{}}
	problem := func(err error) {
		p.k.log.Error().Err(err).EmbedObject(t.key(info.ID)).
			Msg("retention failed in this realm; the pass continues")
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
	p.noteFutureTimes(heads)
	items := retention.Plan(heads, p.policy, p.watch, p.now)
	out.Conversations, out.Next = len(heads), retention.Soonest(heads, p.policy, p.watch, p.now)
	out.Items = append(out.Items, items[:min(len(items), retention.MaxItems)]...)
	var due []retention.Item
	for _, it := range items {
		if it.Act != retention.Keep {
			due = append(due, it)
		}
	}
	if out.Due = len(due); p.DryRun || len(due) == 0 {
		return
	}
	if len(due) > p.left {
		due, p.report.More = due[:p.left], true
	}
	if !p.k.cfg.Still && t.k.get(t.key(info.ID)) == nil && t.continues(info) {
		problem(errors.New("skipped, because opening this realm would resume its process"))
		return
	}
	p.left -= len(due)
	if err := t.visit(ctx, info.ID, func(r *realm.Realm) {
		for _, batch := range batches(due) {
			done, err := p.act(ctx, r, batch)
			if errors.Is(err, watch.ErrStopped) { // the realm r was closed meanwhile, because its journal is damaged
				if again, oerr := t.Open(ctx, info.ID); oerr == nil {
					r = again
					done, err = p.act(ctx, r, batch)
				}
			}
			if err != nil {
				done += p.actOneByOne(ctx, r, batch, err, problem)
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
		p.k.log.Info().EmbedObject(t.key(info.ID)).Int("marked", out.Marked).Int("deleted", out.Deleted).
			Msg("retention marked conversations as abandoned or deleted conversations")
	}
}

// actOneByOne is called after act has failed with err for a batch. It calls act for each item alone, so that an error
// of one conversation does not prevent the act for the others. It passes errors to problem, and returns the number of
// conversations that were marked or deleted.
func (p *pass) actOneByOne(ctx context.Context, r *realm.Realm, batch []retention.Item, err error,
	problem func(error)) (done int) {
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

// noteFutureTimes finds conversations whose time is in the future: they were written while the clock was ahead, and
// would be kept too long. It records in the watch that the clock was set back since. It does nothing if the clock is
// not trusted.
func (p *pass) noteFutureTimes(heads []retention.Head) {
	if !p.watch.Trusted() {
		return
	}
	for _, h := range heads {
		p.watch = p.watch.ObserveDate(max(h.UpdatedAt, h.EndedAt), p.now)
	}
	if !p.DryRun {
		p.k.cleaner.watch.Jumps = p.watch.Jumps // Clean saves it
	}
}

// batches splits the due items into batches for act. A batch has at most atOnce items: only deletions, or only marks
// of conversations of one kind.
func batches(due []retention.Item) (out [][]retention.Item) {
	by := map[string][]retention.Item{}
	for _, it := range due {
		key := "" // the key of deletions; the key of marks is the kind
		if it.Act == retention.Abandon {
			key = it.Kind
		}
		by[key] = append(by[key], it)
	}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		out = slices.AppendSeq(out, slices.Chunk(by[key], atOnce))
	}
	return out
}

// act marks or deletes the conversations of a batch and returns how many conversations it has marked or deleted. If
// ctx has ended, it does nothing.
func (p *pass) act(ctx context.Context, r *realm.Realm, batch []retention.Item) (done int, err error) {
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
	case ctx.Err() != nil: // the server stops; the next pass tries these conversations again
		return 0, nil
	case len(batch) == 1 && (errors.Is(err, erasure.ErrNotSilent) || errors.Is(err, world.ErrNoConversation)):
		return 0, nil // a conversation has changed since the pass read it, so it is not due any more
	}
	return 0, err
}

// heads reads what retention needs to know about each conversation of a realm. If the realm is closed, heads holds
// Keeper.ops while it reads, because the realm must not be opened while TenantStore.Heads reads it.
func (t *Tenant) heads(ctx context.Context, id string) ([]retention.Head, error) {
	t.k.ops.Lock()
	if t.k.get(t.key(id)) != nil {
		t.k.ops.Unlock()
		return t.store.Heads(ctx, id)
	}
	defer t.k.ops.Unlock()
	return t.store.Heads(ctx, id)
}

// visit calls the function do with the realm. If the realm was closed, visit opens it before and closes it
// afterwards, unless a viewer or a run needs it by then.
func (t *Tenant) visit(ctx context.Context, id string, do func(*realm.Realm)) error {
	t.k.ops.Lock()
	was := t.k.get(t.key(id)) != nil
	// Once the keeper stops, its context has an error, and no realm is opened any more.
	r, err := (*realm.Realm)(nil), t.k.ctx.Err()
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
