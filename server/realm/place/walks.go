package place

import (
	"cmp"
	"iter"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/kind"
	"agentdungeon/server/nav"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Walks decides what members do on the map. The places of members are in the world; planned walks that have
// not begun are lost when the server ends, but a coding agent still goes to the file of its state. Only the realm's
// actor uses Walks.
type Walks struct {
	rooms *Rooms
	log   zerolog.Logger
	aims  map[string]aim    // the next destination, by member; at most one for each role
	seen  map[string]string // the last file of its state to which a coding agent was sent, by member
	acted map[string]bool   // members that had a turn in a stage that has ended; their forts may grow
	posts map[string]bool   // members that have posted a finding; their forts may grow
	due   time.Time         // see Due
}

// NewWalks returns the Walks of a realm that opens. No walk is planned yet.
func NewWalks(rooms *Rooms, log zerolog.Logger) *Walks {
	return &Walks{
		rooms: rooms, log: log, aims: map[string]aim{}, seen: map[string]string{},
		acted: map[string]bool{}, posts: map[string]bool{},
	}
}

// walkEvery is the minimum time between the starts of two walks of a member. It is needed because a driver may
// read a thousand files a second, and with world.PaceInstant a walk takes no time.
const walkEvery = 250 * time.Millisecond

// Due returns when March must be called to start walks even if no event comes before; the zero time means never.
func (k *Walks) Due() time.Time { return k.due }

// Wakes reports whether March may have walks to start at the time now, although no event was emitted.
func (k *Walks) Wakes(now time.Time) bool {
	return len(k.aims) > 0 || !k.due.IsZero() && !now.Before(k.due)
}

// Watch records the walks that an event causes, and the growth of forts; the next March decides the events for them.
// The caller must have applied the event to w.
func (k *Walks) Watch(w *world.World, b world.Body) {
	switch b := b.(type) {
	case *world.AgentLeft:
		delete(k.aims, b.AgentID)
		delete(k.seen, b.AgentID)
	case *world.AgentActivity:
		if b.Activity == world.ActivityConversing {
			k.aims[b.AgentID] = aim{kind: aimKeep}
		}
	case *world.AgentStated:
		k.keepUp(b.AgentID, b.Path)
	case *world.FindingPosted:
		k.posts[b.Finding.AgentID] = true
	case *world.ProcessStarted, *world.ProcessStageRestarted:
		k.muster(w)
	case *world.ProcessAdvanced:
		k.done(w, b.FromStageID)
		k.muster(w)
	case *world.ProcessCompleted:
		if st := w.ProcessState.Stage(); st != nil && !b.Early {
			k.done(w, st.ID)
		}
	}
}

// muster plans a walk for each member that acts in the current stage of the process: to its fort, or to the keep.
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

// done records which members had a turn in the stage stageID, which has just ended; their forts may grow.
func (k *Walks) done(w *world.World, stageID string) {
	for _, role := range w.ProcessState.Cast {
		if w.ProcessState.AgentTurnCounts[stageID+":"+role.MemberID] > 0 {
			k.acted[role.MemberID] = true
		}
	}
}

// Visit sends a member to a file or a folder. It ignores a path that is not on the map.
func (k *Walks) Visit(member, path string) {
	if _, ok := k.rooms.lookup(path); ok {
		k.aims[member] = aim{kind: aimPath, path: path}
	}
}

// keepUp sends a coding agent to the file of its state, once for each new file. If the map does not show the file, it
// is called again and sends the agent there when the map does.
func (k *Walks) keepUp(id, path string) {
	if path == "" || k.seen[id] == path {
		return
	}
	if _, ok := k.rooms.lookup(path); ok {
		k.seen[id] = path
		k.Visit(id, path)
	}
}

// catchUp sends a coding agent to the file of its state, which can be from before the server began.
func (k *Walks) catchUp(member *world.Agent) {
	if member != nil && member.State != nil && member.Walk != nil && member.Walk.Target != member.State.Path {
		k.keepUp(member.ID, member.State.Path)
	}
}

// Follow plans a walk to a folder for each member that a person plays.
func (k *Walks) Follow(w *world.World, spectatorID, path string) {
	for i := range w.Agents {
		if m := &w.Agents[i]; m.Kind == world.KindHuman && m.SpectatorID == spectatorID {
			k.aims[m.ID] = aim{kind: aimPath, path: path}
		}
	}
}

// Appear sets the place of a member that joins: the place where the member was before, or a tile before the
// keep.
func (k *Walks) Appear(w *world.World, member *world.Agent) {
	if old := w.Agent(member.ID); old != nil {
		member.X, member.Y, member.Folder = old.X, old.Y, old.Folder
		member.Inside, member.Page, member.Walk = old.Inside, old.Page, old.Walk
		return
	}
	ground := nav.Overworld(&k.rooms.Land().Country, w.Forts, nil)
	if at, ok := ground.FreeTile(dungeon.KeepDoor, others(w, member.ID, "", false, 0)); ok {
		member.X, member.Y = at[0], at[1]
	}
}

// Scene is the state of the realm from which March decides the walks.
type Scene struct {
	World    *world.World
	Now      time.Time         // monotonic, for Due
	At       world.Time        // for events
	Clock    world.Time        // time of the wall clock
	Pace     string            // the pace of the realm; with world.PaceInstant walks take no time
	Playing  map[string]bool   // the members whose turns are under way
	Councils map[string]string // the active council of each member that is reading, by the member's id
}

// SceneOf returns the Scene of a realm. playing has the members whose turns are under way.
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

// March yields the events of all members, in the order of World.Agents. For each member they are: a new fort,
// a walk, an activity, the growth of the fort. The caller must apply each event to s.World before it takes the
// next one, and must take all events.
func (k *Walks) March(s Scene) iter.Seq[world.Body] {
	return func(yield func(world.Body) bool) {
		k.due = time.Time{}
		for _, id := range memberIDs(s.World) {
			if !k.events(s, id, yield) {
				return
			}
		}
		clear(k.acted)
		clear(k.posts)
	}
}

// events yields the events that are due for the member with this id: of its fort, its walk and its reading. It returns
// false if yield has returned false.
func (k *Walks) events(s Scene, id string, yield func(world.Body) bool) bool {
	emit := func(b world.Body) bool { return b == nil || yield(b) }
	if !emit(settleFort(s.World, s.World.Agent(id))) {
		return false
	}
	k.catchUp(s.World.Agent(id))
	if to, ok := k.next(s, id); ok {
		if !emit(k.leg(s, id, to)) || to.kind == aimPath && !emit(s.reads(id, to.path)) {
			return false
		}
		if _, more := k.aims[id]; more { // a member that has just joined first walks to its fort
			k.wakeAt(s, freeAt(s.World.Agent(id), k.aims[id], s.At))
		}
	}
	return emit(s.rests(id)) && emit(k.grow(s, id))
}

// next returns the destination to which a member sets out now. ok is false if the member has no destination or
// must wait; Due then returns the end of the wait. A member that has just joined first walks home.
func (k *Walks) next(s Scene, id string) (to aim, ok bool) {
	member := s.World.Agent(id)
	to, more := k.aims[id]
	switch free := freeAt(member, to, s.At); {
	case member.Walk == nil:
		return aim{kind: aimHome}, true
	case !more:
		return to, false
	case s.At < free:
		k.wakeAt(s, free)
		return to, false
	}
	delete(k.aims, id)
	return to, true
}

// leg returns the event of a member's walk to a destination (the parameter to), nil if the member stays where it is.
func (k *Walks) leg(s Scene, id string, to aim) world.Body {
	member := s.World.Agent(id)
	goes, err := walk(s.World, k.rooms, member, to, s.At, s.Pace)
	switch {
	case err == nil && goes != nil:
		return goes
	case err == nil:
		return nil
	}
	k.log.Debug().Err(err).Str("member", id).Str("path", to.path).Msg("a walk could not be planned")
	if member.Walk != nil {
		return nil
	}
	return &world.AgentGoes{ // a first walk, which ends where the member appeared
		AgentID: id, Path: []world.Point{{member.X, member.Y}}, Room: []world.Point{}, X: member.X, Y: member.Y,
		Revealed: []world.Point{}, Worn: []world.Point{}, Wear: []int{}, StartsAt: s.At, ArrivesAt: s.At,
	}
}

// reads returns the event by which a member begins to read path. It returns nil if the member is reading
// already or has no turn under way.
func (s Scene) reads(id, path string) world.Body {
	if m := s.World.Agent(id); !s.Playing[id] || m == nil || m.Activity == world.ActivityReading {
		return nil
	}
	tool, _ := world.Cut(strings.ToValidUTF8(path, "\uFFFD"), maxToolName)
	return &world.AgentActivity{AgentID: id, Activity: world.ActivityReading, Tool: tool}
}

// maxToolName limits the path in an activity event, in bytes.
const maxToolName = 64

// rests returns the event by which a member stops reading because its turn is over. It returns nil if the
// member does not read or its turn is under way.
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

// grow returns the event by which a member's fort grows, nil for none.
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

// OnTheWay returns the present places of the members that are walking, by the members' ids.
func OnTheWay(w *world.World, now world.Time) map[string]wire.Place {
	out := map[string]wire.Place{}
	for i := range w.Agents {
		m := &w.Agents[i]
		if !onWay(m, now) || m.Walk.MsPerTile < 1 {
			continue
		}
		at := tileOn(m.Walk, now)
		place := wire.Place{X: at[0], Y: at[1]}
		if int(max(0, now-m.Walk.StartsAt))/m.Walk.MsPerTile >= len(m.Walk.Path) {
			place.Folder, place.Inside = m.Folder, true
		}
		out[m.ID] = place
	}
	return out
}
