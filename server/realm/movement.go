package realm

import (
	"slices"
	"time"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/nav"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// movement is what members are about to do on the map. It is provisional: a restart
// loses what nobody had set out for yet; where everybody stands is in the world.
type movement struct {
	aims  map[string]aim  // by member: where to go next; a newer one replaces it; at most one for each role
	acted map[string]bool // members of a stage that is done, whose forts grow
	posts map[string]bool // members that posted a finding
	due   time.Time       // when somebody arrives who has something to do then
}

func newMovement() movement {
	return movement{aims: map[string]aim{}, acted: map[string]bool{}, posts: map[string]bool{}}
}

// walkEvery is the least time between two walks of a member, also where walks take
// no time: a driver that reads a thousand files makes four walks a second.
const walkEvery = 250 * time.Millisecond

// wakes says whether there is something to do although nothing has happened.
func (m *movement) wakes(now time.Time) bool {
	return len(m.aims) > 0 || !m.due.IsZero() && !now.Before(m.due)
}

// watch keeps what an event means for movement; march acts on it in the same turn.
func (m *movement) watch(w *world.World, b world.Body) {
	switch b := b.(type) {
	case *world.AgentLeft:
		delete(m.aims, b.AgentID)
	case *world.FindingPosted:
		m.posts[b.Finding.AgentID] = true
	case *world.ProcessStarted, *world.ProcessStageRestarted:
		m.muster(w)
	case *world.ProcessAdvanced:
		m.done(w, b.FromStageID)
		m.muster(w)
	case *world.ProcessCompleted:
		if st := w.ProcessState.Stage(); st != nil {
			m.done(w, st.ID)
		}
	}
}

// muster sends the stage's members where the stage wants them: out to their forts
// or in to the keep.
func (m *movement) muster(w *world.World) {
	st := w.ProcessState.Stage()
	if st == nil {
		return
	}
	to := aim{kind: aimKeep}
	if st.Moves() == world.MoveOutward {
		to.kind = aimHome
	}
	for _, id := range st.Acting() {
		m.aims[id] = to
	}
}

// done remembers who took a turn in a stage that has ended.
func (m *movement) done(w *world.World, stageID string) {
	for _, role := range w.ProcessState.Cast {
		if w.ProcessState.AgentTurnCounts[stageID+":"+role.MemberID] > 0 {
			m.acted[role.MemberID] = true
		}
	}
}

// appear gives who joins the place where they stand: the one they have, else beside
// the others before the keep.
func (a *actor) appear(member *world.Agent) {
	if old := a.world.Agent(member.ID); old != nil {
		member.X, member.Y, member.Realm, member.Inside, member.Page, member.Walk = old.X, old.Y, old.Realm, old.Inside, old.Page, old.Walk
		return
	}
	ground := nav.Overworld(&a.world.Country, a.world.Forts, nil)
	if at, ok := ground.Stand(dungeon.KeepDoor, others(a.world, member.ID, "", false, 0)); ok {
		member.X, member.Y = at[0], at[1]
	}
}

// march lets members walk: whoever has an aim and is not on the way sets out, in
// the order of the map. Then forts grow.
func (a *actor) march() {
	if a.broken != nil || a.stopping {
		return
	}
	a.move.due = time.Time{}
	now := a.at()
	for _, id := range a.memberIDs() {
		member := a.world.Agent(id)
		if f := settleFort(a.world, member); f != nil {
			a.emit("", f)
			member = a.world.Agent(id)
		}
		to, wants := a.move.aims[id]
		switch free := freeAt(member, now); {
		case member.Walk == nil: // who has just joined settles first
			a.setOut(member, aim{kind: aimHome}, now)
			if wants {
				a.wakeMarch(freeAt(a.world.Agent(id), now))
			}
		case !wants:
		case now < free:
			a.wakeMarch(free)
		default:
			delete(a.move.aims, id)
			a.setOut(member, to, now)
		}
		a.comeToRest(id)
		a.grow(id, now)
	}
	clear(a.move.acted)
	clear(a.move.posts)
}

func (a *actor) memberIDs() []string {
	out := make([]string, len(a.world.Agents))
	for i := range a.world.Agents {
		out[i] = a.world.Agents[i].ID
	}
	return out
}

// onWay says that a member is walking. A walk that lies ahead of now was begun before the
// clock was set back, and is over.
func onWay(member *world.Agent, now world.Time) bool {
	w := member.Walk
	return w != nil && w.ArrivesAt > now && w.StartsAt <= now+world.Time(world.MaxHold.Milliseconds())
}

// freeAt is when a member may set out again.
func freeAt(member *world.Agent, now world.Time) world.Time {
	if member.Walk == nil || member.Walk.ArrivesAt > now && !onWay(member, now) {
		return 0
	}
	return max(member.Walk.ArrivesAt, member.Walk.StartsAt+world.Time(walkEvery.Milliseconds()))
}

func (a *actor) wakeMarch(at world.Time) {
	if t := a.now.Add(at.Sub(a.calendar.now)); a.move.due.IsZero() || t.Before(a.move.due) {
		a.move.due = t
	}
}

func (a *actor) setOut(member *world.Agent, to aim, now world.Time) {
	id := member.ID
	goes, err := walk(a.world, a.r.survey.Load(), member, to, now, a.pace())
	if err != nil {
		// It stays where it is, and nobody waits for it.
		a.log.Debug().Err(err).Str("member", id).Str("path", to.path).Msg("a walk leads nowhere")
		if member.Walk != nil {
			return
		}
		goes = &world.AgentGoes{ // it has come, and stays where it appeared
			AgentID: id, Path: []world.Point{{member.X, member.Y}}, Room: []world.Point{}, X: member.X, Y: member.Y,
			Revealed: []world.Point{}, Worn: []world.Point{}, Wear: []int{}, StartsAt: now, ArrivesAt: now,
		}
	}
	if goes != nil {
		a.emit("", goes)
	}
	if to.kind == aimPath && a.playing(id) {
		if now := a.world.Agent(id); now != nil && now.Activity != world.ActivityReading {
			a.emit("", &world.AgentActivity{AgentID: id, Activity: world.ActivityReading, Tool: clip(to.path, 64)})
		}
	}
}

// comeToRest ends the reading of a member whose turn is over.
func (a *actor) comeToRest(id string) {
	if m := a.world.Agent(id); m != nil && m.Activity == world.ActivityReading && !a.playing(id) {
		rests := &world.AgentActivity{AgentID: id}
		if council := a.engaged(id, ""); council != "" {
			rests.Activity, rests.ConversationID = world.ActivityConversing, council
		}
		a.emit("", rests)
	}
}

func (a *actor) playing(member string) bool {
	for _, l := range a.live {
		if l.member == member {
			return true
		}
	}
	return false
}

// grow raises a member's fort where there is a reason to look.
func (a *actor) grow(id string, now world.Time) {
	f := fortOf(a.world, id)
	if f == nil {
		return
	}
	if f.Stage == world.FortCampfire {
		if m := a.world.Agent(id); onWay(m, now) {
			a.wakeMarch(m.Walk.ArrivesAt)
		}
	} else if !a.move.acted[id] && !a.move.posts[id] {
		return
	}
	if b := growFort(a.world, id, now, a.move.acted[id]); b != nil {
		a.emit("", b)
	}
}

// read is a driver that looks at a file: its hero goes there.
func (a *actor) read(l *liveRun, path string) {
	if s := a.r.survey.Load(); s != nil {
		if _, ok := s.Tree.Lookup(path); ok {
			a.move.aims[l.member] = aim{kind: aimPath, path: path}
		}
	}
}

// onTheWay are the places of members whose walks are not over.
func (a *actor) onTheWay() map[string]wire.Place {
	now := a.at()
	out := map[string]wire.Place{}
	for i := range a.world.Agents {
		m := &a.world.Agents[i]
		if !onWay(m, now) || m.Walk.MsPerTile < 1 {
			continue
		}
		tiles := slices.Concat(m.Walk.Path, m.Walk.Room)
		at := min(int(max(0, now-m.Walk.StartsAt))/m.Walk.MsPerTile, len(tiles)-1)
		place := wire.Place{X: tiles[at][0], Y: tiles[at][1]}
		if at >= len(m.Walk.Path) {
			place.Realm, place.Inside = m.Realm, true
		}
		out[m.ID] = place
	}
	return out
}
