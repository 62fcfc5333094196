package jsonfile

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
)

// Named is a file with the name that errors use for it.
type Named struct {
	Name string
	Data []byte
}

// Format is a format of which the program embeds some files and people add others: templates and
// teams.
type Format[T any] struct {
	What  string // plural noun for errors, like "teams"
	Most  int    // maximum length of the list of embedded and added entries
	Parse func(name string, data []byte) (*T, error)
	ID    func(*T) string
}

// Embedded parses the embedded files folder/ID.json. It panics on an invalid one, which any test
// finds.
func (f *Format[T]) Embedded(files fs.FS, folder string, ids []string) []*T {
	list := make([]*T, len(ids))
	for i, id := range ids {
		name := folder + "/" + id + ".json"
		data, err := fs.ReadFile(files, name)
		if err == nil {
			list[i], err = f.Parse(name, data)
		}
		if err == nil && f.ID(list[i]) != id {
			err = fmt.Errorf("%s: id: %q is not %q", name, f.ID(list[i]), id)
		}
		if err != nil {
			panic("embedded " + f.What + ": " + err.Error())
		}
	}
	return list
}

// Merge returns the embedded entries and those of files. A file with the id of an embedded entry
// replaces that; the others follow in the order of their names. A file that is invalid, has the id
// of another file or exceeds Most is left out and adds a problem.
func (f *Format[T]) Merge(embedded []*T, files []Named) (list []*T, problems []error) {
	list = slices.Clone(embedded)
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b Named) int { return cmp.Compare(a.Name, b.Name) })
	from := map[string]string{} // at most Most ids
	for _, file := range files {
		t, err := f.Parse(file.Name, file.Data)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		id := f.ID(t)
		at := slices.IndexFunc(list, func(have *T) bool { return f.ID(have) == id })
		switch {
		case from[id] != "":
			problems = append(problems, fmt.Errorf("%s: id: %q is taken by %s, which counts", file.Name, id, from[id]))
			continue
		case at >= 0:
			list[at] = t
		case len(list) >= f.Most:
			problems = append(problems, fmt.Errorf("%s: at most %d %s fit", file.Name, f.Most, f.What))
			continue
		default:
			list = append(list, t)
		}
		from[id] = file.Name
	}
	return list, problems
}
