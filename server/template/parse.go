package template

import (
	"slices"
	"strings"

	"agentdungeon/server/jsonfile"
	"agentdungeon/shared/world"
)

// Limits of a template file.
const (
	MaxFile        = 1 << 20 // bytes of a template file
	MaxRoles       = 32
	MaxStages      = 32
	MaxTurns       = 20 // maximum number of turns of a role in a stage
	MaxSpecs       = 8  // maximum number of artifacts of a stage
	MaxPersona     = 4_000
	MaxGoal        = 4_000
	MaxDescription = 500
)

// Parse reads a template file. Unknown fields are errors. An error names the file and the field, as
// in
//
//	panel.json: stages[1].roles[0]: role "x" is not one of roles
func Parse(name string, data []byte) (*world.Template, error) {
	r := jsonfile.New(name, MaxFile)
	f := r.Object(r.Read(data), "", "id", "name", "description", "roles", "stages")
	t := &world.Template{
		ID:          r.ID(f["id"], "id"),
		Name:        r.Name(f["name"], "name"),
		Description: r.Text(f["description"], "description", MaxDescription, false),
	}
	t.Roles = readRoles(r, f["roles"])
	t.Stages = readStages(r, f["stages"], t)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

func readRoles(r *jsonfile.Reader, v any) []world.Role {
	var roles []world.Role
	for i, item := range r.List(v, "roles", 1, MaxRoles) {
		at := jsonfile.Index("roles", i)
		f := r.Object(item, at, "id", "name", "color", "persona")
		role := world.Role{
			ID:      r.ID(f["id"], at+".id"),
			Name:    r.Name(f["name"], at+".name"),
			Color:   r.Color(f["color"], at+".color"),
			Persona: r.Text(f["persona"], at+".persona", MaxPersona, false),
		}
		for _, other := range roles {
			if other.ID == role.ID {
				r.Fail(at+".id", "role %q stands twice", role.ID)
			}
			if strings.EqualFold(other.Name, role.Name) {
				r.Fail(at+".name", "%q is also the name of role %q", role.Name, other.ID)
			}
		}
		roles = append(roles, role)
	}
	return roles
}

func readStages(r *jsonfile.Reader, v any, t *world.Template) []world.Stage {
	var stages []world.Stage
	for i, item := range r.List(v, "stages", 1, MaxStages) {
		st := readStage(r, item, jsonfile.Index("stages", i), t)
		if slices.ContainsFunc(stages, func(s world.Stage) bool { return s.ID == st.ID }) {
			r.Fail(jsonfile.Index("stages", i)+".id", "stage %q stands twice", st.ID)
		}
		stages = append(stages, st)
	}
	return stages
}

func readStage(r *jsonfile.Reader, v any, at string, t *world.Template) world.Stage {
	f := r.Object(v, at, "id", "name", "goal", "roles", "structure", "completion", "turns", "movement", "artifacts")
	st := world.Stage{
		ID:   r.ID(f["id"], at+".id"),
		Name: r.Name(f["name"], at+".name"),
		Goal: r.Text(f["goal"], at+".goal", MaxGoal, true),
		Structure: r.OneOf(f["structure"], at+".structure", world.StructSequential, world.StructParallel,
			world.StructSingle),
		Completion: r.OneOf(f["completion"], at+".completion", world.CompleteTurns, world.CompleteSignal),
		Artifacts:  []world.ArtifactSpec{},
	}
	for i, item := range r.List(f["roles"], at+".roles", 1, MaxRoles) {
		here := jsonfile.Index(at+".roles", i)
		id := r.String(item, here, true)
		switch {
		case !slices.ContainsFunc(t.Roles, func(role world.Role) bool { return role.ID == id }):
			r.Fail(here, "role %q is not one of roles", id)
		case slices.Contains(st.Roles, id):
			r.Fail(here, "role %q stands twice", id)
		}
		st.Roles = append(st.Roles, id)
	}
	switch turns, given := f["turns"]; {
	case st.Completion == world.CompleteTurns:
		st.Turns = r.Integer(turns, at+".turns", 1, MaxTurns)
	case given:
		r.Fail(at+".turns", "has no meaning with completion %q", world.CompleteSignal)
	}
	if movement, given := f["movement"]; given {
		st.Movement = r.OneOf(movement, at+".movement", world.MoveOutward, world.MoveInward)
	}
	if st.Structure == world.StructParallel && st.Completion == world.CompleteSignal {
		r.Fail(at+".completion",
			"a parallel stage must end by %q: the signal of one role would cut off the others",
			world.CompleteTurns)
	}
	specs, given := f["artifacts"]
	if !given {
		return st
	}
	for i, item := range r.List(specs, at+".artifacts", 0, MaxSpecs) {
		here := jsonfile.Index(at+".artifacts", i)
		g := r.Object(item, here, "name", "producer")
		spec := world.ArtifactSpec{Name: r.ID(g["name"], here+".name"),
			Producer: r.String(g["producer"], here+".producer", false)}
		if spec.Producer != "" && !slices.Contains(st.Acting(), spec.Producer) {
			r.Fail(here+".producer", "role %q does not act in this stage", spec.Producer)
		}
		if slices.ContainsFunc(st.Artifacts, func(s world.ArtifactSpec) bool { return s.Name == spec.Name }) {
			r.Fail(here+".name", "artifact %q stands twice", spec.Name)
		}
		st.Artifacts = append(st.Artifacts, spec)
	}
	return st
}
