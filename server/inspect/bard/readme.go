package bard

import (
	"context"
	"fmt"
	"path"
	"strings"

	"agentdungeon/server/inspect"
)

// howTo matches words by which a readme says how to build, run or use the code.
var howTo = inspect.Pattern(`(?i)\b(install\w*|build\w*|run|runs|running|us(e|es|ed|ing|age)|start\w*|setup|set up|quick ?start|compil\w*|import\w*|deploy\w*|example\w*|tutorial|documentation|docs?|manual|make|npm|yarn|cargo|pip|docker|go get|command\w*|click|open|download|launch|api)\b`)

// readme reports a missing readme, and a readme that does not say how to build, run or use the code.
func readme(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	source := 0
	for i := range r.Files {
		if f := &r.Files[i]; inspect.IsCode(f.Lang) && !f.Vendored && !f.Test {
			source++
		}
	}
	if source < 3 || ctx.Err() != nil {
		return ctx.Err()
	}
	var found []*inspect.File
	for _, dir := range []string{"", ".github", "docs", "doc"} {
		for _, f := range r.In(dir) {
			if strings.HasPrefix(strings.ToLower(f.Base()), "readme") {
				found = append(found, f)
			}
		}
	}
	if len(found) == 0 {
		report(inspect.Finding{
			Severity: inspect.Low, Same: "missing",
			Title:    "There is no readme",
			Evidence: fmt.Sprintf("%d source files, no README at the root, in .github or in docs", source),
			Why:      "Nobody who comes here learns what the code is for, how to run it or where to begin.",
			Advice:   "Write a README.md: what it is, how to build and run it, where the rest is explained.",
		})
		return nil
	}
	for _, f := range found {
		data, ok := r.Text(f.Path)
		if !ok || path.Ext(f.Path) == ".html" {
			return nil
		}
		if len(data) > 4000 || howTo.Match(data) || strings.Contains(string(data), "```") || strings.Contains(string(data), "://") || !mostlyASCII(data) {
			return nil // whether it says enough cannot be measured
		}
	}
	f := found[0]
	data, _ := r.Text(f.Path)
	shown := strings.Join(strings.Fields(string(data)), " ")
	if shown == "" {
		shown = "(empty)"
	}
	report(inspect.Finding{
		Severity: inspect.Low, Path: f.Path, Same: "says nothing",
		Title:    fmt.Sprintf("%s does not say how to build, run or use the code", f.Base()),
		Evidence: inspect.Clip(shown, 300),
		Why:      fmt.Sprintf("Whoever comes here has %d source files and no place to begin.", source),
		Advice:   "Add the commands that build and run it, and one example of its use.",
	})
	return nil
}

// mostlyASCII reports whether a text may be in English. Only then can the words of howTo be expected in it.
func mostlyASCII(data []byte) bool {
	other := 0
	for _, b := range data {
		if b >= 0x80 {
			other++
		}
	}
	return other*10 <= len(data)
}
