package realm

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/place"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Config is what a realm is started with.
type Config struct {
	Saved   world.Saved
	Journal Journal
	Files   Files
	// Kinds of conversations that there are, in the order in which their plans are asked.
	Kinds     []kind.Registration
	Templates kind.Templates
	// Teams of parties; nil means the embedded ones.
	Teams   kind.Teams
	Drivers driver.Drivers
	Folder  Folder // nil: forges offer what the map shows of the repository, no more
	// Wall is the wall clock, which times are told by; nil is the machine's.
	Wall func() time.Time
	// Zone is where the times in titles are told; nil is the server's own (S2-12).
	Zone *time.Location
	Log  zerolog.Logger
	// Pace overrides the realm's setting for this life of the server; "" does not.
	Pace string
	// Summary is told the realm's row of realm:list whenever it may have changed,
	// from a goroutine of the realm. It must not call the realm.
	Summary func(wire.RealmInfo)
	// RingLimits bound the frames kept in memory; zero is ring.DefaultLimits.
	RingLimits ring.Limits
	// OutboxLimits bound what may wait for a disk that does not answer; zero is
	// commit.DefaultLimits.
	OutboxLimits commit.Limits
	// Eraser does erasures; nil: nothing can be erased.
	Eraser erasure.Eraser
	// Damaged is told that an erasure met damage in the journal that only another opening
	// mends, from a goroutine of the realm: whoever has the realm closes it and opens it
	// again. It must not wait for the realm. nil: the erasure is cut short (not_ready).
	Damaged func(error)
	// Rescuer writes the realm elsewhere where its folder was taken away; nil: nothing does.
	Rescuer Rescuer
	// Still has nothing go on by itself: the realm was opened for its keeping, not for
	// people. What was interrupted waits for the next opening.
	Still bool
}

// inboxSize bounds the inbox: a full one answers rate_limited to commands; attaching and presence
// wait.
const inboxSize = 1024

// Realm is a running actor. Its methods are safe from any goroutine.
type Realm struct {
	id   string
	ring *ring.Ring
	log  zerolog.Logger

	inbox  chan any // gate and keeper in
	stop   chan struct{}
	done   chan struct{}
	intake intake
	once   sync.Once
	// abandon ends the wait of a stop for a disk that does not answer.
	abandon     chan struct{}
	abandonOnce sync.Once
	rescuing    atomic.Bool // a rescue has begun; it ends before the realm does

	journal Journal
	tables  *erasure.Tables
	erased  atomic.Pointer[[]string] // ids; see Erased
	rooms   place.Rooms
	feed    *watch.Feed

	head    commit.Position
	stats   atomic.Pointer[Stats]
	unshown atomic.Int64
	stopErr error        // after done
	last    *world.World // after done; nil where not all of it was committed
}

// Stats is what the keeper may ask of a realm at any time.
type Stats struct {
	Viewers int
	Running bool // a process is on, paused ones included, a council, or a party that is active
	Busy    bool // a turn is under way or something waits for its commit
}

// Start begins the actor: the new line's first events, then the process where it
// stood. It returns at once; what it restored is shown when it is committed.
func Start(cfg Config) *Realm {
	if cfg.RingLimits == (ring.Limits{}) {
		cfg.RingLimits = ring.DefaultLimits
	}
	if cfg.OutboxLimits == (commit.Limits{}) {
		cfg.OutboxLimits = commit.DefaultLimits
	}
	r := &Realm{
		id: cfg.Saved.Realm.ID, log: cfg.Log, journal: cfg.Journal, tables: erasure.NewTables(cfg.Journal),
		inbox: make(chan any, inboxSize),
		stop:  make(chan struct{}), done: make(chan struct{}), intake: newIntake(), abandon: make(chan struct{}),
	}
	r.head.Set(cfg.Saved.Epoch, cfg.Saved.Head)
	r.stats.Store(&Stats{})
	a := newActor(r, cfg)
	go a.run()
	return r
}

// ID of the realm.
func (r *Realm) ID() string { return r.id }

// Position is the committed head: what has been shown.
func (r *Realm) Position() (epoch string, seq int64) {
	return r.head.Get()
}

// Stats as of the last turn of the actor.
func (r *Realm) Stats() Stats { return *r.stats.Load() }

// Settled is Stats with everything in it that the realm has answered by now: an answer
// leaves the actor within a turn, and Stats are told at its end. Of a realm that has ended,
// and once ctx is over, they are the last ones.
func (r *Realm) Settled(ctx context.Context) Stats {
	reply := make(chan struct{}, 1)
	if r.ask(ctx, settledMsg{reply}) == nil {
		select {
		case <-reply:
		case <-r.done:
		case <-ctx.Done():
		}
	}
	return r.Stats()
}

// Person is who sends an input or sits at a viewer.
type Person = kind.Person

// Input is a command from a person. To gets the direct replies and may be nil.
type Input struct {
	From      Person
	RequestID string
	Command   wire.Command
	To        *watch.Viewer

	told   chan<- error // hears the outcome, nil for nobody; holds one
	met    kind.Met     // what was read for it
	seq    int64        // of the first event that it has led to already, 0 for none
	resent bool         // the same command waits already: it is decided after that one
}

// Submit hands in a command and never blocks. Its errors are those of the way in:
// a full inbox is rate_limited, a closed realm not_ready; what the rules say comes
// to the viewer as an error frame.
func (r *Realm) Submit(in Input) *wire.Error {
	if room, ok := in.Command.(*wire.MapRoom); ok {
		return r.showRoom(room, in)
	}
	select {
	case <-r.done:
		return wire.Errorf(wire.NotReady, "this realm has just closed; try again")
	default:
	}
	select {
	case r.inbox <- in:
		return nil
	default:
		return wire.Errorf(wire.RateLimited, "too much at once; try again in a moment")
	}
}

// SetSurvey gives the realm what its folder looks like now and how that differs
// from before; the old one is served until then. It blocks while the inbox is full.
func (r *Realm) SetSurvey(s *dungeon.Survey, c dungeon.Change) {
	select {
	case r.inbox <- surveyMsg{s, c}:
	case <-r.done:
	}
}

// Summon puts the oracle on the map of a realm that a person opened and that has
// no process (S3-07).
func (r *Realm) Summon() {
	select {
	case r.inbox <- summonMsg{}:
	case <-r.done:
	}
}

// Stop ends runs as interrupted, saves everything with the cast still in the
// world, and closes. It returns how many events were never shown: 0 after a clean
// stop. ctx bounds the wait for a disk that does not answer; a rescue that is under way is
// waited for beyond it.
func (r *Realm) Stop(ctx context.Context) (unshown int, err error) {
	r.once.Do(func() { close(r.stop) })
	select {
	case <-r.done:
		return int(r.unshown.Load()), r.stopErr
	case <-ctx.Done():
		r.abandonOnce.Do(func() { close(r.abandon) })
		if r.rescuing.Load() {
			select {
			case <-r.done:
			case <-time.After(commit.RescueTime):
			}
		}
		return int(r.unshown.Load()), context.Cause(ctx)
	}
}

// Done is closed when the realm has ended.
func (r *Realm) Done() <-chan struct{} { return r.done }

// Last is the world as a realm that has ended left it, all of it committed; nil before
// Done is closed, and for one whose end was not committed. It is not to be changed.
func (r *Realm) Last() *world.World {
	select {
	case <-r.done:
		return r.last
	default:
		return nil
	}
}

// refusal is what a person is told of a room that cannot be shown.
func (r *Realm) refusal(err error) *wire.Error {
	if known := (*wire.Error)(nil); errors.As(err, &known) {
		return known
	}
	r.log.Error().Err(err).Str("realm", r.id).Msg("make a room")
	return wire.Errorf(wire.Internal, "the room could not be made")
}

// Land is what the realm knows of its linked folder now. It is not to be changed.
func (r *Realm) Land() *world.Land { return r.rooms.Land() }

func (r *Realm) showRoom(cmd *wire.MapRoom, in Input) *wire.Error {
	if in.To == nil {
		return nil
	}
	change, err := r.rooms.Room(cmd.Path, cmd.Page)
	if err != nil {
		return r.refusal(err)
	}
	change.RequestID = in.RequestID
	frame, err := wire.Encode(change)
	if err != nil {
		r.log.Error().Err(err).Str("realm", r.id).Msg("encode a room")
		return wire.Errorf(wire.Internal, "the room could not be made")
	}
	in.To.Send(frame)
	return nil
}

// clock is time.Now; synctest bubbles fake it.
func clock() time.Time { return time.Now() }
