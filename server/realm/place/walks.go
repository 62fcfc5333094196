package place

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/kind"
	"agentdungeon/server/nav"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Walks is what members are about to do on the map. It is provisional: a restart
// loses what nobody had set out for yet; where everybody stands is in the world.
// Only the realm's actor uses it.
type Walks struct {
	rooms *Rooms
	log   zerolog.Logger
	aims  map[string]aim  // by member: where to go next; a newer one replaces it; at most one for each role
	acted map[string]bool // members of a stage that is done, whose forts grow
	posts map[string]bool // members that posted a finding
	due   time.Time       // when somebody arrives who has something to do then; zero: nobody
}

// NewWalks of members through rooms.
func NewWalks(rooms *Rooms, log zerolog.Logger) *Walks {
	return &Walks{rooms: rooms, log: log, aims: map[string]aim{}, acted: map[string]bool{}, posts: map[string]bool{}}
}

// walkEvery is the least time between two walks of a member, also where walks take
// no time: a driver that reads a thousand files makes four walks a second.
const walkEvery = 250 * time.Millisecond

// Due is when Wakes becomes true by itself, zero for never.
func (k *Walks) Due() time.Time { return k.due }

// Wakes says whether there is something to do although nothing has happened.
func (k *Walks) Wakes(now time.Time) bool {
	return len(k.aims) > 0 || !k.due.IsZero() && !now.Before(k.due)
}

// Watch keeps what an event, which w holds already, means for walks and forts; March acts
// on it in the same turn.
func (k *Walks) Watch(w *world.World, b world.Body) {
	switch b := b.(type) {
	case *world.AgentLeft:
		delete(k.aims, b.AgentID)
	case *world.AgentActivity:
		if b.Activity == world.ActivityConversing {
			k.aims[b.AgentID] = aim{kind: aimKeep}
		}
	case *world.FindingPosted:
		k.posts[b.Finding.AgentID] = true
	case *world.ProcessStarted, *world.ProcessStageRestarted:
		k.muster(w)
	case *world.ProcessAdvanced:
		k.done(w, b.FromStageID)
		k.muster(w)
	case *world.ProcessCompleted:
		if st := w.ProcessState.Stage(); st != nil {
			k.done(w, st.ID)
		}
	}
}

// muster sends the stage's members where the stage wants them: out to their forts
// or in to the keep.
func (k *Walks) muster(w *world.World) {
	st := w.ProcessState.Stage()
	if st == nil {
		return
	}
	to := aim{kind: aimKeep}
	if st.Moves() == world.MoveOutward {
		to.kind = aimHome
	}
	for _, id := range st.Acting() {
		k.aims[id] = to
	}
}

// done remembers who took a turn in a stage that has ended.
func (k *Walks) done(w *world.World, stageID string) {
	for _, role := range w.ProcessState.Cast {
		if w.ProcessState.AgentTurnCounts[stageID+":"+role.MemberID] > 0 {
			k.acted[role.MemberID] = true
		}
	}
}

// Visit sends a member to a file or a folder, by path in wire form. A path that is not on
// the map changes nothing.
func (k *Walks) Visit(member, path string) {
	if _, ok := k.rooms.lookup(path); ok {
		k.aims[member] = aim{kind: aimPath, path: path}
	}
}

// Follow sends the heroes that a person plays to the folder that the person enters.
func (k *Walks) Follow(w *world.World, spectatorID, path string) {
	for i := range w.Agents {
		if m := &w.Agents[i]; m.Kind == world.KindHuman && m.SpectatorID == spectatorID {
			k.aims[m.ID] = aim{kind: aimPath, path: path}
		}
	}
}

// Appear gives who joins the place where they stand: the one they have, else beside
// the others before the keep.
func (k *Walks) Appear(w *world.World, member *world.Agent) {
	if old := w.Agent(member.ID); old != nil {
		member.X, member.Y, member.Folder = old.X, old.Y, old.Folder
		member.Inside, member.Page, member.Walk = old.Inside, old.Page, old.Walk
		return
	}
	ground := nav.Overworld(&k.rooms.Land().Country, w.Forts, nil)
	if at, ok := ground.Stand(dungeon.KeepDoor, others(w, member.ID, "", false, 0)); ok {
		member.X, member.Y = at[0], at[1]
	}
}

// Scene is the moment in which members march.
type Scene struct {
	World *world.World // read; it changes between two events by nobody but who takes them
	Now   time.Time    // which waits go by
	At    world.Time   // of the events
	Clock world.Time   // what the wall clock says
	Pace  string       // world.PaceInstant: walks take no time
	// Playing are the members whose turns are under way; Councils the active council of
	// those who take part in one.
	Playing  map[string]bool
	Councils map[string]string
}

// SceneOf is the moment of a realm in which these members' turns are under way.
func SceneOf(r *kind.Realm, playing map[string]bool) Scene {
	s := Scene{
		World: r.World, Now: r.Clock.Now, At: r.At(), Clock: r.Clock.Wall, Pace: cmp.Or(r.Pace, r.World.Settings.Pace),
		Playing: playing, Councils: map[string]string{},
	}
	for i := range r.World.Agents {
		if m := &r.World.Agents[i]; m.Activity == world.ActivityReading {
			s.Councils[m.ID] = r.Engaged(m.ID, "")
		}
	}
	return s
}

// March gives the events by which members walk: whoever has an aim and is not on the way
// sets out, in the order of the map. Then forts grow. Each event must be folded into the
// scene's world before the next is asked for, and all must be taken.
func (k *Walks) March(s Scene) iter.Seq[world.Body] {
	return func(yield func(world.Body) bool) {
		k.due = time.Time{}
		for _, id := range memberIDs(s.World) {
			for b := range k.steps(s, id) {
				if !yield(b) {
					return
				}
			}
		}
		clear(k.acted)
		clear(k.posts)
	}
}

// steps of one member: a fort, a walk, what it is seen to do, and what its fort becomes.
func (k *Walks) steps(s Scene, id string) iter.Seq[world.Body] {
	return func(yield func(world.Body) bool) {
		give := func(b world.Body) bool { return b == nil || yield(b) }
		if !give(settleFort(s.World, s.World.Agent(id))) {
			return
		}
		if to, sets := k.next(s, id); sets {
			if !give(k.leg(s, id, to)) || to.kind == aimPath && !give(s.reads(id, to.path)) {
				return
			}
			if _, wants := k.aims[id]; wants { // it has settled first
				k.wakeAt(s, freeAt(s.World.Agent(id), s.At))
			}
		}
		_ = give(s.rests(id)) && give(k.grow(s, id))
	}
}

// next is where a member sets out for now, if it does; where it must wait for that, Due says
// when. Who has just joined settles first.
func (k *Walks) next(s Scene, id string) (to aim, sets bool) {
	member := s.World.Agent(id)
	to, wants := k.aims[id]
	switch free := freeAt(member, s.At); {
	case member.Walk == nil:
		return aim{kind: aimHome}, true
	case !wants:
		return to, false
	case s.At < free:
		k.wakeAt(s, free)
		return to, false
	}
	delete(k.aims, id)
	return to, true
}

// leg is one walk of a member, nil where it stays.
func (k *Walks) leg(s Scene, id string, to aim) world.Body {
	member := s.World.Agent(id)
	goes, err := walk(s.World, k.rooms, member, to, s.At, s.Pace)
	switch {
	case err == nil && goes != nil:
		return goes
	case err == nil:
		return nil
	}
	// It stays where it is, and nobody waits for it.
	k.log.Debug().Err(err).Str("member", id).Str("path", to.path).Msg("a walk leads nowhere")
	if member.Walk != nil {
		return nil
	}
	return &world.AgentGoes{ // it has come, and stays where it appeared
		AgentID: id, Path: []world.Point{{member.X, member.Y}}, Room: []world.Point{}, X: member.X, Y: member.Y,
		Revealed: []world.Point{}, Worn: []world.Point{}, Wear: []int{}, StartsAt: s.At, ArrivesAt: s.At,
	}
}

// reads shows that a member whose turn is under way reads what it goes to, nil where that
// is shown.
func (s Scene) reads(id, path string) world.Body {
	if m := s.World.Agent(id); !s.Playing[id] || m == nil || m.Activity == world.ActivityReading {
		return nil
	}
	tool, _ := world.Cut(strings.ToValidUTF8(path, "\uFFFD"), maxToolName)
	return &world.AgentActivity{AgentID: id, Activity: world.ActivityReading, Tool: tool}
}

// maxToolName is how many bytes of a path an activity shows.
const maxToolName = 64

// rests ends the reading of a member whose turn is over, nil for who does not read.
func (s Scene) rests(id string) world.Body {
	m := s.World.Agent(id)
	if m == nil || m.Activity != world.ActivityReading || s.Playing[id] {
		return nil
	}
	out := &world.AgentActivity{AgentID: id}
	if council := s.Councils[id]; council != "" {
		out.Activity, out.ConversationID = world.ActivityConversing, council
	}
	return out
}

// grow raises a member's fort where there is a reason to look.
func (k *Walks) grow(s Scene, id string) world.Body {
	f := s.World.Fort(id)
	if f == nil {
		return nil
	}
	if f.Stage == world.FortCampfire {
		if m := s.World.Agent(id); onWay(m, s.At) {
			k.wakeAt(s, m.Walk.ArrivesAt)
		}
	} else if !k.acted[id] && !k.posts[id] {
		return nil
	}
	return growFort(s.World, id, s.At, k.acted[id])
}

func (k *Walks) wakeAt(s Scene, at world.Time) {
	if t := s.Now.Add(at.Sub(s.Clock)); k.due.IsZero() || t.Before(k.due) {
		k.due = t
	}
}

func memberIDs(w *world.World) []string {
	out := make([]string, len(w.Agents))
	for i := range w.Agents {
		out[i] = w.Agents[i].ID
	}
	return out
}

// OnTheWay are the places at a time of the members whose walks are not over.
func OnTheWay(w *world.World, now world.Time) map[string]wire.Place {
	out := map[string]wire.Place{}
	for i := range w.Agents {
		m := &w.Agents[i]
		if !onWay(m, now) || m.Walk.MsPerTile < 1 {
			continue
		}
		tiles := slices.Concat(m.Walk.Path, m.Walk.Room)
		at := min(int(max(0, now-m.Walk.StartsAt))/m.Walk.MsPerTile, len(tiles)-1)
		place := wire.Place{X: tiles[at][0], Y: tiles[at][1]}
		if at >= len(m.Walk.Path) {
			place.Folder, place.Inside = m.Folder, true
		}
		out[m.ID] = place
	}
	return out
}
