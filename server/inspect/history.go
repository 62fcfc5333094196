package inspect

import (
	"context"
	"time"
)

// History is what a repository's commits tell. Whoever makes it bounds its time.
type History interface {
	// Head is the commit that is checked out, as hex; "" before the first one.
	Head() string
	// Since gives the files that differ between a commit and what lies on the disk now,
	// sorted; ok is false where the commit is not known or the answer took too long.
	Since(ctx context.Context, commit string) (paths []string, ok bool)
	// Commits is how many commits were read; whole says whether those were all.
	Commits() (n int, whole bool)
	// Past of a file that some commit changed.
	Past(path string) (Past, bool)
	// Blame gives who wrote a line, and when. It may take a while.
	Blame(ctx context.Context, path string, line int) (Author, error)
	// Tag gives the newest version tag in HEAD's history and a reader of files as they
	// were then; name is "" without one.
	Tag(ctx context.Context) (name string, at time.Time, read func(path string) ([]byte, bool), err error)
}

// Past is what happened to a file under the name that it has: what "git log
// --full-history --no-merges -- PATH" tells, of the commits that were read.
type Past struct {
	Commits     int
	First, Last time.Time // of the oldest and the newest of them
	Authors     int
	// Born is when the oldest commit that was read changed it, also under names that it
	// had before it moved without a change.
	Born time.Time
}

// Author of a line.
type Author struct {
	Name string
	At   time.Time
}
