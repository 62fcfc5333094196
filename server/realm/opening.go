package realm

import (
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// Automatic resumes without a new turn before a process comes back paused: a
// server that dies of what it resumes must not go on dying.
const (
	maxAutoResumes = 3
	resumeWindow   = 10 * time.Minute
)

// opening is the first turn of a life: what was restored is told, runs of the dead
// life end as interrupted, and the plan goes on from where it stood.
func (a *actor) opening() {
	if a.world.Tick == 0 {
		begin := []world.Body{&world.RealmCreated{Realm: a.world.Realm, Settings: a.world.Settings}}
		if a.restored != nil { // its files are gone, and that is told too
			a.restored.MissingMembers = []world.Member{}
			begin = append(begin, a.restored)
		}
		a.emit("", begin...)
		a.emit("", a.shelf.Saw(a.world, a.at(), a.foundSkills)...)
		return
	}
	restored := a.restored
	if restored == nil {
		restored = &world.RealmRestored{Source: world.RestoredFromCheckpoint, RestoredTo: a.world.Tick}
	}
	restored.InterruptedRuns = a.cutOff()
	restored.MissingMembers = []world.Member{}
	if host := a.sees.Kinds.Host(); host != nil && !a.still {
		restored.MissingMembers = host.Missing(a.sees)
	}
	a.emit("", restored)
	for _, id := range a.sees.TalkIDs() {
		for _, run := range a.talks[id].Active() {
			a.emit("", a.runs.Interrupted(a.sees, a.talks[id], run)...)
		}
		a.mend(id)
	}
	a.emit("", a.shelf.Saw(a.world, a.at(), a.foundSkills)...)
	a.foundSkills = nil
	if a.still {
		return
	}
	o := kind.Opening{Tired: a.autoResumes() > maxAutoResumes}
	for _, k := range a.sees.Kinds.All {
		a.steps(k, k.Restore(a.sees, o))
	}
	for _, k := range a.sees.Kinds.All {
		a.shed(k)
	}
	a.plan()
}

// rename sets the world's id and tenant to those of its folder, which was copied or moved.
// realm:restored, the first event of the line, carries them for every fold. It reports
// whether the world was changed.
func (a *actor) rename(known world.Realm) bool {
	r := &a.world.Realm
	if r.ID == known.ID && r.Tenant == known.Tenant {
		return false
	}
	r.ID, r.Tenant = known.ID, known.Tenant
	if a.world.Tick == 0 {
		return true // realm:created tells it
	}
	if a.restored == nil {
		a.restored = &world.RealmRestored{Source: world.RestoredFromCheckpoint, RestoredTo: a.world.Tick}
	}
	now := *r
	a.restored.Realm = &now
	return true
}

// cutOff counts the turns that the end of the last life has cut off: those that
// were still running, and those that a clean stop has ended.
func (a *actor) cutOff() int {
	n := 0
	since := int64(0)
	if len(a.lines) > 1 {
		since = a.lines[len(a.lines)-2].FromSeq
	}
	for _, talk := range a.talks {
		for _, run := range talk.Runs {
			if run.Status == world.RunRunning || run.Status == world.RunInterrupted && run.StartSeq >= since {
				n++
			}
		}
	}
	return n
}

// autoResumes counts the openings of the last ten minutes that no person asked
// for, this one included, since a turn last ended well. Times that lie ahead are of a clock
// that was set back since: they say nothing.
func (a *actor) autoResumes() int {
	now := a.calendar.now
	since := now - world.Time(resumeWindow.Milliseconds())
	if a.lastTurnAt <= now {
		since = max(since, a.lastTurnAt)
	}
	n := 0
	for i, l := range a.lines {
		if l.Auto && l.OpenedAt > since && (l.OpenedAt <= now || i == len(a.lines)-1) {
			n++
		}
	}
	return n
}

// oracle comes when a person links or resumes a realm without a process (S3-07).
func (a *actor) oracle() {
	if a.world.ProcessState.Status != world.StatusIdle || a.world.Agent(world.RoleOracle) != nil {
		return
	}
	a.emit("", &world.AgentJoined{Agent: world.Agent{
		ID: world.RoleOracle, Name: "Oracle", DisplayName: "Oracle", Kind: world.KindAgent, Role: world.RoleOracle,
		Color: "#8a63d2", Status: world.AgentIdle,
	}})
}
