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

// Audience is who watches a realm and what has been shown to them. Only the realm's actor
// uses it.
type Audience struct {
	realmID string
	feed    *Feed
	log     zerolog.Logger

	viewers map[uint64]wire.Spectator // as many as the gate lets in
	last    uint64                    // viewer's id
	list    spectatorList
	listDue time.Time // when the list is told that has changed; zero: it has not

	recent     recent
	state      *State // the newest world:state, for all who come; nil for none
	unreadable int64  // a replay from before it cannot be read: see Unread
}

// NewAudience of nobody.
func NewAudience(realmID string, feed *Feed, log zerolog.Logger) *Audience {
	a := &Audience{realmID: realmID, feed: feed, log: log, viewers: map[uint64]wire.Spectator{}}
	a.list = a.encodeList()
	return a
}

// Joins and leaves are collected for ListEvery before they are told, and for as
// much again for each ListCrowd viewers: what a second of coming and going costs
// then grows with the crowd, not with its square.
const (
	ListEvery = 250 * time.Millisecond
	ListCrowd = 1000
)

// spectatorList is who is here, encoded once for all who attach until it changes.
type spectatorList struct {
	list  *wire.SpectatorList
	frame []byte
}

// Snapshot is a world as it was shown at a seq, for one viewer. Frame may be called from
// any goroutine.
type Snapshot interface {
	Seq() int64
	Frame(public bool) ([]byte, error) // world:state, if public without the realm's path
}

// Moment is what a viewer begins with.
type Moment struct {
	History
	MapGeneration int64
	// Reason of the snapshot, "" for a replay from Pos; Snapshot is there where Reason is.
	Reason   string
	Pos      Position
	Snapshot Snapshot
	Live
}

// Live is what a viewer is told once it has caught up, before what happens then.
type Live struct {
	Overlays []byte   // what is provisional
	Notices  [][]byte // whose turn it is, what is wrong with the disk
}

// Attach lets a viewer in.
func (a *Audience) Attach(m Moment) *Viewer {
	a.last++
	v := &Viewer{feed: a.feed, id: a.last, ready: make(chan struct{}, 1), public: m.Pos.Public}
	a.viewers[v.id] = wire.Spectator{}
	a.Begin(v, m)
	v.at.Store(catchingUp)
	a.feed.ring.Subscribe(v.ready, &v.at, v.overtaken)
	v.wake()
	return v
}

// Begin has a viewer begin with a replay from m.Pos or, where there is a reason, with a
// snapshot.
func (a *Audience) Begin(v *Viewer, m Moment) {
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
}

// Place fixes the moment that a viewer goes live from: the committed head, what
// is provisional then, and the ring's index.
func (a *Audience) Place(v *Viewer, head int64, live Live) {
	v.index, _ = a.feed.ring.Head()
	v.to = head
	v.tail = append([][]byte{live.Overlays, a.list.frame}, live.Notices...)
}

// Behind says whether a viewer's replay has come to seq or further.
func (v *Viewer) Behind(seq int64) bool { return v.from < seq }

// Identify says who sits at a viewer. One that has gone is passed over.
func (a *Audience) Identify(viewer uint64, who wire.Spectator, now time.Time) {
	if _, ok := a.viewers[viewer]; ok {
		a.viewers[viewer] = who
		a.tellSoon(now)
	}
}

// Leave lets a viewer go.
func (a *Audience) Leave(viewer uint64, now time.Time) {
	if _, ok := a.viewers[viewer]; ok {
		delete(a.viewers, viewer)
		a.tellSoon(now)
	}
}

// tellSoon: a thousand joins must not cost a million frames, they are told together.
func (a *Audience) tellSoon(now time.Time) {
	if a.listDue.IsZero() {
		a.listDue = now.Add(ListEvery * time.Duration(1+len(a.viewers)/ListCrowd))
	}
}

// Len is how many viewers there are.
func (a *Audience) Len() int { return len(a.viewers) }

// Present says of a spectator whether one of its connections is open.
func (a *Audience) Present(spectatorID string) bool {
	for _, p := range a.viewers {
		if p.SpectatorID == spectatorID {
			return true
		}
	}
	return false
}

// Names are those under which a spectator is here.
func (a *Audience) Names(spectatorID string) []string {
	var out []string
	for _, p := range a.viewers {
		if p.SpectatorID == spectatorID {
			out = append(out, p.Name)
		}
	}
	return out
}

// Forget makes viewers nobody whose persons were erased, and gives the list of spectators
// to tell.
func (a *Audience) Forget(erased func(spectatorID string) bool) (list []byte) {
	for id, p := range a.viewers {
		if p.SpectatorID != "" && erased(p.SpectatorID) {
			a.viewers[id] = wire.Spectator{Role: p.Role}
		}
	}
	a.list = a.encodeList()
	return a.list.frame
}

// ListDue is when List is to be asked, zero for not.
func (a *Audience) ListDue() time.Time { return a.listDue }

// List gives the list of spectators to tell, nil where it is as it was told last.
func (a *Audience) List() []byte {
	a.listDue = time.Time{}
	list := a.encodeList()
	if bytes.Equal(list.frame, a.list.frame) {
		return nil
	}
	a.list = list
	return list.frame
}

// Spectators are the newest list's. They are not to be changed.
func (a *Audience) Spectators() []wire.Spectator { return a.list.list.Spectators }

// spectators are who is here, in the order in which they came.
func (a *Audience) spectators() *wire.SpectatorList {
	list := &wire.SpectatorList{Spectators: []wire.Spectator{}}
	seen := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(a.viewers)) {
		p := a.viewers[id]
		if p.SpectatorID == "" || seen[p.SpectatorID] {
			continue
		}
		seen[p.SpectatorID] = true
		list.Count++
		if len(list.Spectators) < wire.MaxSpectators {
			list.Spectators = append(list.Spectators, p)
		}
	}
	return list
}

func (a *Audience) encodeList() spectatorList {
	list := a.spectators()
	return spectatorList{list: list, frame: Encode(a.log, list)}
}

// Show appends frames to the ring and returns the ring index of the first.
func (a *Audience) Show(frames ...ring.Item) (begin uint64) { return a.feed.ring.Append(frames...) }

// Saw keeps a durable frame for snapshots, where it stands between the rows of a transcript.
func (a *Audience) Saw(frame ring.Item) { a.recent.saw(frame) }

// Recent are those of Saw that a snapshot at seq holds, oldest first.
func (a *Audience) Recent(seq int64) []json.RawMessage { return a.recent.upTo(seq) }

// Mark is the place in the ring up to which Erased forgets.
func (a *Audience) Mark() uint64 {
	mark, _ := a.feed.ring.Head()
	return mark
}

// Erased forgets what was shown before mark, which history:erased at seq follows: viewers
// that have not had it come back for a snapshot.
func (a *Audience) Erased(mark uint64, seq int64, scope world.Scope) {
	a.feed.ring.Forget(mark)
	a.feed.erased.Store(seq)
	a.recent.redact(scope)
	a.state = nil
}

// Encode is Encode with the realm's log.
func (a *Audience) Encode(f wire.Frame) []byte { return Encode(a.log, f) }

// Encode never fails for frames of wire; if it ever did, the client would get an
// object it ignores and the log would say so.
func Encode(log zerolog.Logger, f wire.Frame) []byte {
	b, err := wire.Encode(f)
	if err != nil {
		log.Error().Err(err).Str("frame", f.FrameType()).Msg("encode a frame")
		return []byte(`{"type":"` + f.FrameType() + `"}`)
	}
	return b
}
