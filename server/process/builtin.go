package process

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"sync"

	"agentdungeon/shared/world"
)

//go:embed templates/*.json
var embedded embed.FS

// builtins lists the embedded templates, the default first.
var builtins = []string{
	"deep_brainstorm", "standard_brainstorm", "code_review",
	"six_thinking_hats", "scamper", "rapid_fire",
}

// MaxTemplates is how many templates a server offers; files beyond it are refused
// with an error each.
const MaxTemplates = 128

var parsed = sync.OnceValue(func() []*world.Template {
	list := make([]*world.Template, len(builtins))
	for i, id := range builtins {
		name := "templates/" + id + ".json"
		data, err := embedded.ReadFile(name)
		if err == nil {
			list[i], err = ParseTemplate(name, data)
		}
		if err == nil && list[i].ID != id {
			err = fmt.Errorf("%s: id: %q is not %q", name, list[i].ID, id)
		}
		if err != nil {
			panic("embedded process template: " + err.Error()) // a mistake in this source; every test finds it
		}
	}
	return list
})

// Builtin are the embedded templates, the default first. The templates are shared
// and must not be changed.
func Builtin() []*world.Template { return slices.Clone(parsed()) }

// NamedFile is a template file: Name is what errors call it.
type NamedFile struct {
	Name string
	Data []byte
}

// Merge adds template files to the embedded ones. A file with the id of an embedded template
// replaces it; the others follow by file name. An invalid file, or one with the id of an earlier
// file, only adds an error that names it.
func Merge(builtin []*world.Template, files []NamedFile) (list []*world.Template, problems []error) {
	list = slices.Clone(builtin)
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b NamedFile) int { return cmp.Compare(a.Name, b.Name) })
	from := map[string]string{}
	for _, f := range files {
		t, err := ParseTemplate(f.Name, f.Data)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		at := slices.IndexFunc(list, func(have *world.Template) bool { return have.ID == t.ID })
		switch {
		case from[t.ID] != "":
			problems = append(problems, fmt.Errorf("%s: id: %q is taken by %s, which counts", f.Name, t.ID, from[t.ID]))
			continue
		case at >= 0:
			list[at] = t
		case len(list) >= MaxTemplates:
			problems = append(problems, fmt.Errorf("%s: at most %d templates fit", f.Name, MaxTemplates))
			continue
		default:
			list = append(list, t)
		}
		from[t.ID] = f.Name
	}
	return list, problems
}
