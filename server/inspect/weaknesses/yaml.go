package weaknesses

import (
	"context"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

func yamlLoaders() inspect.Check {
	return inspect.Check{
		ID: "sentinel/yaml-loader", Hero: "sentinel", CWE: []int{502}, Local: true,
		Looks: "yaml.load with a loader that builds any object (Python)",
		Rule:  "High; tests and examples are left out, and what comes from a request, which flows tell.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f, data := range r.All(ctx, "Python") {
				if lex.Product(f) && !lex.Dense(data) && lex.HasAny(data, "yaml.") {
					findLoaders(f, data, tell)
				}
			}
			return ctx.Err()
		},
	}
}

var (
	pyYAML     = inspect.Pattern(`(?:^|[^.\w])yaml\.(load|load_all)\s*\(`)
	importYAML = inspect.Pattern(`(?m)^\s*import\s+yaml\b|^\s*import\s+[\w, ]*\byaml\b`)
	safeLoader = inspect.Pattern(`(?i)(?:^|[^n])safe|base_?loader|Loader\s*=\s*\w*(?:Custom|My|Safe|Base)\w*`)
	badLoader  = inspect.Pattern(`\b(?:yaml\.)?(?:UnsafeLoader|Loader|CLoader|UnsafeCLoader)\b$`)
)

func findLoaders(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	s := lex.Scan(f.Lang, data)
	if !importYAML.Match(s.Code) || lex.HasAny(s.Code, "ruamel") {
		return
	}
	for _, args := range s.Calls(pyYAML) {
		if len(args) == 0 {
			continue
		}
		loader, given := "", false
		for i, a := range args {
			text := strings.Join(strings.Fields(string(s.Code[a.From:a.To])), "")
			if v, ok := strings.CutPrefix(text, "Loader="); ok || i == 1 && !strings.Contains(text, "=") {
				loader, given = v, true
			}
			given = given || strings.HasPrefix(text, "*")
		}
		hit := inspect.Finding{Severity: inspect.High, Path: f.Path, Line: s.Line(args[0].From)}
		switch {
		case s.Accepted(hit.Line):
			continue
		case !given:
			hit.Title = "yaml.load is called without a loader"
			hit.Why = "PyYAML before 5.1 builds any object that the text names and so runs code; " +
				"since 6.0 the call fails."
			hit.Advice = "Use yaml.safe_load."
		case badLoader.MatchString(loader) && !safeLoader.MatchString(loader):
			hit.Title = "yaml.load uses a loader that builds any object"
			hit.Why = "A text can name objects whose making runs code."
			hit.Advice = "Use yaml.safe_load, or SafeLoader with the few types that are needed."
		default:
			continue
		}
		hit.Evidence = s.Quote(hit.Line)
		tell(hit)
	}
}
