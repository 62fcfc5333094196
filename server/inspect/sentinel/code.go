package sentinel

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

func codeFromText() inspect.Check {
	return inspect.Check{
		ID: hero + "/code-from-data", Hero: hero, CWE: []int{95, 502}, Local: true, Confidence: inspect.Likely,
		Looks: "data that is run or loaded as code (eval and new Function in JavaScript; yaml.load, pickle and eval in Python)",
		Rule:  "High for data from the network and for YAML without a safe loader, medium for code that is joined with a value; tests are left out.",
		Run: func(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
			for f, data := range r.All(ctx, scripts...) {
				if !f.Test && !lex.Dense(data) && lex.HasAny(data, "eval", "Function") && !tool.MatchString(f.Path) {
					scriptCode(f, data, tell)
				}
			}
			for f, data := range r.All(ctx, "Python") {
				if !f.Test && !lex.Dense(data) && lex.HasAny(data, "yaml.", "pickle", "Pickle", "dill.", "marshal.", "eval", "exec") && !tool.MatchString(f.Path) {
					pythonCode(f, data, tell)
				}
			}
			return ctx.Err()
		},
	}
}

var (
	// tool matches paths of programs whose purpose is to run text as code.
	tool       = inspect.Pattern(`(?i)(repl|eval|sandbox|playground|console|interpreter|compiler|template|notebook|debugger|(^|/)(scripts?|tools?|build|bin)/)`)
	jsEval     = inspect.Pattern(`(?:^|[^.\w$])(?:eval|new\s+Function)\s*\(`)
	pyYAML     = inspect.Pattern(`(?:^|[^.\w])yaml\.(load|load_all)\s*\(`)
	pyPickle   = inspect.Pattern(`(?:^|[^.\w])(?:c?[pP]ickle|dill|marshal)\.loads?\s*\(`)
	pyEval     = inspect.Pattern(`(?:^|[^.\w])(?:eval|exec)\s*\(`)
	fromNet    = inspect.Pattern(`(?i)\b(request\.|self\.request|flask\.request|\w*\.recv\(|websocket\.|self\.rfile|response\.content|resp\.content|r\.content|urlopen|requests\.get)`)
	importYAML = inspect.Pattern(`(?m)^\s*import\s+yaml\b|^\s*import\s+[\w, ]*\byaml\b`)
	safeLoader = inspect.Pattern(`(?i)safe|base_?loader|Loader\s*=\s*\w*(?:Custom|My|Safe|Base)\w*`)
	badLoader  = inspect.Pattern(`\b(?:yaml\.)?(?:UnsafeLoader|Loader|CLoader|UnsafeCLoader)\b$`)
)

func scriptCode(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	s := lex.Scan(f.Lang, data)
	for _, args := range s.Calls(jsEval) {
		if len(args) == 0 {
			continue
		}
		last := args[len(args)-1]
		what := strings.TrimSpace(string(data[last.From:last.To]))
		// Skip a plain variable, because it may hold the caller's own code.
		parts := pieces(s, last)
		if len(parts) == 0 && !untrusted.MatchString(what) {
			continue
		}
		if len(parts) > 0 {
			what = parts[0]
		}
		line := s.Line(last.From)
		if s.Accepted(line) {
			continue
		}
		sev := inspect.Medium
		if untrusted.MatchString(what) {
			sev = inspect.High
		}
		tell(inspect.Finding{
			Severity: sev, Path: f.Path, Line: line,
			Title:    fmt.Sprintf("A text is run as code: %s", inspect.Clip(strings.Join(strings.Fields(what), " "), 50)),
			Evidence: s.Quote(line),
			Why:      "Whoever can shape the text runs code with all rights of the page or the server.",
			Advice:   "Parse the data (JSON.parse) or choose among known functions by name.",
		})
	}
}

func pythonCode(f *inspect.File, data []byte, tell func(inspect.Finding)) {
	s := lex.Scan(f.Lang, data)
	hit := func(off int, title, why, advice string) {
		line := s.Line(off)
		if s.Accepted(line) {
			return
		}
		tell(inspect.Finding{Severity: inspect.High, Path: f.Path, Line: line, Title: title, Evidence: s.Quote(line), Why: why, Advice: advice})
	}
	if importYAML.Match(s.Code) && !bytes.Contains(s.Code, []byte("ruamel")) {
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
			switch {
			case !given:
				hit(args[0].From, "yaml.load is called without a loader", "PyYAML before 5.1 builds any object that the text names and so runs code; since 6.0 the call fails.", "Use yaml.safe_load.")
			case badLoader.MatchString(loader) && !safeLoader.MatchString(loader):
				hit(args[0].From, "yaml.load uses a loader that builds any object", "A text can name objects whose making runs code.", "Use yaml.safe_load, or SafeLoader with the few types that are needed.")
			}
		}
	}
	for _, args := range s.Calls(pyPickle) {
		if len(args) > 0 && fromNet.Match(s.Code[args[0].From:args[0].To]) {
			hit(args[0].From, "Pickled data from the network is loaded", "A pickle can name any function to be called while it is loaded: whoever sends it runs code.", "Send JSON, or sign the data and check that before it is loaded.")
		}
	}
	for _, args := range s.Calls(pyEval) {
		if len(args) > 0 && (fromNet.Match(s.Code[args[0].From:args[0].To]) || untrusted.Match(s.Code[args[0].From:args[0].To])) {
			hit(args[0].From, "Text from a request is run as code", "Whoever sends the request runs code with all rights of the program.", "Parse the data (json.loads, ast.literal_eval).")
		}
	}
}
