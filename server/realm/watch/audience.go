package watch

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/ring"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Audience holds the viewers of a realm. Only the realm's actor uses it.
type Audience struct {
	realmID string
	feed    *Feed
	log     zerolog.Logger

	viewers map[uint64]wire.Spectator // by the viewer's id; the gate limits their number
	last    uint64                    // the newest viewer's id
	left    []wire.Left               // holders of roles that have left, the latest last; at most wire.MaxLeft
	list    spectatorList
	listDue time.Time // when List must be called; see ListDue
	listMax time.Time // the latest time for listDue

	recent     recent
	state      *State // the newest world:state, nil for none
	unreadable int64  // positions before this seq get a snapshot, because the journal cannot be read after them
	shared     bool   // whether spectators see what is private; see Share
	// switched is the seq of the event that last changed what spectators may see, 0 for none. A spectator whose position
	// is not after it gets a snapshot.
	switched int64
}

// NewAudience returns an audience without viewers.
func NewAudience(realmID string, feed *Feed, log zerolog.Logger) *Audience {
	a := &Audience{realmID: realmID, feed: feed, log: log, viewers: map[uint64]wire.Spectator{}}
	a.list = a.encodeList()
	return a
}

// Open sets what spectators may see from the opening on. head is the seq of the last event. If the setting shadowsFor
// has ever been set, it is unknown what spectators could see before, so one with a position up to head gets a snapshot.
func (a *Audience) Open(s *world.Settings, head int64) {
	a.shared = s.Shared()
	if a.Commit(); s.ShadowsFor != "" {
		a.switched = head
	}
}

// Share sets what spectators may see from the event seq on (P17.16). If they may see less, this holds at once; if they
// may see more, it holds from the caller's call of Commit, once the event is durable.
func (a *Audience) Share(s *world.Settings, seq int64) {
	if s.Shared() == a.shared {
		return
	}
	a.shared, a.switched = s.Shared(), seq
	if !a.shared {
		a.Commit()
	}
}

// Commit lets spectators see what the last Share has set.
func (a *Audience) Commit() { a.feed.Share(a.shared) }

// Changes of the list of spectators are collected, and the list is sent after a quiet time without a change. The quiet
// time is ListEvery, and ListEvery more for each ListCrowd viewers. If changes go on, the list is sent after ListMost
// quiet times. Without this, the cost of many changes would grow with the square of the number of viewers.
const (
	ListEvery = 250 * time.Millisecond
	ListCrowd = 1000
	ListMost  = 4
)

// spectatorList is a list of spectators with its encoding.
type spectatorList struct {
	list  *wire.SpectatorList
	frame []byte
}

// Snapshot is a world that a viewer can get as a frame. Frame is safe for concurrent use.
type Snapshot interface {
	Seq() int64
	// Frame returns the world:state frame for a client with the access sight.
	Frame(sight world.Sight) ([]byte, error)
}

// Start has the data from which the first frames of a viewer are made: the frame welcome, a replay or a snapshot, and
// the overlays and notices in Live.
type Start struct {
	History
	MapGeneration int64
	Reason        string   // why the viewer gets a snapshot; "" for a replay from Pos
	Pos           Position // up to where in the journal the client knows the world
	Snapshot      Snapshot // nil for a replay
	MapShown      *int64   // the generation of the map that the client shows before Live, nil if it has not said it
	Live
}

// Live has the frames that a viewer gets after the replay or snapshot and before live frames. Overlays has the words
// of open rows.
type Live struct {
	Overlays []byte
	Map      []byte   // map:changed with the present map, nil if the client shows that map or has not said which one
	Notices  [][]byte // process:turn and save:status
}

// Attach adds a viewer, which then gets the frames that m describes and all later frames, and returns it.
func (a *Audience) Attach(m Start, now time.Time) *Viewer {
	a.last++
	v := &Viewer{feed: a.feed, id: a.last, ready: make(chan struct{}, 1), sight: a.feed.sight(m.Pos.Public)}
	a.viewers[v.id] = wire.Spectator{}
	a.Begin(v, m)
	a.listSoon(now)
	v.at.Store(catchingUp)
	a.feed.ring.Subscribe(v.ready, &v.at, v.overtaken)
	v.Wake()
	return v
}

// Begin sets the first frames of a viewer: the welcome, then a replay or a snapshot as m says.
func (a *Audience) Begin(v *Viewer, m Start) {
	a.Place(v, m.Head, m.Live)
	welcome := &wire.Welcome{RealmID: &a.realmID, Epoch: &m.Epoch, To: v.to, MapGeneration: m.MapGeneration}
	if m.Reason == "" {
		welcome.Continuity = wire.ContinuityReplay
		v.from = *m.Pos.LastSeq
	} else {
		welcome.Continuity, welcome.Reason = wire.ContinuitySnapshot, m.Reason
		v.from, v.world = m.Snapshot.Seq(), m.Snapshot
	}
	welcome.From = v.from + 1
	v.welcome = Encode(a.log, welcome)
	v.mapShown = m.MapShown
}

// MapShown returns the generation of the map that the client shows before the frames of Live, or nil if the client has
// not said it.
func (v *Viewer) MapShown() *int64 { return v.mapShown }

// Place moves a viewer to the present end of the ring, from where it gets live frames. head is the last event before
// that place.
func (a *Audience) Place(v *Viewer, head int64, live Live) {
	v.index, _ = a.feed.ring.Head()
	v.to = head
	v.tail = [][]byte{live.Overlays}
	if live.Map != nil {
		v.tail = append(v.tail, live.Map)
	}
	v.tail = append(append(v.tail, a.list.frame), live.Notices...)
}

// Behind reports whether a viewer has not got the event seq yet.
func (v *Viewer) Behind(seq int64) bool { return v.from < seq }

// Identify sets the spectator of a viewer. It ignores a viewer that has left.
func (a *Audience) Identify(viewer uint64, who wire.Spectator, now time.Time) {
	if was, ok := a.viewers[viewer]; ok {
		who.Path, who.Line = was.Path, was.Line
		a.viewers[viewer] = who
		a.listSoon(now)
	}
}

// Look sets the file that the spectator of a viewer has open (P19.5).
func (a *Audience) Look(v *Viewer, at *wire.FileOpen, now time.Time) {
	if who, ok := a.viewers[v.id]; ok {
		who.Path, who.Line = at.Path, at.Line
		a.viewers[v.id] = who
		a.listSoon(now)
	}
}

// Leave removes a viewer. holds reports whether a spectator holds a role, so that others may wait for them.
func (a *Audience) Leave(viewer uint64, now time.Time, holds func(spectatorID string) bool) {
	who, ok := a.viewers[viewer]
	if !ok {
		return
	}
	delete(a.viewers, viewer)
	if who.SpectatorID != "" && holds(who.SpectatorID) {
		a.left = slices.DeleteFunc(a.left, func(l wire.Left) bool { return l.SpectatorID == who.SpectatorID })
		a.left = append(a.left, wire.Left{SpectatorID: who.SpectatorID, At: world.TimeOf(now)})
		a.left = a.left[max(0, len(a.left)-wire.MaxLeft):]
	}
	a.listSoon(now)
}

func (a *Audience) listSoon(now time.Time) {
	quiet := ListEvery * time.Duration(1+len(a.viewers)/ListCrowd)
	if a.listDue.IsZero() {
		a.listMax = now.Add(ListMost * quiet)
	}
	if a.listDue = now.Add(quiet); a.listDue.After(a.listMax) {
		a.listDue = a.listMax
	}
}

// Len returns the number of viewers.
func (a *Audience) Len() int { return len(a.viewers) }

// Present reports whether a spectator has any viewer.
func (a *Audience) Present(spectatorID string) bool { return len(a.Names(spectatorID)) > 0 }

// Names returns the names of a spectator at all of the spectator's viewers.
func (a *Audience) Names(spectatorID string) []string {
	var out []string
	for _, p := range a.viewers {
		if p.SpectatorID == spectatorID {
			out = append(out, p.Name)
		}
	}
	return out
}

// Forget removes erased people from the viewers. It returns the new spectator:list.
func (a *Audience) Forget(erased func(spectatorID string) bool) (list []byte) {
	for id, p := range a.viewers {
		if p.SpectatorID != "" && erased(p.SpectatorID) {
			a.viewers[id] = wire.Spectator{Role: p.Role}
		}
	}
	a.left = slices.DeleteFunc(a.left, func(l wire.Left) bool { return erased(l.SpectatorID) })
	a.list = a.encodeList()
	return a.list.frame
}

// ListDue returns when List must be called, zero for never.
func (a *Audience) ListDue() time.Time { return a.listDue }

// List returns the encoded spectator:list, or nil if the list has not changed.
func (a *Audience) List() []byte {
	a.listDue = time.Time{}
	list := a.encodeList()
	if bytes.Equal(list.frame, a.list.frame) {
		return nil
	}
	a.list = list
	return list.frame
}

// Spectators returns the spectators of the last spectator:list. The caller must not modify the result.
func (a *Audience) Spectators() []wire.Spectator { return a.list.list.Spectators }

// encodeList returns the spectators that are present, in the order in which they came, the number of viewers that have
// not said who they are, and the holders of roles who have left.
func (a *Audience) encodeList() spectatorList {
	list := &wire.SpectatorList{Spectators: []wire.Spectator{}}
	seen := map[string]int{} // the index in the list, by spectatorId
	for _, id := range slices.Sorted(maps.Keys(a.viewers)) {
		p := a.viewers[id]
		if p.SpectatorID == "" {
			list.Unnamed++
			continue
		}
		if at, twice := seen[p.SpectatorID]; twice {
			// If two windows of a person show a file, the file of the newer window is listed.
			if p.Path != "" && at < len(list.Spectators) {
				list.Spectators[at].Path, list.Spectators[at].Line = p.Path, p.Line
			}
			continue
		}
		seen[p.SpectatorID] = list.Count
		list.Count++
		if len(list.Spectators) < wire.MaxSpectators {
			list.Spectators = append(list.Spectators, p)
		}
	}
	for _, l := range a.left {
		if _, here := seen[l.SpectatorID]; !here {
			list.Left = append(list.Left, l)
		}
	}
	return spectatorList{list: list, frame: Encode(a.log, list)}
}

// Show sends frames to all viewers, in order.
func (a *Audience) Show(frames ...ring.Item) { a.feed.ring.Append(frames...) }

// Saw stores an event for Recent if clients show events of this type between the rows of a transcript.
func (a *Audience) Saw(frame ring.Item) { a.recent.saw(frame) }

// Recent returns the events that Saw has stored, up to seq, the oldest first. Snapshots contain them.
func (a *Audience) Recent(seq int64) []json.RawMessage { return a.recent.upTo(seq) }

// Mark returns the index that the next frame will have in the ring. Erased takes such an index; Outbox.Flush uses it
// to place replies between frames.
func (a *Audience) Mark() uint64 {
	mark, _ := a.feed.ring.Head()
	return mark
}

// Passed returns a channel that is closed once all live viewers have got the frames that were shown so far. A later
// call replaces an earlier one, whose channel is then never closed.
func (a *Audience) Passed() <-chan struct{} { return a.feed.ring.Passed(a.Mark()) }

// Erased removes from the ring all frames before mark, an index of the ring. seq is the seq of history:erased. A
// viewer that has not got all of those frames is cut; its client reconnects and gets a snapshot.
func (a *Audience) Erased(mark uint64, seq int64, scope world.Scope) {
	a.feed.ring.Forget(mark)
	a.feed.erased.Store(seq)
	a.recent.redact(scope)
	a.state = nil
}

// Encode returns the encoded frame. It calls the function Encode, which logs an error to the realm's log.
func (a *Audience) Encode(f wire.Frame) []byte { return Encode(a.log, f) }

// Encode returns the encoded frame. Frames of package wire never cause an error; an error is logged, and
// clients ignore the result.
func Encode(log zerolog.Logger, f wire.Frame) []byte {
	b, err := wire.Encode(f)
	if err != nil {
		log.Error().Err(err).Str("frame", f.FrameType()).Msg("a frame could not be encoded")
		return []byte(`{"type":"` + f.FrameType() + `"}`)
	}
	return b
}
