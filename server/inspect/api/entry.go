package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

var packageEntry = inspect.Check{
	ID: "warden/package-entry", Hero: "warden",
	Looks: "main, module, types, bin and exports of a package.json that name files which do not exist",
	Rule: "High for bin, main and exports, medium for types and the rest. Silent for private packages, where a script " +
		"builds files, " +
		"where the folder of the file is not kept in the repository, and for a bare \"main\": \"index.js\".",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		for i := range r.Files {
			f := &r.Files[i]
			if f.Base() != "package.json" || f.Test || f.Vendored {
				continue
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			data, ok := r.Text(f.Path)
			if !ok {
				continue
			}
			var p map[string]any
			if json.Unmarshal(data, &p) != nil || !published(r, f.Dir(), p) {
				continue
			}
			for _, e := range entries(p) {
				if !missing(r, f.Dir(), e.to) || e.key == "main" && strings.TrimPrefix(e.to, "./") == "index.js" &&
					p["exports"] == nil && p["files"] == nil {
					continue
				}
				severity := inspect.High
				if e.types || e.key == "module" || e.key == "browser" {
					severity = inspect.Medium
				}
				line := 0
				for n, text := range inspect.Lines(data) {
					if line == 0 && strings.Contains(text, `"`+e.to+`"`) {
						line = n
					}
				}
				report(inspect.Finding{
					Severity: severity,
					Title:    inspect.Clip(fmt.Sprintf("%s of package.json names %s, which does not exist", e.key, e.to), 100),
					Path:     f.Path, Line: line,
					Evidence: fmt.Sprintf("%q: %q", e.key, e.to),
					Why: "No script of the package builds the file, so whoever installs the package and uses this entry gets " +
						"an error.",
					Advice: "Name an existing file, or remove the entry.",
					Same:   e.key + " " + e.to,
				})
			}
		}
		return nil
	},
}

// published reports whether others install the package as it is in the repository: it has a name, is
// not private, and no script or build tool builds it.
func published(r *inspect.Repo, dir string, p map[string]any) bool {
	name, _ := p["name"].(string)
	if private, _ := p["private"].(bool); private || name == "" || p["workspaces"] != nil {
		return false
	}
	for _, d := range inspect.Upward(dir) {
		if data, ok := r.Text(path.Join(d, "package.json")); ok && builds(data) {
			return false
		}
		for _, f := range r.In(d) {
			switch stem, _, _ := strings.Cut(f.Base(), "."); stem {
			case "rollup", "webpack", "tsup", "gulpfile", "Gruntfile", "Makefile", "build", "vite", "rslib", "rspack",
				"esbuild", "turbo", "nx", "tsdown", "unbuild", "binding", "CMakeLists", "Cargo", "justfile", "Taskfile", "BUILD":
				return false
			}
		}
	}
	return true
}

// builds reports whether a package.json has scripts that may create files.
func builds(data []byte) bool {
	var p struct{ Scripts map[string]any }
	if json.Unmarshal(data, &p) != nil {
		return true
	}
	for _, name := range slices.Sorted(maps.Keys(p.Scripts)) {
		for _, word := range []string{"build", "prepare", "prepublish", "prepack", "compile", "bundle", "dist", "install",
			"generate", "tsc", "make", "release"} {
			if strings.Contains(name, word) {
				return true
			}
		}
		if text, ok := p.Scripts[name].(string); ok {
			for _, word := range []string{"tsc", "rollup", "webpack", "esbuild", "babel", "tsup", "make", "build",
				"browserify", "uglify", "terser", "swc"} {
				if strings.Contains(text, word) {
					return true
				}
			}
		}
	}
	return false
}

type entry struct {
	key, to string
	types   bool
}

// maxEntries is the maximum number of entries of one file that are checked.
const maxEntries = 500

func entries(p map[string]any) []entry {
	var out []entry
	add := func(key, to string, types bool) {
		if to != "" && len(out) < maxEntries {
			out = append(out, entry{key, to, types})
		}
	}
	for _, key := range []string{"main", "module", "types", "typings", "browser"} {
		if to, ok := p[key].(string); ok {
			add(key, to, strings.HasPrefix(key, "typ"))
		}
	}
	switch bin := p["bin"].(type) {
	case string:
		add("bin", bin, false)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(bin)) {
			if to, ok := bin[name].(string); ok {
				add("bin", to, false)
			}
		}
	}
	var walk func(v any, types bool, depth int)
	walk = func(v any, types bool, depth int) {
		if depth > 20 {
			return
		}
		switch v := v.(type) {
		case string:
			if strings.HasPrefix(v, "./") && !strings.Contains(v, "*") && !strings.HasSuffix(v, "/") {
				add("exports", v, types)
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k], types || strings.HasPrefix(k, "types"), depth+1)
			}
		}
	}
	walk(p["exports"], false, 0)
	return out
}

// missing reports whether a file that a package.json names is certainly missing: the repository has the file's folder,
// the folder has none of the paths that Node.js would try, no source compiles to the file, and no .gitignore matches
// it. The parameter dir is the folder of the package.json; the parameter to is the path that the package.json names.
func missing(r *inspect.Repo, dir, to string) bool {
	p := strings.TrimPrefix(path.Join(dir, to), "/")
	if strings.HasPrefix(p, "..") || strings.ContainsAny(to, "*#:") || strings.HasPrefix(to, "/") {
		return false
	}
	at := path.Dir(p)
	if at == "." {
		at = ""
	}
	if len(r.In(at)) == 0 || ignored(r, p) {
		return false
	}
	if p == "." || p == dir || r.HasDir(p) {
		return false
	}
	for _, end := range []string{"", ".js", ".json", ".node", ".cjs", ".mjs", ".ts", ".d.ts", ".tsx", ".jsx"} {
		if r.File(p+end) != nil {
			return false
		}
	}
	// A compiled file may be created next to its source.
	stem := strings.TrimSuffix(strings.TrimSuffix(p, path.Ext(p)), ".d")
	for _, end := range []string{".ts", ".tsx", ".mts", ".cts", ".coffee", ".vue", ".c", ".cc", ".rs", ".go"} {
		if r.File(stem+end) != nil {
			return false
		}
	}
	return true
}

// ignored reports whether a .gitignore in a folder above the file matches the file. If so, a program probably creates
// the file.
func ignored(r *inspect.Repo, p string) bool {
	for _, d := range inspect.Upward(path.Dir(p)) {
		if data, ok := r.Text(path.Join(d, ".gitignore")); ok {
			for _, line := range inspect.Lines(data) {
				line = strings.Trim(strings.TrimSpace(line), "/")
				if line == "" || line[0] == '#' || line[0] == '!' {
					continue
				}
				line = strings.TrimPrefix(line, "**/")
				for q := strings.TrimPrefix(strings.TrimPrefix(p, d), "/"); q != "." && q != ""; q = path.Dir(q) {
					if hit, _ := path.Match(line, q); hit {
						return true
					}
					if hit, _ := path.Match(line, path.Base(q)); hit {
						return true
					}
				}
			}
		}
	}
	return false
}
