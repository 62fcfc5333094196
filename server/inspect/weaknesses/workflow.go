package weaknesses

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"agentdungeon/server/inspect"
)

func workflows() inspect.Check {
	return inspect.Check{
		ID: "sentinel/workflow", Hero: "sentinel", CWE: []int{94}, Local: true,
		Looks: "GitHub workflows in which a stranger's pull request or comment runs with the repository's rights",
		Rule: "High for a stranger's text that is inserted into a script and for a stranger's code that is " +
			"checked out with the repository's rights; medium for the text if no trigger gives a stranger's run " +
			"those rights. Left out: steps whose version of actions/checkout refuses such code, as it does since " +
			"July 2026.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			// Read r.Files, because Repo.All would skip .github as third-party code.
			for i := range r.Files {
				f := &r.Files[i]
				if !strings.HasPrefix(f.Path, ".github/workflows/") && f.Path != "action.yml" && f.Path != "action.yaml" ||
					ctx.Err() != nil {
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
	runs     = inspect.Pattern(`^(\s*)(?:-\s+)?(?:run|script):\s*(.*)$`)
	stranger = inspect.Pattern(`\$\{\{\s*(github\.head_ref|github\.event\.(?:issue\.title|issue\.body|` +
		`pull_request\.title|pull_request\.body|pull_request\.head\.(?:ref|label)|comment\.body|review\.body|` +
		`review_comment\.body|discussion\.title|discussion\.body|head_commit\.message|workflow_run\.head_branch))\s*\}\}`)
	onKey = inspect.Pattern(`^["']?on["']?\s*:`)
	// rights matches the triggers that strangers can cause although the workflow then runs with the repository's
	// rights.
	rights = inspect.Pattern(`\b(?:pull_request_target|issues|issue_comment|discussion|discussion_comment|` +
		`workflow_run|fork|watch)\b`)
	target   = inspect.Pattern(`\bpull_request_target\b`)
	checkout = inspect.Pattern(`^\s*(?:-\s+)?uses:\s*["']?actions/checkout@([^\s"'#]+)["']?(?:\s*#\s*(\S+))?`)
	// headCode matches a ref that names a stranger's code. headName matches a ref that names the branch of a pull
	// request. That branch is looked up in the project's own repository unless the step also names the stranger's
	// repository (headRepo).
	headCode = inspect.Pattern(`^\s*ref:.*(?:github\.event\.pull_request\.(?:head\.sha|merge_commit_sha)|refs/pull/)`)
	headName = inspect.Pattern(`^\s*ref:.*(?:github\.head_ref|github\.event\.pull_request\.head\.ref)`)
	headRepo = inspect.Pattern(`^\s*repository:.*github\.event\.pull_request\.head\.repo\.`)
	allows   = inspect.Pattern(`^\s*allow-unsafe-pr-checkout:\s*["']?true`)
	exact    = inspect.Pattern(`^v\d+\.\d+`)
)

// refusing maps major versions of actions/checkout to the first version that refuses a fork's code under
// pull_request_target. A tag with only the major version, such as v4, stands for the newest version of that major
// version.
var refusing = map[string]string{"v2": "v2.8.0", "v3": "v3.7.0", "v4": "v4.4.0", "v5": "v5.1.0", "v6": "v6.1.0"}

// takesForks reports whether a version of actions/checkout certainly accepts a fork's code. If version is the hash of a
// commit, said is the version that the comment after the hash names.
func takesForks(version, said string) bool {
	if len(version) == 40 {
		version = said
		if !exact.MatchString(version) {
			return false
		}
	}
	if !semver.IsValid(version) {
		return false
	}
	major := semver.Major(version)
	return major == "v1" || exact.MatchString(version) && refusing[major] != "" &&
		semver.Compare(version, refusing[major]) < 0
}

// checkoutStep is a step that uses actions/checkout, with what the lines of the step that were read so far contain.
type checkoutStep struct {
	line              int // line of its ref, 0 before that is read
	code, name, forks bool
	takes             bool
}

// triggers returns the lines of a workflow's "on" key, without comments.
func triggers(data []byte) string {
	var out strings.Builder
	in := false
	for _, line := range inspect.Lines(data) {
		if body := strings.TrimSpace(line); body == "" || body[0] == '#' {
			continue
		}
		if strings.IndexByte(" -", line[0]) < 0 {
			in = onKey.MatchString(line)
		}
		if in {
			line, _, _ = strings.Cut(line, " #")
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

func findWorkflow(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	on := triggers(data)
	inTarget := target.MatchString(on)
	severity, why := inspect.Medium, "The text is filled in before the shell reads the script: one with a quote breaks "+
		"it, and one such as $(command) runs in it."
	if rights.MatchString(on) {
		severity, why = inspect.High, "The text is filled in before the shell reads the script, so a title or branch name "+
			"such as $(command) runs with the workflow's rights."
	}
	runIndent, checkoutIndent := -1, -1
	var step checkoutStep
	end := func() {
		if step.line > 0 && step.takes && (step.code || step.name && step.forks) {
			tell(inspect.Finding{
				Severity: inspect.High, Path: f.Path, Line: step.line, Evidence: inspect.Line(data, step.line),
				Title: "pull_request_target runs a stranger's code with the repository's rights",
				Why: "pull_request_target gives the workflow a token that may write and the repository's secrets; a " +
					"build or a test of the checked-out code gives both to the author of that code.",
				Advice: "Build under pull_request, and keep pull_request_target for steps that do not touch the code.",
			})
		}
		checkoutIndent, step = -1, checkoutStep{}
	}
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
			end()
		}
		if m := runs.FindStringSubmatch(line); m != nil && runIndent < 0 {
			runIndent = len(line) - len(strings.TrimLeft(line, " -"))
		}
		if m := checkout.FindStringSubmatch(line); m != nil {
			checkoutIndent, step = indent, checkoutStep{takes: takesForks(m[1], m[2])}
		}
		if m := stranger.FindStringSubmatch(line); m != nil && runIndent >= 0 {
			tell(inspect.Finding{
				Severity: severity, Path: f.Path, Line: n, Evidence: inspect.Line(data, n),
				Title:  inspect.Clip(fmt.Sprintf("Script injection in a GitHub workflow: %s is inserted into a script", m[1]), 100),
				Why:    why,
				Advice: "Pass it as an environment variable of the step and write \"$NAME\" in the script.",
			})
		}
		if inTarget && checkoutIndent >= 0 {
			code, name := headCode.MatchString(line), headName.MatchString(line)
			if code || name {
				step.line = n
			}
			step.code, step.name = step.code || code, step.name || name
			step.forks = step.forks || headRepo.MatchString(line)
			step.takes = step.takes || allows.MatchString(line)
		}
	}
	end()
}
