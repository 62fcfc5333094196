package inspect

import (
	"errors"
	"path"
	"strings"
)

// ErrNoFile means that a name matches no file of the map, or that several paths end with it.
var ErrNoFile = errors.New("no single file of the map has that path")

// Below returns the path of a file, relative to a folder. name is absolute, or relative to the folder already.
func Below(folder, name string) string {
	if below, ok := strings.CutPrefix(name, strings.TrimSuffix(folder, "/")+"/"); ok {
		name = below
	}
	return path.Clean(name)
}

// Known has the facts about one file that can be measured.
type Known struct {
	Path      string // relative to the repository, in the form of fs.FS
	Lang      string // "" if it is unknown
	Size      int64  // in bytes
	Lines     int    // 0 for a file that is no text
	Test      bool
	Vendored  bool
	Generated bool
	Says      string // the first paragraph of the file's package comment, "" for none
	Imports   []Spec
	// Importers are the places that import the file or, for Go, its folder: first those outside of tests.
	Importers []Place
	Tests     []Tests // test files that belong to the file
	Past      *Past   // nil if no commit that was read changed it
	Commits   int     // number of commits that were read
	Whole     bool    // set if these are all commits of the history
	Newest    *Newest // nil if no line is in a commit
	Writers   []Writer
	Open      int // number of lines without an author, mostly because they are in no commit
	// Unknown has sentences about facts that could not be measured, and why.
	Unknown []string
}

// Spec is an import path or module name as a line of a file imports it.
type Spec struct {
	Name string
	Line int
}

// Place is a line of a file.
type Place struct {
	Path string
	Line int
}

// Tests is a file with tests, and how many it has.
type Tests struct {
	Path  string
	Count int
}

// Newest is the line of a file that was changed last.
type Newest struct {
	Author
	Line int
}

// Writer is a person who wrote lines of a file's present content.
type Writer struct {
	Name  string
	Lines int
}
