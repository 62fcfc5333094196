package facts

import (
	"errors"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/api"
	"agentdungeon/shared/wire"
)

// diffIn is the input of the tool api_diff.
type diffIn struct {
	Asked
	Placed
	Limited
	Since string `json:"since,omitempty" jsonschema:"a commit, branch or tag; without it the newest version tag"`
}

// APIChange is a change of an exported name that breaks code which uses the name.
type APIChange struct {
	Package string `json:"package"`
	Change  string `json:"change"`
	Breaks  string `json:"breaks" jsonschema:"callers, or implementers of an interface"`
	Cited
}

// diffOut is the answer of the tool api_diff.
type diffOut struct {
	Of
	Against string      `json:"against" jsonschema:"what the names are compared with"`
	Changes []APIChange `json:"changes"`
	LeftOut int         `json:"leftOut,omitempty" jsonschema:"how many more there are: narrow it or raise limit"`
}

// diff lists the changes of exported Go names since a commit or a tag, by default the newest version tag, that break
// code which uses these names.
func (q *question) diff(in diffIn) (out diffOut, err error) {
	err = q.view(func(r *inspect.Repo, _ []inspect.Check) error {
		if in.Since != "" {
			paths := make([]string, len(r.Files))
			for i := range r.Files {
				paths[i] = r.Files[i].Path
			}
			r = r.Only(paths) // a copy: other questions share the view, and have another base or none
			if err := q.facts.Base(q.ctx, r, in.Since); err != nil {
				if q.ctx.Err() != nil {
					return q.ctx.Err()
				}
				return wire.Errorf(wire.BadField, "since %.100q cannot be compared with: %s", in.Since, err)
			}
		}
		list, against, err := api.Diff(q.ctx, r)
		switch {
		case errors.Is(err, api.ErrNothing):
			return wire.Errorf(wire.Conflict, "%s", err)
		case err != nil:
			return err
		}
		var all []APIChange
		for _, c := range list {
			if !in.holds(c.Path) {
				continue
			}
			text, _ := r.Text(c.Path)
			change := APIChange{Package: c.Package, Change: short(c.What), Breaks: "callers",
				Cited: cited(r.File(c.Path), c.Place, inspect.Line(text, c.Line))}
			if c.Implementers {
				change.Breaks = "implementers"
			}
			all = append(all, change)
		}
		out.Of, out.Against = q.of, against
		n := in.first(len(all))
		out.Changes, out.LeftOut = fit(&q.room, all[:n])
		out.LeftOut += len(all) - n
		return nil
	})
	return out, err
}
