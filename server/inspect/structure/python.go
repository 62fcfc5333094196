package structure

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/lex"
)

var pythonCycle = inspect.Check{
	ID: "architect/python-cycle", Hero: "architect",
	Looks: "Python modules of one package that import each other in a circle while they load; imports in functions and for type checking do not count",
	Rule:  "Medium if each step of the circle takes names out of a module that may not have them yet (from a import b above all definitions) and no __init__.py is in it, else low.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		files := map[string][]pythonImport{}
		var names []string
		for f, data := range r.All(ctx, "Python") {
			if f.Test || !strings.HasSuffix(f.Path, ".py") {
				continue
			}
			names = append(names, f.Path)
			files[f.Path] = pythonImports(r, f.Path, data)
		}
		g := newGraph(names)
		for _, n := range names {
			for _, im := range files[n] {
				g.add(n, im.to)
			}
		}
		for _, set := range g.circles() {
			ring := g.shortest(set)
			severity, why := inspect.Low, "Which module runs first depends on which is imported first, so a name that is used while the modules load can be missing."
			line, takes := 0, true
			for i, v := range ring {
				to := g.names[ring[(i+1)%len(ring)]]
				step := slices.IndexFunc(files[g.names[v]], func(im pythonImport) bool { return im.to == to })
				im := files[g.names[v]][step]
				// An __init__.py runs before the modules of its package, so the modules of a circle through an
				// __init__.py usually load in one fixed order.
				takes = takes && im.takes && path.Base(to) != "__init__.py"
				if i == 0 {
					line = im.line
				}
			}
			if takes {
				severity = inspect.Medium
				why = "Each step takes names out of a module that is still loading. Whether that works or ends in an ImportError depends on which module is imported first."
			}
			evidence := g.way(ring)
			if len(set) > len(ring) {
				evidence += fmt.Sprintf(" (the shortest way round; %d modules hang together)", len(set))
			}
			first, second := g.names[ring[0]], g.names[ring[1]]
			report(inspect.Finding{
				Severity: severity,
				Title:    fmt.Sprintf("%d modules import each other in a circle", len(set)),
				Path:     first, Line: line,
				Evidence: evidence, Why: why,
				Advice: fmt.Sprintf("Move what both need into a module that imports neither, so that %s no longer has to import %s.", path.Base(first), path.Base(second)),
				Same:   "circle",
			})
		}
		return ctx.Err()
	},
}

type pythonImport struct {
	to   string
	line int
	// takes is set if the import takes names out of a module ("from a import b") and stands above all definitions of
	// the importing file. Imports below the definitions are a usual way to make a circle work.
	takes bool
}

var (
	fromImport  = inspect.Pattern(`^from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(.+)`)
	plainImport = inspect.Pattern(`^import[ \t]+(.+)`)
)

// pythonImports returns the imports that run when the module loads, that is, the imports without indentation.
func pythonImports(r *inspect.Repo, file string, data []byte) []pythonImport {
	masked := data
	if bytes.ContainsAny(data, "\"'#") {
		masked = lex.Scan("Python", data).Code
	}
	var out []pythonImport
	add := func(to string, line int, takes bool) {
		// Skip the __init__.py of the file's own package: it has begun to run before the modules of the package, and in
		// nearly every package modules import names from it.
		if to == "" || to == file || path.Base(to) == "__init__.py" && strings.HasPrefix(file, path.Dir(to)+"/") || len(out) >= maxImports {
			return
		}
		for i := range out {
			if out[i].to == to {
				out[i].takes = out[i].takes && takes
				return
			}
		}
		out = append(out, pythonImport{to, line, takes})
	}
	late := false
	lines := bytes.Split(masked, []byte("\n"))
	for i := 0; i < len(lines); i++ {
		text := string(bytes.TrimRight(lines[i], "\r"))
		late = late || strings.HasPrefix(text, "def ") || strings.HasPrefix(text, "class ") || strings.HasPrefix(text, "async def ")
		if !strings.HasPrefix(text, "from") && !strings.HasPrefix(text, "import") || len(text) > maxImport {
			continue
		}
		at := i + 1
		for open := strings.Contains(text, "("); open && !strings.Contains(text, ")") && i+1 < len(lines) && len(text) < maxImport; {
			i++
			text += " " + strings.TrimSpace(string(lines[i]))
		}
		if m := fromImport.FindStringSubmatch(text); m != nil {
			base, known := pythonBase(r, file, len(m[1]), m[2])
			if !known {
				continue
			}
			for name := range strings.SplitSeq(strings.NewReplacer("(", "", ")", "", "\\", "").Replace(m[3]), ",") {
				words := strings.Fields(name)
				if len(words) == 0 {
					continue
				}
				if sub := moduleAt(r, path.Join(base, words[0])); sub != "" {
					add(sub, at, false)
				} else {
					add(moduleAt(r, base), at, !late)
				}
			}
		} else if m := plainImport.FindStringSubmatch(text); m != nil {
			for name := range strings.SplitSeq(m[1], ",") {
				words := strings.Fields(name)
				if len(words) == 0 {
					continue
				}
				if base, known := pythonBase(r, file, 0, words[0]); known {
					add(moduleAt(r, base), at, false)
				}
			}
		}
	}
	return out
}

// pythonBase returns the path of the module or package that a dotted name means, without ".py". dots
// is the number of dots before the name.
func pythonBase(r *inspect.Repo, file string, dots int, name string) (base string, known bool) {
	rest := strings.ReplaceAll(name, ".", "/")
	if dots > 0 {
		dir := path.Dir(file)
		for range dots - 1 {
			if dir == "." {
				return "", false
			}
			dir = path.Dir(dir)
		}
		return path.Join(dir, rest), true
	}
	// Look up an absolute name in the folder that contains the file's outermost package.
	top := path.Dir(file)
	if r.File(path.Join(top, "__init__.py")) == nil {
		return "", false
	}
	for r.File(path.Join(path.Dir(top), "__init__.py")) != nil && top != "." {
		top = path.Dir(top)
	}
	first, _, _ := strings.Cut(name, ".")
	if first != path.Base(top) {
		return "", false
	}
	return path.Join(path.Dir(top), rest), true
}

func moduleAt(r *inspect.Repo, base string) string {
	for _, p := range []string{base + "/__init__.py", base + ".py"} {
		if r.File(p) != nil {
			return p
		}
	}
	return ""
}
