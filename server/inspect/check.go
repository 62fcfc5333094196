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
	// CWE has the numbers of the weaknesses that the check finds (cwe.mitre.org), nil for a check that is not about
	// security.
	CWE []int
	// Precision is the share of true findings as GitHub names it: "very-high", "high", "medium" or "low". It is "" as long
	// as nobody has measured it; then reports say "medium".
	Precision string
	// Confidence is the confidence of findings that have none of their own; "" means Sure. A check is not sure if it
	// judges by more than the code shows, such as by where a value comes from or by whether other code uses a name.
	Confidence string
	// Local means that the findings in a file depend on that file alone, not on a manifest such as go.mod either, so
	// that an unchanged file need not be checked again.
	Local bool
	// Since means that the check compares the repository with Repo.Base if there is one, so that all its findings are
	// new.
	Since bool
	// Run reads the repository and reports findings. It returns soon after ctx ends. Its error says
	// why it could not examine everything; the findings that it has reported stay valid.
	Run func(ctx context.Context, r *Repo, report func(Finding)) error
}
