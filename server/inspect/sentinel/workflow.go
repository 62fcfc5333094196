package sentinel

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"agentdungeon/server/inspect"
)

func workflows() inspect.Check {
	return inspect.Check{
		ID: hero + "/workflow", Hero: hero, Local: true,
		Looks: "GitHub workflows in which a stranger's pull request or comment runs with the repository's rights",
		Rule:  "High for a stranger's text that is put into a script and for a stranger's code that is checked out with the repository's rights.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			// Not Repo.All: it takes .github for somebody else's.
			for i := range r.Files {
				f := &r.Files[i]
				if !strings.HasPrefix(f.Path, ".github/workflows/") && f.Path != "action.yml" && f.Path != "action.yaml" || ctx.Err() != nil {
					continue
				}
				if data, ok := r.Text(f.Path); ok {
					findWorkflow(f, data, tell)
				}
			}
			return ctx.Err()
		},
	}
}

var (
	runs     = regexp.MustCompile(`^(\s*)(?:-\s+)?(?:run|script):\s*(.*)$`)
	stranger = regexp.MustCompile(`\$\{\{\s*(github\.head_ref|github\.event\.(?:issue\.title|issue\.body|pull_request\.title|pull_request\.body|pull_request\.head\.(?:ref|label)|comment\.body|review\.body|review_comment\.body|discussion\.title|discussion\.body|head_commit\.message|workflow_run\.head_branch))\s*\}\}`)
	target   = regexp.MustCompile(`(?m)^\s*(?:-\s*|on:\s*\[?.*)?pull_request_target\b`)
	checkout = regexp.MustCompile(`^(\s*)-?\s*uses:\s*actions/checkout@`)
	headRef  = regexp.MustCompile(`^\s*ref:\s*.*\$\{\{.*(?:github\.head_ref|github\.event\.pull_request\.head\.(?:ref|sha)|refs/pull/).*`)
)

func findWorkflow(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	inTarget := target.Match(data)
	runIndent, checkoutIndent := -1, -1
	for n, line := range inspect.Lines(data) {
		body := strings.TrimSpace(line)
		if body == "" || body[0] == '#' {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if runIndent >= 0 && indent <= runIndent {
			runIndent = -1
		}
		if checkoutIndent >= 0 && indent < checkoutIndent || strings.HasPrefix(body, "- ") {
			checkoutIndent = -1
		}
		if m := runs.FindStringSubmatch(line); m != nil && runIndent < 0 {
			runIndent = len(line) - len(strings.TrimLeft(line, " -"))
		}
		if checkout.MatchString(line) {
			checkoutIndent = indent
		}
		if m := stranger.FindStringSubmatch(line); m != nil && runIndent >= 0 {
			tell(inspect.Finding{
				Severity: inspect.High, Path: f.Path, Line: n, Evidence: inspect.Line(data, n),
				Title:  inspect.Clip(fmt.Sprintf("A stranger's text is put into a script: %s", m[1]), 100),
				Why:    "The text is filled in before the shell reads the script, so a title or branch name such as $(command) runs with the workflow's rights.",
				Advice: "Hand it over as an environment variable of the step and write \"$NAME\" in the script.",
			})
		}
		if inTarget && checkoutIndent >= 0 && headRef.MatchString(line) {
			tell(inspect.Finding{
				Severity: inspect.High, Path: f.Path, Line: n, Evidence: inspect.Line(data, n),
				Title:  "A stranger's code is checked out with the repository's rights",
				Why:    "pull_request_target gives the workflow a token that may write and the repository's secrets; a build or a test of the checked-out code hands both to its writer.",
				Advice: "Build under pull_request, and keep pull_request_target for steps that do not touch the code.",
			})
		}
	}
}
