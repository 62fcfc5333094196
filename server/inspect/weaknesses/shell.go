package weaknesses

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

func shells() inspect.Check {
	return inspect.Check{
		ID: "sentinel/shell-of-text", Hero: "sentinel", CWE: []int{78}, Local: true, Confidence: inspect.Doubtful,
		Looks: "commands for a shell in whose text a file name is put without quotation (Python)",
		Rule: "Medium; only values with the name of a file or folder that are not constant and not quoted; tests are left " +
			"out; always a candidate, because the program may have chosen the name.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			runs := func(f *inspect.File, data []byte) bool {
				return !f.Test && inspect.HasAny(data, "shell=True", "os.system(", "os.popen(", "getoutput(")
			}
			for t := range r.Trees(ctx, runs, "Python") {
				findShells(t, tell)
			}
			return ctx.Err()
		},
	}
}

var (
	runsShell = inspect.Pattern(`^(?:os\.(?:system|popen)|(?:subprocess\.|commands\.)?get(?:status)?output)$`)
	mayShell  = inspect.Pattern(`^(?:subprocess\.)?(?:call|run|Popen|check_call|check_output)$`)
	ofFile    = inspect.Pattern(`(?i)(?:^|[._])(?:file|path|dir|folder)$|(?:file|path|dir|folder)(?:_?name)?$|` +
		`^(?:fname|src|dst|dest|fn)(?:_\w+)?$`)
)

func findShells(t *inspect.Tree, tell func(inspect.Finding)) {
	told := 0
	for n := range t.Root().All() {
		args := n.Args()
		if n.Kind() != "call" || len(args) == 0 || told == maxTold || t.Accepted(n.Line()) ||
			!runsShell.MatchString(n.Callee()) &&
				!(mayShell.MatchString(n.Callee()) && n.Keyword("shell").Text() == "True") {
			continue
		}
		fn := n.Around("function_definition", "module")
		text := args[0]
		if text.Kind() == "identifier" {
			text = onlyValue(fn, text.Text())
		}
		for _, v := range inText(text) {
			name := v.Text()
			if v.Kind() != "identifier" && v.Kind() != "attribute" || !ofFile.MatchString(name) ||
				name == strings.ToUpper(name) || fixed(fn, v) {
				continue
			}
			told++
			tell(inspect.Finding{
				Severity: inspect.Medium, Path: t.File.Path, Line: n.Line(), Evidence: t.Quote(n.Line()),
				Title: inspect.Clip(fmt.Sprintf("Command injection: a shell reads %s", name), 100),
				Why: "A space in the name makes two words of it, and a name with ; or $( runs another command with the rights " +
					"of the program.",
				Advice: "Start the program without a shell, with a list of arguments, or put the name in shlex.quote.",
			})
			break
		}
	}
}

// inText returns the values that an expression inserts into a constant text.
func inText(n syntax.Node) (out []syntax.Node) {
	switch n.Kind() {
	case "parenthesized_expression":
		return inText(n.First())
	case "string", "concatenated_string":
		for c := range n.All() {
			if c.Kind() == "interpolation" {
				out = append(out, c.First())
			}
		}
	case "binary_operator":
		left, right := n.Child("left"), n.Child("right")
		switch n.Child("operator").Text() {
		case "%":
			if k := left.Kind(); k != "string" && k != "concatenated_string" && k != "parenthesized_expression" {
				return nil
			}
			if right.Kind() == "tuple" {
				return right.Parts()
			}
			return []syntax.Node{right}
		case "+":
			if out = append(inText(left), inText(right)...); strings.Contains(left.Kind(), "string") || len(out) > 0 {
				for _, side := range []syntax.Node{left, right} {
					if k := side.Kind(); k == "identifier" || k == "attribute" {
						out = append(out, side)
					}
				}
			}
		}
	case "call":
		if f := n.Child("function"); f.Child("attribute").Text() == "format" && f.Child("object").Kind() == "string" {
			for _, a := range n.Args() {
				if a.Kind() == "keyword_argument" {
					a = a.Child("value")
				}
				out = append(out, a)
			}
		}
	}
	return out
}

// assigned returns the values that a function assigns to a name.
func assigned(fn syntax.Node, name string) (out []syntax.Node) {
	for n := range fn.All() {
		if k := n.Kind(); (k == "assignment" || k == "augmented_assignment") && n.Child("left").Text() == name {
			out = append(out, n.Child("right"))
		}
	}
	return out
}

// onlyValue returns the value of a variable that a function assigns only once, or the zero Node.
func onlyValue(fn syntax.Node, name string) syntax.Node {
	if all := assigned(fn, name); len(all) == 1 {
		return all[0]
	}
	return syntax.Node{}
}

// fixed reports whether a value is the program's own or was quoted. It is a constant, a temporary file or the
// program's own path, or a function whose name says that it quotes has returned it.
func fixed(fn, v syntax.Node) bool {
	return slices.ContainsFunc(assigned(fn, v.Text()), func(n syntax.Node) bool {
		text := strings.ToLower(n.Text())
		return n.Kind() == "string" && !n.Has("interpolation") || slices.ContainsFunc(harmless, func(word string) bool {
			return strings.Contains(text, word)
		})
	})
}

var harmless = []string{"quot", "escape", "tmp", "temp", "__file__"}
