package facts

import (
	"cmp"
	"slices"

	"agentdungeon/server/dungeon"
	"agentdungeon/shared/world"
)

// Hero is a member who is present in the realm: a coding agent, a scout or a person.
type Hero struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role string `json:"role,omitempty"`
	Kind string `json:"kind" jsonschema:"coding agent (a person runs it), agent (the server plays it) or human"`
	// Of the following fields, other members have only State, Reason and File: their status, activity and folder.
	Program string `json:"program,omitempty" jsonschema:"of a coding agent: claude, codex, opencode or gemini"`
	Session string `json:"session,omitempty" jsonschema:"the program's own id of the session"`
	Parent  string `json:"parent,omitempty" jsonschema:"id of the agent that started this one as a sub-agent"`
	State   string `json:"state" jsonschema:"of a coding agent: working, waiting, shell, idle, ended or lost"`
	Wait    string `json:"wait,omitempty" jsonschema:"what it waits for: permission, question, plan or turn"`
	Reason  string `json:"reason,omitempty"`
	Source  string `json:"source,omitempty" jsonschema:"how the state is known; guess is a guess"`
	Since   string `json:"since,omitempty"`
	File    string `json:"file,omitempty" jsonschema:"the file or folder it read or edited last"`
	Edits   bool   `json:"edits,omitempty" jsonschema:"it edits that file now"`
	Edited  bool   `json:"edited,omitempty" jsonschema:"what it did last with that file was an edit"`
	Talk    string `json:"talk,omitempty" jsonschema:"id of its conversation, for the tool talk"`
}

// hereOut is the answer of the tool who_is_here.
type hereOut struct {
	Of
	Heroes     []Hero      `json:"heroes"`
	Collisions []Collision `json:"collisions,omitempty" jsonschema:"files at which coding agents are in each other's way"`
	LeftOut    int         `json:"leftOut,omitempty" jsonschema:"how many heroes and collisions are not in this answer"`
}

// Collision says that coding agents are in each other's way at a file.
type Collision struct {
	File   string   `json:"file"`
	Agents []string `json:"agents" jsonschema:"ids of the agents, those that edited the file first"`
	Why    string   `json:"why" jsonschema:"edits: both edited it; reads: one edited what the other had read"`
	Since  string   `json:"since"`
}

func collisionOf(c *world.Collision) Collision {
	return Collision{File: raw(c.Path), Agents: world.NotNil(c.AgentIDs), Why: c.Why, Since: c.Since.String()}
}

// here lists who is here, coding agents first, and the files at which agents are in each other's way.
func (q *question) here(Asked) (out hereOut, err error) {
	w, err := q.world()
	if err != nil {
		return out, err
	}
	out.Of = q.of
	var collisions []Collision
	for i := range w.Collisions {
		collisions = append(collisions, collisionOf(&w.Collisions[i]))
	}
	out.Heroes, out.LeftOut = fit(&q.room, heroes(w))
	kept, leftOut := fit(&q.room, collisions)
	out.Collisions = kept
	out.LeftOut += leftOut
	return out, nil
}

// heroes returns the members of a world, coding agents first.
func heroes(w *world.World) (out []Hero) {
	for i := range w.Agents {
		out = append(out, heroOf(w, &w.Agents[i]))
	}
	slices.SortStableFunc(out, func(a, b Hero) int { return cmp.Compare(b.Program, a.Program) })
	slices.SortStableFunc(out, func(a, b Hero) int { return codingFirst(a) - codingFirst(b) })
	return out
}

const coding = "coding agent"

func codingFirst(h Hero) int {
	if h.Kind == coding {
		return 0
	}
	return 1
}

func heroOf(w *world.World, a *world.Agent) Hero {
	h := Hero{
		ID: a.ID, Name: short(cmp.Or(a.DisplayName, a.Name)), Role: a.Role, Kind: a.Kind, State: a.Status,
		Reason: short(a.Activity), File: raw(a.Folder),
	}
	if s := a.State; s != nil {
		h.Kind, h.State, h.Wait, h.Reason, h.Source = coding, s.State, s.Wait, short(s.Reason), s.Source
		h.Since, h.File, h.Edited = s.Since.String(), raw(s.Path), s.Edits
		h.Edits = s.Edits && s.AtFile()
	}
	for i := range w.Sessions {
		if s := &w.Sessions[i]; s.AgentID == a.ID { // the newest session of the agent counts
			h.Program, h.Session, h.Parent, h.Talk = s.Program, s.SessionID, s.Parent, s.ConversationID
		}
	}
	return h
}

// raw returns a path as programs use it: a path of the world is escaped (dungeon.EncodePath), and raw undoes that.
func raw(path string) string {
	if out, err := dungeon.DecodePath(path); err == nil {
		return out
	}
	return path
}
