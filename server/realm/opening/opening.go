// Package opening decides the first events after an opening of a realm. They report what was restored, how many turns
// were cut off and who is missing. The package also reports whether the realm was opened too often without a turn that
// ended well.
//
// It changes nothing except the loaded world, in Rename, before any other code uses that world. The realm's actor calls
// it in its first step.
package opening

import (
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// If a realm has been opened automatically more than maxAutoResumes times within resumeWindow, and no turn ended well
// meanwhile, its process stays paused and its councils wait. Otherwise a process that crashes the server would crash it
// again and again.
const (
	maxAutoResumes = 3
	resumeWindow   = 10 * time.Minute
)

// Opening has the results of the realm's recovery.
type Opening struct {
	lines      []world.Line
	restored   *world.RealmRestored // nil at the first opening of a realm that has lost nothing
	lastTurnAt world.Time           // when a turn last ended well, before this opening
}

// New returns the Opening for the state saved, which recovery has restored.
func New(saved *world.Saved) *Opening {
	o := &Opening{lines: saved.Lines, restored: saved.Restored}
	for _, c := range saved.Conversations {
		o.lastTurnAt = max(o.lastTurnAt, c.LastTurnAt)
	}
	return o
}

// Rename sets the id, the tenant and the linked folder of the world to those that are known: the realm's folder may
// have been copied or moved, and the command relink may have linked another folder. The first event of the opening,
// realm:restored, has all three, so that a world that is computed from the journal gets them too. Rename reports
// whether it has changed the world.
func (o *Opening) Rename(w *world.World, known world.Realm) bool {
	if w.Realm.ID == known.ID && w.Realm.Tenant == known.Tenant && w.Realm.Path == known.Path {
		return false
	}
	w.Realm.ID, w.Realm.Tenant, w.Realm.Path = known.ID, known.Tenant, known.Path
	if w.Tick > 0 { // in a new realm, the event realm:created sets the id and the tenant
		now := w.Realm
		o.event(w).Realm = &now
	}
	return true
}

// event returns the event realm:restored, by which clients learn what the opening has restored.
func (o *Opening) event(w *world.World) *world.RealmRestored {
	if o.restored == nil {
		o.restored = &world.RealmRestored{Source: world.RestoredFromCheckpoint, RestoredTo: w.Tick}
	}
	return o.restored
}

// First returns the first events of the opening. If still is set (realm.Config.Still), the event
// realm:restored names no missing members.
func (o *Opening) First(r *kind.Realm, still bool) []world.Body {
	if r.World.Tick == 0 {
		begin := []world.Body{&world.RealmCreated{Realm: r.World.Realm, Settings: r.World.Settings}}
		if o.restored != nil { // the realm's files were lost, so its members are not named as missing either
			o.restored.MissingMembers = []world.Member{}
			begin = append(begin, o.restored)
		}
		return begin
	}
	b := o.event(r.World)
	b.InterruptedRuns, b.MissingMembers = o.cutOff(r), []world.Member{}
	if host := r.Kinds.Host(); host != nil && !still {
		b.MissingMembers = host.Missing(r)
	}
	return []world.Body{b}
}

// cutOff returns the number of turns that ended only because the server ended: turns that were running when the server
// was killed, and turns that a clean stop has interrupted.
func (o *Opening) cutOff(r *kind.Realm) int {
	n, since := 0, int64(0)
	if len(o.lines) > 1 {
		since = o.lines[len(o.lines)-2].FromSeq
	}
	for _, talk := range r.Talks {
		for _, run := range talk.Runs {
			if run.Status == world.RunRunning || run.Status == world.RunInterrupted && run.StartSeq >= since {
				n++
			}
		}
	}
	return n
}

// Tired reports whether the realm was opened automatically more than maxAutoResumes times within resumeWindow,
// including this opening, and no turn has ended well meanwhile. Tired ignores openings in the future: they
// come from a time before the clock was set back.
func (o *Opening) Tired(now world.Time) bool {
	since := now - world.Time(resumeWindow.Milliseconds())
	if o.lastTurnAt <= now {
		since = max(since, o.lastTurnAt)
	}
	n := 0
	for i, l := range o.lines {
		if l.Auto && l.OpenedAt > since && (l.OpenedAt <= now || i == len(o.lines)-1) {
			n++
		}
	}
	return n > maxAutoResumes
}

// Oracle returns the event by which the oracle joins, the member that people meet in a realm without a process
// (S3-07). It returns nil if the oracle is a member already or the realm has a process.
func Oracle(w *world.World) []world.Body {
	if w.ProcessState.Status != world.StatusIdle || w.Agent(world.RoleOracle) != nil {
		return nil
	}
	return []world.Body{&world.AgentJoined{Agent: world.Agent{
		ID: world.RoleOracle, Name: "Oracle", DisplayName: "Oracle", Kind: world.KindAgent, Role: world.RoleOracle,
		Color: "#8a63d2", Status: world.AgentIdle,
	}}}
}
