package realm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/kind"
	"agentdungeon/server/realm/commit"
	"agentdungeon/server/realm/doors"
	"agentdungeon/server/realm/erasure"
	"agentdungeon/server/realm/place"
	"agentdungeon/server/realm/watch"
	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Config has the arguments of Start.
type Config struct {
	Saved   world.Saved
	Journal Journal
	Files   Files
	// Kinds has the kinds of conversations. The realm calls their plans in the order of the slice.
	Kinds     []kind.Registration
	Templates kind.Templates
	// Teams has the teams of parties; nil stands for the embedded ones.
	Teams   kind.Teams
	Drivers driver.Drivers
	Folder  Folder // nil means that forges offer only what the map shows of the repository
	// Wall returns the time of the wall clock, for events and frames; nil stands for the machine's clock.
	Wall func() time.Time
	// Zone is the time zone of times in titles; nil stands for the server's time zone (S2-12).
	Zone *time.Location
	Log  zerolog.Logger
	// Pace replaces the pace in the realm's settings; "" replaces nothing.
	Pace string
	// Summary is called with the realm's row of realm:list when that row may have changed. The caller is a
	// goroutine of the realm. Summary must not call the realm.
	Summary func(wire.RealmInfo)
	// RingLimits limits the frames in the ring; zero stands for ring.DefaultLimits.
	RingLimits ring.Limits
	// OutboxLimits limits the events that wait for the disk; zero stands for commit.DefaultLimits.
	OutboxLimits commit.Limits
	// Eraser carries out erasures. If it is nil, Erase fails.
	Eraser erasure.Eraser
	// Damaged is called if an erasure has found damage in the journal that only a new opening of the realm repairs. The
	// caller is a goroutine of the realm. The function must make the realm's owner close the realm and open it again,
	// and must not wait for that. If Damaged is nil, such an erasure fails.
	Damaged func(error)
	// Rescuer writes the realm to another folder if the realm's own folder was taken away; nil for no rescue.
	Rescuer Rescuer
	// Still is set if the realm is opened only for retention or an erasure, and not for people. Plans and walks then do
	// not continue. The next opening without Still resumes what was interrupted.
	Still bool
}

// inboxSize is the maximum number of messages in the inbox. While the inbox is full, Submit returns
// rate_limited, and the other methods wait.
const inboxSize = 1024

// Realm is the handle of a running actor. Its methods are safe for concurrent use.
type Realm struct {
	id   string
	ring *ring.Ring
	log  zerolog.Logger

	inbox chan any // messages for the actor
	stop  chan struct{}
	done  chan struct{}
	once  sync.Once
	// abandon is closed when the caller of Stop no longer waits for the disk.
	abandon     chan struct{}
	abandonOnce sync.Once
	rescuing    atomic.Bool // the realm is being written to another folder and ends after that

	journal Journal
	tables  *erasure.Tables
	erased  atomic.Pointer[[]string] // the ids of erased persons
	rooms   place.Rooms
	feed    *watch.Feed
	imports imports
	doors   doors.Waits
	ears    doors.Ears

	head    commit.Position
	stats   atomic.Pointer[Stats]
	unshown atomic.Int64
	stopErr error        // set before done is closed; read stopErr only after done is closed
	last    *world.World // the result of Last
}

// Stats says whether the realm is in use.
type Stats struct {
	Viewers int
	Running bool // a process, paused or not, a council or a party is active
	Busy    bool // a turn or an erasure is under way, or an event waits for its commit
	// Failing is the message of save:status while the last commit has failed and is repeated, else "".
	Failing string
}

// ID returns the realm's id.
func (r *Realm) ID() string { return r.id }

// Position returns the epoch and the seq of the last committed event.
func (r *Realm) Position() (epoch string, seq int64) { return r.head.Get() }

// Stats returns the stats as of the end of the actor's last step.
func (r *Realm) Stats() Stats { return *r.stats.Load() }

// Settled waits until the actor has ended its present step, the realm has ended or ctx ends, and then returns
// the stats. The stats include the effects of every command whose answer the caller has got.
func (r *Realm) Settled(ctx context.Context) Stats {
	reply := make(chan struct{}, 1)
	_, _ = call(ctx, r, settledMsg{reply}, reply) // the error is dropped: the stats below are the newest in any case
	return r.Stats()
}

type settledMsg struct{ reply chan<- struct{} }

// Person is the sender of a command.
type Person = kind.Person

// Input is a command for the realm. The viewer To gets the answer; To may be nil.
type Input struct {
	From      Person
	RequestID string
	Command   wire.Command
	To        *watch.Viewer

	outcome chan<- error // gets nil or the refusal, and has room for one value; nil if the caller does not wait
	met     kind.Met     // what was read for the command
	seq     int64        // seq of the first event that the command has led to; 0 for none
	resent  bool         // a copy of this command was sent before and waits; this copy is decided after it
}

// Submit passes a command to the realm and never blocks. It returns rate_limited if the inbox is full, and
// not_ready if the realm has closed. A refusal by the command's rule goes to in.To.
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

// SetSurvey passes a new survey of the linked folder to the realm, with its changes since the last survey. It
// blocks while the inbox is full.
func (r *Realm) SetSurvey(s *dungeon.Survey, c dungeon.Change) { r.send(surveyMsg{s, c}) }

type surveyMsg struct {
	survey *dungeon.Survey
	change dungeon.Change
}

// Summon makes the oracle join the realm, unless the realm has a process (S3-07). The oracle is the member that
// people meet in a realm without a process.
func (r *Realm) Summon() { r.send(summonMsg{}) }

type summonMsg struct{}

// SetBoard sets note, a sentence for people about a problem with the copy of the findings outside this server,
// or "" for no problem. All viewers get it. SetBoard blocks while the inbox is full.
func (r *Realm) SetBoard(note string) { r.send(boardMsg{note}) }

type boardMsg struct{ note string }

// send sends a message to the actor. If the realm has closed, it does nothing.
func (r *Realm) send(msg any) {
	select {
	case r.inbox <- msg:
	case <-r.done:
	}
}

// call sends a message to the actor and waits for its reply. The channel reply must have room for one value.
// The error is watch.ErrStopped or the cause of ctx.
func call[T any](ctx context.Context, r *Realm, msg any, reply <-chan T) (got T, err error) {
	select {
	case r.inbox <- msg:
	case <-r.done:
		return got, watch.ErrStopped
	case <-ctx.Done():
		return got, context.Cause(ctx)
	}
	select {
	case got = <-reply:
		return got, nil
	case <-ctx.Done():
		return got, context.Cause(ctx)
	case <-r.done:
	}
	select {
	case got = <-reply: // the actor sent the reply before the realm ended
		return got, nil
	default:
		return got, watch.ErrStopped
	}
}

// Stop decides the commands that were submitted before it, interrupts all runs, saves the world and closes the
// realm. unshown is the number of events that could not be committed. ctx limits the wait for the disk;
// commit.RescueTime limits the wait for a rescue.
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

// Done returns a channel that is closed when the realm has ended.
func (r *Realm) Done() <-chan struct{} { return r.done }

// Last returns the final world of the realm, which the caller must not modify. It returns nil before the realm
// has ended, and also afterwards if some events were not committed.
func (r *Realm) Last() *world.World {
	select {
	case <-r.done:
		return r.last
	default:
		return nil
	}
}

// Land returns the realm's land: the map of the linked folder, the rooms and the overworld. The caller must not
// modify it.
func (r *Realm) Land() *world.Land { return r.rooms.Land() }

// File returns a file that the map shows, and where the map is from (world.Map.Source). It returns a *wire.Error if the
// map does not show the file, or not_ready before the first survey.
func (r *Realm) File(path string) (dungeon.Entry, string, error) { return r.rooms.File(path) }

// Find returns the files and folders on the map that match text (P19.8). It returns a *wire.Error not_ready before the
// first survey.
func (r *Realm) Find(ctx context.Context, text string) (*wire.FilesFound, error) {
	return r.rooms.Find(ctx, text)
}

// showRoom answers the command map:room in the caller's goroutine, without the actor.
func (r *Realm) showRoom(cmd *wire.MapRoom, in Input) *wire.Error {
	if in.To == nil {
		return nil
	}
	change, err := r.rooms.Room(cmd.Path, cmd.Page)
	var frame []byte
	if err == nil {
		change.RequestID = in.RequestID
		frame, err = wire.Encode(change)
	}
	if err != nil {
		if refusal := (*wire.Error)(nil); errors.As(err, &refusal) {
			return refusal
		}
		r.log.Error().Err(err).Str("realm", r.id).Msg("a room could not be made")
		return wire.Errorf(wire.Internal, "the room could not be made")
	}
	in.To.Send(frame)
	return nil
}

// Erased reports whether the person with that id was erased in this realm.
func (r *Realm) Erased(spectatorID string) bool {
	gone := r.erased.Load()
	return gone != nil && slices.Contains(*gone, spectatorID)
}

func (r *Realm) noteErased(ids []string) {
	ids = slices.Clone(ids)
	r.erased.Store(&ids)
}
