package process

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Limits of a template file.
const (
	MaxTemplateFile = 1 << 20 // bytes
	MaxRoles        = 32
	MaxStages       = 32
	MaxTurns        = 20 // of a role in a stage
	MaxSpecs        = 8  // artifacts of a stage
	MaxPersona      = 4_000
	MaxGoal         = 4_000
	MaxDescription  = 500
)

// ParseTemplate reads a template file. It refuses what it does not know; an error
// names the file and the field, as in
//
//	panel.json: stages[1].roles[0]: role "x" is not one of roles
func ParseTemplate(name string, data []byte) (*world.Template, error) {
	r := &reader{file: name}
	top := r.read(data)
	f := r.object(top, "", "id", "name", "description", "roles", "stages")
	t := &world.Template{
		ID:          r.id(f["id"], "id"),
		Name:        r.name(f["name"], "name"),
		Description: r.text(f["description"], "description", MaxDescription, false),
	}
	t.Roles = readRoles(r, f["roles"])
	t.Stages = readStages(r, f["stages"], t)
	if r.err != nil {
		return nil, r.err
	}
	return t, nil
}

func readRoles(r *reader, v any) []world.Role {
	var roles []world.Role
	for i, item := range r.list(v, "roles", 1, MaxRoles) {
		at := "roles[" + strconv.Itoa(i) + "]"
		f := r.object(item, at, "id", "name", "color", "persona")
		role := world.Role{
			ID:      r.id(f["id"], at+".id"),
			Name:    r.name(f["name"], at+".name"),
			Color:   r.string(f["color"], at+".color", true),
			Persona: r.text(f["persona"], at+".persona", MaxPersona, false),
		}
		if !wire.ValidColor(role.Color) {
			r.fail(at+".color", "must be #rrggbb")
		}
		for _, other := range roles {
			if other.ID == role.ID {
				r.fail(at+".id", "role %q stands twice", role.ID)
			}
			if strings.EqualFold(other.Name, role.Name) {
				r.fail(at+".name", "%q is also the name of role %q", role.Name, other.ID)
			}
		}
		roles = append(roles, role)
	}
	return roles
}

func readStages(r *reader, v any, t *world.Template) []world.Stage {
	var stages []world.Stage
	for i, item := range r.list(v, "stages", 1, MaxStages) {
		st := readStage(r, item, "stages["+strconv.Itoa(i)+"]", t)
		if slices.ContainsFunc(stages, func(s world.Stage) bool { return s.ID == st.ID }) {
			r.fail("stages["+strconv.Itoa(i)+"].id", "stage %q stands twice", st.ID)
		}
		stages = append(stages, st)
	}
	return stages
}

func readStage(r *reader, v any, at string, t *world.Template) world.Stage {
	f := r.object(v, at, "id", "name", "goal", "roles", "structure", "completion", "turns", "movement", "artifacts")
	st := world.Stage{
		ID:         r.id(f["id"], at+".id"),
		Name:       r.name(f["name"], at+".name"),
		Goal:       r.text(f["goal"], at+".goal", MaxGoal, true),
		Structure:  r.oneOf(f["structure"], at+".structure", world.StructSequential, world.StructParallel, world.StructSingle),
		Completion: r.oneOf(f["completion"], at+".completion", world.CompleteTurns, world.CompleteSignal),
		Artifacts:  []world.ArtifactSpec{},
	}
	for i, item := range r.list(f["roles"], at+".roles", 1, MaxRoles) {
		here := at + ".roles[" + strconv.Itoa(i) + "]"
		id := r.string(item, here, true)
		switch {
		case !slices.ContainsFunc(t.Roles, func(role world.Role) bool { return role.ID == id }):
			r.fail(here, "role %q is not one of roles", id)
		case slices.Contains(st.Roles, id):
			r.fail(here, "role %q stands twice", id)
		}
		st.Roles = append(st.Roles, id)
	}
	switch turns, given := f["turns"]; {
	case st.Completion == world.CompleteTurns:
		st.Turns = r.integer(turns, at+".turns", 1, MaxTurns)
	case given:
		r.fail(at+".turns", "has no meaning with completion %q", world.CompleteSignal)
	}
	if movement, given := f["movement"]; given {
		st.Movement = r.oneOf(movement, at+".movement", world.MoveOutward, world.MoveInward)
	}
	if st.Structure == world.StructParallel && st.Completion == world.CompleteSignal {
		r.fail(at+".completion", "a parallel stage must end by %q: its roles are isolated, one's signal would cut the others off", world.CompleteTurns)
	}
	specs, given := f["artifacts"]
	if !given {
		return st
	}
	for i, item := range r.list(specs, at+".artifacts", 0, MaxSpecs) {
		here := at + ".artifacts[" + strconv.Itoa(i) + "]"
		g := r.object(item, here, "name", "producer")
		spec := world.ArtifactSpec{Name: r.id(g["name"], here+".name"), Producer: r.string(g["producer"], here+".producer", false)}
		if spec.Producer != "" && !slices.Contains(st.Acting(), spec.Producer) {
			r.fail(here+".producer", "role %q does not act in this stage", spec.Producer)
		}
		if slices.ContainsFunc(st.Artifacts, func(s world.ArtifactSpec) bool { return s.Name == spec.Name }) {
			r.fail(here+".name", "artifact %q stands twice", spec.Name)
		}
		st.Artifacts = append(st.Artifacts, spec)
	}
	return st
}

// id reads a required id.
func (r *reader) id(v any, at string) string {
	s := r.string(v, at, true)
	if !wire.ValidID(s) {
		r.fail(at, "must be 1 to %d characters of A-Z a-z 0-9 _ -", wire.MaxID)
	}
	return s
}

// name reads a required name.
func (r *reader) name(v any, at string) string {
	s := r.string(v, at, true)
	if !wire.ValidName(s) {
		r.fail(at, "must be 1 to %d characters without control characters", wire.MaxName)
	}
	return s
}

// text reads words of at most limit bytes; line breaks and tabs are words too.
func (r *reader) text(v any, at string, limit int, required bool) string {
	s := r.string(v, at, required)
	switch {
	case required && strings.TrimSpace(s) == "":
		r.fail(at, "is empty")
	case len(s) > limit:
		r.fail(at, "is %d bytes long, at most %d fit", len(s), limit)
	case strings.ContainsFunc(s, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }):
		r.fail(at, "holds a control character")
	}
	return s
}
