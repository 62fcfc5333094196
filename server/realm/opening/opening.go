// Package opening owns what a realm's folder said when this life of the realm began: what was
// restored, which lines of history there were, which turns the last life left undone.
//
// It gives the first events of a life, and says whether the realm was opened too often without a
// turn that ended well. It reads the realm and changes nothing but, in Rename, the world that was
// loaded and that nobody else has yet. server/realm asks it once, in the first step of its actor.
package opening

import (
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// Automatic resumes without a new turn before a process comes back paused: a server that dies of
// what it resumes must not go on dying.
const (
	maxAutoResumes = 3
	resumeWindow   = 10 * time.Minute
)

// Opening is the beginning of one life of a realm.
type Opening struct {
	lines      []world.Line
	restored   *world.RealmRestored // what recovery says; nil where nothing was lost
	lastTurnAt world.Time           // when a turn last ended well, before this life
}

// New is of what recovery has found.
func New(saved *world.Saved) *Opening {
	o := &Opening{lines: saved.Lines, restored: saved.Restored}
	for _, c := range saved.Conversations {
		o.lastTurnAt = max(o.lastTurnAt, c.LastTurnAt)
	}
	return o
}

// Rename sets the world's id and tenant to those of its folder, which was copied or moved.
// realm:restored, the first event of the line, carries them for every fold. It reports whether
// the world was changed.
func (o *Opening) Rename(w *world.World, known world.Realm) bool {
	if w.Realm.ID == known.ID && w.Realm.Tenant == known.Tenant {
		return false
	}
	w.Realm.ID, w.Realm.Tenant = known.ID, known.Tenant
	if w.Tick > 0 { // else realm:created tells it
		now := w.Realm
		o.told(w).Realm = &now
	}
	return true
}

func (o *Opening) told(w *world.World) *world.RealmRestored {
	if o.restored == nil {
		o.restored = &world.RealmRestored{Source: world.RestoredFromCheckpoint, RestoredTo: w.Tick}
	}
	return o.restored
}

// First are the first events of the life. still: nothing goes on by itself, so nobody is missing.
func (o *Opening) First(r *kind.Realm, still bool) []world.Body {
	if r.World.Tick == 0 {
		begin := []world.Body{&world.RealmCreated{Realm: r.World.Realm, Settings: r.World.Settings}}
		if o.restored != nil { // its files are gone, and that is told too
			o.restored.MissingMembers = []world.Member{}
			begin = append(begin, o.restored)
		}
		return begin
	}
	b := o.told(r.World)
	b.InterruptedRuns, b.MissingMembers = o.cutOff(r), []world.Member{}
	if host := r.Kinds.Host(); host != nil && !still {
		b.MissingMembers = host.Missing(r)
	}
	return []world.Body{b}
}

// cutOff counts the turns that the end of the last life has cut off: those that were still
// running, and those that a clean stop has ended.
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

// Tired says that the realm was opened again and again in the last ten minutes, without a person
// who asked for it and without a turn that ended well.
func (o *Opening) Tired(now world.Time) bool { return o.autoResumes(now) > maxAutoResumes }

// autoResumes counts the openings of the last ten minutes that no person asked for, this one
// included, since a turn last ended well. Times that lie ahead are of a clock that was set back
// since: they say nothing.
func (o *Opening) autoResumes(now world.Time) int {
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
	return n
}

// Oracle comes when a person links or resumes a realm without a process (S3-07).
func Oracle(w *world.World) []world.Body {
	if w.ProcessState.Status != world.StatusIdle || w.Agent(world.RoleOracle) != nil {
		return nil
	}
	return []world.Body{&world.AgentJoined{Agent: world.Agent{
		ID: world.RoleOracle, Name: "Oracle", DisplayName: "Oracle", Kind: world.KindAgent, Role: world.RoleOracle,
		Color: "#8a63d2", Status: world.AgentIdle,
	}}}
}
