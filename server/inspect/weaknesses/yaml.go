package weaknesses

import (
	"context"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/syntax"
)

func yamlLoaders() inspect.Check {
	return inspect.Check{
		ID: "sentinel/yaml-loader", Hero: "sentinel", CWE: []int{502}, Local: true,
		Looks: "yaml.load with a loader that builds any object (Python)",
		Rule: "High; medium for a file that the program opens itself. Left out: tests, and values of a request, " +
			"which another check reports. Less sure in examples. A candidate if the program chooses the loader at " +
			"run time.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			loads := func(f *inspect.File, data []byte) bool {
				return !f.Test && inspect.HasAny(data, "yaml.load") && !inspect.HasAny(data, "ruamel")
			}
			for t := range r.Trees(ctx, loads, "Python") {
				findLoaders(t, tell)
			}
			return ctx.Err()
		},
	}
}

var badLoader = inspect.Pattern(`^(?:yaml\.)?(?:UnsafeLoader|Loader|CLoader|UnsafeCLoader)$`)

// fromYAML matches statements that import names from the module yaml.
var fromYAML = inspect.Pattern(`(?m)^\s*from\s+yaml(?:\.\w+)?\s+import\s+(?:\([^)]*\)|.*)`)

func findLoaders(t *inspect.Tree, tell func(inspect.Finding)) {
	imported, files := false, map[string]bool(nil)
	fromYAML := fromYAML.FindAll(t.Text, -1)
	for n := range t.Root().All() {
		if n.Kind() == "import_statement" {
			imported = imported || slices.ContainsFunc(n.Parts(), func(p syntax.Node) bool { return p.Text() == "yaml" })
		}
		args := n.Args()
		if callee := n.Callee(); !imported || callee != "yaml.load" && callee != "yaml.load_all" || len(args) == 0 {
			continue
		}
		loader := n.Keyword("Loader")
		if !loader.OK() && len(args) > 1 && args[1].Kind() != "keyword_argument" {
			loader = args[1]
		}
		hit := inspect.Finding{
			Severity: inspect.High, Path: t.File.Path, Line: n.Line(), Evidence: t.Quote(n.Line()),
			Title: "Unsafe deserialization: yaml.load uses a loader that builds any object",
			Why: "A YAML text that is read with this loader can name any Python object, and creating the object " +
				"can run any code.",
			Advice: "Use yaml.safe_load, or SafeLoader with the few types that are needed.",
		}
		if files == nil {
			files = opened(t)
		}
		if opens(args[0]) || files[args[0].Text()] {
			hit.Severity = inspect.Medium
		}
		if loader.OK() && strings.HasPrefix(loader.Text(), "yaml.") {
			hit.Mend = inspect.Mend{Old: loader.Text(), New: "yaml.SafeLoader"}
		}
		splat := slices.ContainsFunc(args, func(a syntax.Node) bool { return strings.HasSuffix(a.Kind(), "_splat") })
		switch {
		case splat || t.Accepted(hit.Line) || loader.OK() && !badLoader.MatchString(loader.Text()):
			continue
		case !loader.OK():
			hit.Title = "Unsafe deserialization: yaml.load is called without a loader"
			hit.Why = "PyYAML before 5.1 builds any object that the text names and so runs code; " +
				"since 6.0 the call fails."
			hit.Advice = "Use yaml.safe_load."
			hit.Mend = inspect.Mend{Old: n.Callee() + "(", New: strings.Replace(n.Callee(), ".load", ".safe_load", 1) + "("}
		}
		hit.Cause = inspect.Cause{Key: hit.Title, Text: "the calls of yaml.load"}
		if name := loader.Text(); loader.Kind() == "identifier" && !slices.ContainsFunc(fromYAML, func(line []byte) bool {
			return strings.Contains(string(line), name)
		}) {
			hit.Suspect("the program chooses the loader, so the choice may be intended")
		}
		tell(hit)
	}
}

// opened returns the names of files that the program opens, such as its configuration. Only people who can write
// such a file can exploit the loader.
func opened(t *inspect.Tree) map[string]bool {
	out := map[string]bool{}
	for a := range t.Root().All() {
		switch {
		case a.Kind() == "assignment" && opens(a.Child("right")):
			out[a.Child("left").Text()] = true
		case a.Kind() == "as_pattern" && opens(a.First()):
			out[a.Child("alias").Text()] = true
		}
	}
	return out
}

func opens(v syntax.Node) bool {
	return v.IsCall() && (v.Callee() == "open" || strings.HasSuffix(v.Callee(), ".open"))
}
