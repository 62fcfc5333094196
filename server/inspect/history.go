package inspect

import (
	"context"
	"time"
)

// History answers questions about the history of a repository. Its implementation limits the time of each answer.
type History interface {
	// Head returns the commit that is checked out, in hex; "" before the first commit.
	Head() string
	// State returns a text that names what the history consists of: two histories with the same state give the same
	// answers, except Since, which depends on the files on disk too.
	State(ctx context.Context) (string, error)
	// Since returns the sorted paths of the files that differ between a commit and the files on disk. ok is false if
	// the commit is unknown or the answer took too long.
	Since(ctx context.Context, commit string) (paths []string, ok bool)
	// Commits returns the number of commits that were read. whole reports whether these are all commits of the history.
	Commits() (n int, whole bool)
	// Past returns the history of a file. ok is false if none of the commits that were read changed it.
	Past(path string) (past Past, ok bool)
	// Blame returns the author of a line. It may take long.
	Blame(ctx context.Context, path string, line int) (Author, error)
	// Tag returns the newest version tag in HEAD's history, its time, and a function that reads files of the tagged
	// commit. name is "" if there is no tag.
	Tag(ctx context.Context) (name string, at time.Time, read func(path string) ([]byte, bool), err error)
}

// Past is the history of a file under its present name. It covers the commits that were read and that "git log
// --full-history --no-merges -- PATH" lists.
type Past struct {
	Commits     int
	First, Last time.Time // times of the oldest and the newest commit
	Authors     int
	// Born is the time of the oldest commit that changed the file under its present name or, if a commit renamed the
	// file without changing it, under an earlier name.
	Born time.Time
}

// Author is the author of a line.
type Author struct {
	Name string
	At   time.Time
}

// Authorship is a History that knows who made the changes.
type Authorship interface {
	// Authors returns the people who changed the files at or below a path, "" for all, in the commits that were
	// read. The person with the most changes is first.
	Authors(path string) []Authored
}

// Authored summarizes the changes of one person.
type Authored struct {
	Name    string // the name in the person's newest commit
	Changes int    // of files: a commit counts once for each file
	Last    time.Time
}
