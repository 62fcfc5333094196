package follow

import (
	"cmp"
	"maps"
	"slices"

	"agentdungeon/server/shadow"
)

// Followed is a session that is followed, with the state that the realm got last.
type Followed struct {
	shadow.Session
	State shadow.State
}

// Met counts the records and files of a program that the readers have found since the server's start.
type Met struct {
	Program            string
	Sessions, Followed int // numbers of sessions at the last listing
	Counts             shadow.Counts
	Errors, Refused    int
}

// Followed returns the sessions that are followed for a realm, in the order in which they are read: at most 100.
func (f *Follower) Followed(realmID string) []Followed {
	f.mu.Lock()
	out := slices.Clone(f.followed[realmID])
	f.mu.Unlock()
	for i := range out {
		out[i].Title, out[i].Name = mask(out[i].Title, maxTitle), mask(out[i].Name, maxTitle)
	}
	return out
}

// Met returns the counts of each program's records and files, sorted by the program's name.
func (f *Follower) Met() (out []Met) {
	f.figures.mu.Lock()
	defer f.figures.mu.Unlock()
	for name, p := range f.figures.of {
		counts := p.counts
		counts.Unknown = maps.Clone(p.counts.Unknown)
		out = append(out, Met{name, p.sessions, p.tracked, counts, p.failed, p.refused})
	}
	slices.SortFunc(out, func(a, b Met) int { return cmp.Compare(a.Program, b.Program) })
	return out
}

// show replaces the list of followed sessions of a realm.
func (f *Follower) show(realmID string, all []*tracked) {
	list := make([]Followed, len(all))
	for i, t := range all {
		list[i] = Followed{t.Session, t.state}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.followed[realmID] = list
}

func (f *Follower) forget(realmID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.followed, realmID)
	delete(f.soon, realmID)
}
