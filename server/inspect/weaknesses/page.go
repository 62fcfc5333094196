package weaknesses

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

func pages() inspect.Check {
	return inspect.Check{
		ID: "sentinel/html-of-text", Hero: "sentinel", CWE: []int{79}, Local: true,
		Looks: "HTML that is joined from text and from values of the page's address or of a request, and put " +
			"into a page (JavaScript)",
		Rule: "High. Only values that are not escaped. Left out: tests.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			sets := func(f *inspect.File, data []byte) bool {
				return !f.Test && inspect.HasAny(data, "innerHTML", "outerHTML", "insertAdjacentHTML", "__html", "document.write")
			}
			for t := range r.Trees(ctx, sets, inspect.Scripts...) {
				findPages(t, tell)
			}
			return ctx.Err()
		},
	}
}

var (
	setsHTML  = inspect.Pattern(`\.(?:inner|outer)HTML$`)
	callsHTML = inspect.Pattern(`\.insertAdjacentHTML$|^document\.writeln?$`)
	// tamed matches values that are harmless when inserted into a text: escaped values and numbers.
	tamed = inspect.Pattern(`(?i)(quote|escape|encode|sanitize|purify|stringify|\.replace(?:All)?\(|\bNumber\(|parseInt|` +
		`\.length\b)`)
	// untrusted matches values from the page's address or from a request.
	untrusted = inspect.Pattern(`(?i)\b(?:req(?:uest)?\.(?:query|params|body|cookies|headers|url)|` +
		`ctx\.(?:query|params|request)|location\.(?:hash|search|href)|window\.name)\b`)
)

// maxTold is the maximum number of findings in one file.
const maxTold = 20

func findPages(t *inspect.Tree, tell func(inspect.Finding)) {
	told := 0
	for n := range t.Root().All() {
		var html syntax.Node
		switch n.Kind() {
		case "assignment_expression", "augmented_assignment_expression":
			if setsHTML.MatchString(n.Child("left").Text()) {
				html = n.Child("right")
			}
		case "call_expression":
			if args := n.Args(); len(args) > 0 && callsHTML.MatchString(n.Callee()) {
				html = args[len(args)-1]
			}
		case "pair":
			if n.Child("key").Text() == "__html" {
				html = n.Child("value")
			}
		}
		values, text := joined(html)
		values = slices.DeleteFunc(values, func(v string) bool {
			return tamed.MatchString(v) || !untrusted.MatchString(v)
		})
		if !text || len(values) == 0 || told == maxTold || t.Accepted(html.Line()) {
			continue
		}
		told++
		tell(inspect.Finding{
			Severity: inspect.High, Path: t.File.Path, Line: html.Line(),
			Title: fmt.Sprintf("Cross-site scripting (XSS): HTML is put together with %s",
				inspect.Clip(strings.Join(strings.Fields(values[0]), " "), 40)),
			Evidence: t.Quote(html.Line()),
			Why:      "A < in the value becomes markup, and a script in it runs as if the page had sent it.",
			Advice:   "Create the elements and set textContent, or escape the value where it is inserted.",
		})
	}
}

// joined returns the values that an expression joins with a constant text. text is set if there is such a text.
func joined(n syntax.Node) (values []string, text bool) {
	var sides []syntax.Node
	switch n.Kind() {
	case "string":
		return nil, true
	case "template_string":
		for _, c := range n.Parts() {
			if c.Kind() == "template_substitution" {
				values = append(values, c.First().Text())
			}
		}
		return values, true
	case "binary_expression":
		if n.Child("operator").Text() == "+" {
			sides = n.Parts()
		}
	case "parenthesized_expression":
		sides = n.Parts()
	case "ternary_expression":
		sides = n.Parts()[1:]
	case "":
		return nil, false
	}
	if len(sides) == 0 {
		return []string{n.Text()}, false
	}
	for _, side := range sides {
		v, is := joined(side)
		values, text = append(values, v...), text || is
	}
	return values, text
}
