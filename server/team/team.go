package team

import (
	"embed"
	"fmt"
	"slices"
	"sync"

	"agentdungeon/server/jsonfile"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Limits of teams.
const (
	MaxFile  = 256 << 10 // bytes of a team file
	Max      = 128       // teams that a server offers; each further file is refused with an error
	MaxOrder = 999
)

// Parse reads a team file. It refuses unknown fields. An error names the file and the field, as in
//
//	night.json: members[1].type: must be human or agent
//
// A team has two to wire.MaxMembers members, at least one of them a person (S2-B16). No two members have the
// same order or the same folded id, and no name is another member's id, so an id always means one member
// (S2-B9). Two members may have the same name. Members are in the order of the file.
func Parse(name string, data []byte) (*world.Team, error) {
	r := jsonfile.New(name, MaxFile)
	f := r.Object(r.Read(data), "", "id", "name", "members")
	t := &world.Team{ID: r.ID(f["id"], "id"), Name: r.Name(f["name"], "name")}
	people := 0
	for i, item := range r.List(f["members"], "members", 2, wire.MaxMembers) {
		m := readMember(r, item, jsonfile.Index("members", i), t.Members)
		t.Members = append(t.Members, m)
		if m.Type == world.KindHuman {
			people++
		}
	}
	if people == 0 {
		r.Fail("members", "none is of type %s: a party has at least one person", world.KindHuman)
	}
	for i, m := range t.Members {
		for _, other := range t.Members {
			for _, called := range []struct{ field, name string }{{"name", m.Name}, {"displayName", m.DisplayName}} {
				if other.ID != m.ID && fold(called.name) == fold(other.ID) {
					r.Fail(jsonfile.Index("members", i)+"."+called.field, "%q is the id of another member", called.name)
				}
			}
		}
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

func readMember(r *jsonfile.Reader, v any, at string, before []world.Member) world.Member {
	f := r.Object(v, at, "id", "name", "displayName", "type", "role", "color", "order")
	m := world.Member{
		ID:          r.ID(f["id"], at+".id"),
		Name:        r.Name(f["name"], at+".name"),
		DisplayName: r.Name(f["displayName"], at+".displayName"),
		Type:        r.String(f["type"], at+".type", true),
		Role:        r.ID(f["role"], at+".role"),
		Color:       r.Color(f["color"], at+".color"),
		Order:       r.Integer(f["order"], at+".order", 0, MaxOrder),
	}
	if m.Type != world.KindHuman && m.Type != world.KindAgent {
		r.Fail(at+".type", "must be %s or %s", world.KindHuman, world.KindAgent)
	}
	if m.ID == SystemID {
		r.Fail(at+".id", "%q is reserved and cannot be a member's id", SystemID)
	}
	if fold(m.ID) == "" || fold(m.Name) == "" || fold(m.DisplayName) == "" {
		r.Fail(at, "id, name and displayName need a letter or a digit each")
	}
	for i, other := range before {
		if fold(other.ID) == fold(m.ID) {
			r.Fail(at+".id", "%q is also the id of members[%d]", m.ID, i)
		}
		if other.Order == m.Order {
			r.Fail(at+".order", "%d is also the order of members[%d]", m.Order, i)
		}
	}
	return m
}

// SystemID is the speaker in session files for rows that neither a person nor an agent wrote. No member has this id.
const SystemID = "system"

//go:embed teams/*.json
var embedded embed.FS

// builtins has the ids of the embedded teams, the default first.
var builtins = []string{"guild"}

// Files is the format of team files.
var Files = jsonfile.Format[world.Team]{
	What: "teams", Most: Max, Parse: Parse, ID: func(t *world.Team) string { return t.ID },
}

var parsed = sync.OnceValue(func() []*world.Team { return Files.Embedded(embedded, "teams", builtins) })

// Builtin returns the embedded teams, the default first. Callers do not modify them. An agent's role is the id
// of a role of the code_review template, which chooses the agent's driver and describes the agent in its
// prompt.
func Builtin() []*world.Team { return slices.Clone(parsed()) }

// Embedded is a source of teams without files.
type Embedded struct{}

// Teams returns the embedded teams, the default first.
func (Embedded) Teams() []*world.Team { return Builtin() }

// Team returns an embedded team by its id.
func (Embedded) Team(id string) (*world.Team, error) {
	for _, t := range parsed() {
		if t.ID == id {
			return t, nil
		}
	}
	return nil, fmt.Errorf("there is no team %s", id)
}
