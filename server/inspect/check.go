package inspect

import "context"

// Check looks for one kind of problem.
type Check struct {
	ID   string // "healer/dropped-error": the hero and a name
	Hero string // role id of code_review
	// Looks completes the sentence "I look for ...".
	Looks string
	// Rule says in one sentence how the severity is chosen.
	Rule string
	// Local means that the findings in a file depend on that file alone, so that an unchanged
	// file need not be checked again.
	Local bool
	// Run reports findings through Repo.All or Repo.Files, and returns soon after ctx ends. An
	// error says why it could not look at everything; findings reported before it count.
	Run func(ctx context.Context, r *Repo, report func(Finding)) error
}
