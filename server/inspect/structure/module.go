package structure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func unusedModules() inspect.Check {
	return inspect.Check{
		ID: "archaeologist/unused-module", Hero: "archaeologist", Confidence: inspect.Doubtful,
		Looks: "modules (JavaScript, TypeScript, Python) whose name is in no other file",
		Rule: "Low; entries, tests, scripts, files that a framework or a loader finds by their folder, and files that " +
			"users of a published package may import are left out.",
		Run: findModules,
	}
}

var (
	// byFolder matches paths of files that frameworks and tools find by their folder.
	byFolder = inspect.Pattern(`(?i)(^|/)(pages?|app|routes?|api|views|commands|management|migrations?|plugins?|` +
		`modules|extensions|handlers|functions|lambdas?|stories|scripts?|bin|tools?|public|static|examples?|demos?|docs?|` +
		`templates?|hooks|middleware|locales?|i18n|themes?|seeds?|jobs|tasks|workers?|controllers|models|entities|` +
		`providers|levels|addons|mirage|factories|services|initializers|adapters|serializers|helpers|mixins|decorators|` +
		`rules|fixers|types|typings|\.[^/]+)(/|$)`)
	entry = inspect.Pattern(`(?i)^(index|main|cli|server|app|setup|manage|wsgi|asgi|conftest|settings|config|urls|` +
		`admin|apps|tasks|gulpfile|gruntfile|webpack|rollup|karma|jest|babel|service-?worker|sw|polyfills?|global|env|` +
		`types?|__.*__|_.*|.*-build|testem|noxfile|fabfile|build|celery|worker|preload|renderer|background|content|popup|` +
		`options|bootstrap|entry.*|.*config|.*rc)$`)
	madeUp      = inspect.Pattern(`(?:import|require)\s*\(\s*(?:\x60|[A-Za-z_$][\w$.]*\s*[)+]|["'][^"']*["']\s*\+|path\.)`)
	runsPy      = inspect.Pattern(`(?m)^if __name__ ==`)
	moduleLangs = []string{"JavaScript", "TypeScript", "TSX", "JSX", "Python"}
)

func findModules(ctx context.Context, r *inspect.Repo, tell func(inspect.Finding)) error {
	var found []*inspect.File
	wanted := map[string]bool{}
	loads := map[string]bool{} // languages in which something is loaded by a computed name
	for f, data := range r.All(ctx, moduleLangs...) {
		if !f.Test && loadsByName(f, data) {
			loads[family(f)] = true
		}
		wanted[stem(f)] = true
		if f.Test || inspect.Shown(f) || byFolder.MatchString(f.Dir()) || entry.MatchString(stem(f)) ||
			strings.Count(f.Base(), ".") > 1 ||
			bytes.HasPrefix(data, []byte("#!")) || runsPy.Match(data) || len(bytes.TrimSpace(data)) == 0 || f.Dir() == "" ||
			inspect.Dense(data) {
			continue
		}
		found = append(found, f)
	}
	if len(found) == 0 {
		return ctx.Err()
	}
	n := lookFor(ctx, r, wanted)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var unused []*inspect.File
	for _, f := range found {
		if !n.elsewhere(stem(f), f.Path) && !loads[family(f)] && !importable(r, f) {
			unused = append(unused, f)
		}
	}
	unused = slices.DeleteFunc(unused, func(f *inspect.File) bool { return !importedFolder(r, n, f) })
	// Report nothing if more than a fifth of the modules are unnamed: a program probably computes their names.
	if len(unused) > 3 && len(unused)*5 > len(found) {
		return nil
	}
	for _, f := range unused {
		lines := 0
		if data, ok := r.Text(f.Path); ok {
			lines = bytes.Count(data, []byte("\n"))
		}
		tell(inspect.Finding{
			Severity: inspect.Low, Path: f.Path, Title: fmt.Sprintf("Nothing names %s", inspect.Clip(f.Base(), 80)),
			Evidence: fmt.Sprintf("%d lines; the word %q is in no other text of the repository", lines, stem(f)),
			Why:      "No import, no script and no configuration can reach it, but people read, search and maintain it.",
			Advice:   "Delete it; the history keeps it.",
			Same:     f.Base(),
		})
	}
	return ctx.Err()
}

// importedFolder reports whether other modules in the folder of the file are imported by their paths. If they are not,
// a program probably finds all modules of the folder.
func importedFolder(r *inspect.Repo, n *names, f *inspect.File) bool {
	if f.Lang == "Python" {
		return true
	}
	beside, by := 0, 0
	for _, other := range r.In(f.Dir()) {
		if other != f && slices.Contains(moduleLangs, other.Lang) && stem(other) != "index" && !other.Test {
			beside++
			if n.imported[stem(other)] {
				by++
			}
		}
	}
	return beside >= 2 && by*3 >= beside*2
}

// loadsByName reports whether a file loads other files by names that it computes.
func loadsByName(f *inspect.File, data []byte) bool {
	if f.Lang == "Python" {
		return inspect.HasAny(data, "import_module", "pkgutil.", "__import__", "autodiscover", "load_modules",
			"spec_from_file_location")
	}
	return inspect.HasAny(data, "import.meta.glob", "require.context", "readdirSync", "fast-glob", "globby") ||
		inspect.HasAny(data, "import(", "require(") && madeUp.Match(data)
}

func family(f *inspect.File) string {
	if f.Lang == "Python" {
		return f.Lang
	}
	return "JavaScript"
}

// importable reports whether users of a package can import the file by its path. They can if the package is published
// and does not list its entries.
func importable(r *inspect.Repo, f *inspect.File) bool {
	if f.Lang == "Python" {
		for _, dir := range inspect.Upward(f.Dir()) {
			for _, name := range []string{"setup.py", "setup.cfg", "pyproject.toml"} {
				if r.File(path.Join(dir, name)) != nil {
					return true
				}
			}
		}
		// Assume that the repository is a published package, unless it has a file that only applications have.
		return !slices.ContainsFunc(r.Files, func(f inspect.File) bool {
			return f.Base() == "requirements.txt" || f.Base() == "manage.py" || f.Base() == "Pipfile"
		})
	}
	for _, dir := range inspect.Upward(f.Dir()) {
		if data, ok := r.Text(path.Join(dir, "package.json")); ok {
			var p struct {
				Private bool            `json:"private"`
				Exports json.RawMessage `json:"exports"`
			}
			if json.Unmarshal(data, &p) != nil {
				return true
			}
			return !p.Private && (len(p.Exports) == 0 || bytes.Contains(p.Exports, []byte("*")))
		}
	}
	return true
}
