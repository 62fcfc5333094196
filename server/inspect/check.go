package inspect

import "context"

// Check looks for one kind of thing.
type Check struct {
	ID   string // "healer/dropped-error": the hero and a name
	Hero string // role id of code_review
	// Looks says what it looks for, as the end of the sentence "I look for ...".
	Looks string
	// Rule says which severity it gives when, in one sentence.
	Rule string
	// Local: what it finds in a file depends on that file alone, so that a file that
	// has not changed need not be looked at again.
	Local bool
	// Run reports what it finds, through Repo.All or Repo.Files, and ends soon after ctx.
	// An error says why it could not look; what it has reported before counts.
	Run func(ctx context.Context, r *Repo, report func(Finding)) error
}
