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

// Embedded parses the embedded files folder/ID.json. It panics if a file is invalid, so tests find such a file.
func (f *Format[T]) Embedded(files fs.FS, folder string, ids []string) []*T {
	list := make([]*T, len(ids))
	for i, id := range ids {
		name := folder + "/" + id + ".json"
		data, err := fs.ReadFile(files, name)
		if err == nil {
			list[i], err = f.Parse(name, data)
		}
		if err == nil && f.ID(list[i]) != id {
			err = fmt.Errorf("%s: id: %q must be the file's name without .json, %q", name, f.ID(list[i]), id)
		}
		if err != nil {
			panic("embedded " + f.What + ": " + err.Error())
		}
	}
	return list
}

// Merge returns the embedded entries and the entries of files. An entry of a file replaces the embedded entry with the
// same id; the other entries of files follow, sorted by file name. Merge leaves out each file that is invalid, has the
// id of an earlier file or exceeds Most, and returns a problem for each of them.
func (f *Format[T]) Merge(embedded []*T, files []Named) (list []*T, problems []error) {
	list = slices.Clone(embedded)
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b Named) int { return cmp.Compare(a.Name, b.Name) })
	from := map[string]string{} // has at most Most entries
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
			problems = append(problems, fmt.Errorf("%s: id: %q is already the id of %s", file.Name, id, from[id]))
			continue
		case at >= 0:
			list[at] = t
		case len(list) >= f.Most:
			problems = append(problems, fmt.Errorf("%s: left out, because there are already %d %s, the maximum",
				file.Name, f.Most, f.What))
			continue
		default:
			list = append(list, t)
		}
		from[id] = file.Name
	}
	return list, problems
}
