package xref

import (
	"context"
	"encoding/json"
	"go/parser"
	"go/token"
	"path"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
	"agentdungeon/server/syntax"
)

// imported is a module that a file imports.
type imported struct {
	line int
	spec string // the module as written, in Python with dots: "./util", "react", "..models.user"
	to   string // the file of the repository that is imported, "" for none
	// names has the names that the import binds, with the name of each in the module: whole for the module itself,
	// "default" for what the module exports by default.
	names map[string]string
	all   bool // the import binds all names that the module exports
}

// whole is the name of the module itself among the names of an import.
const whole = "*"

// Imports returns the imports of a file with their lines; nil for an unsupported language.
func Imports(ctx context.Context, r *inspect.Repo, f *inspect.File) (out []inspect.Spec) {
	if f.Lang != "Go" {
		for _, im := range ask(ctx, r).imports(f) {
			out = append(out, inspect.Spec{Name: im.spec, Line: im.line})
		}
		return out
	}
	text, _ := r.Text(f.Path)
	files := token.NewFileSet()
	parsed, _ := parser.ParseFile(files, f.Path, text, parser.ImportsOnly) // a broken file is parsed as far as possible
	if parsed == nil {
		return nil
	}
	for _, spec := range parsed.Imports {
		out = append(out, inspect.Spec{Name: strings.Trim(spec.Path.Value, "`\""), Line: files.Position(spec.Pos()).Line})
	}
	return out
}

// imports returns the imports of a file. They are read once for each question.
func (a *asking) imports(f *inspect.File) []imported {
	if known, ok := a.files[f.Path]; ok {
		return known
	}
	var out []imported
	if t := a.tree(f); t != nil {
		out = a.importsIn(f, t)
	}
	a.files[f.Path] = out
	return out
}

func (a *asking) importsIn(f *inspect.File, t *syntax.Tree) (out []imported) {
	for _, im := range imports.All(t) {
		one := imported{line: im.Line, spec: strings.Repeat(".", im.Dots) + im.Module, names: map[string]string{}}
		if t.Language != syntax.Python {
			one.to = script(a.repo, f.Dir(), one.spec)
			one.all = im.Node.Kind() == "export_statement" && len(im.Names) == 0
			for i, name := range im.Names {
				one.names[name] = im.From[i]
			}
			out = append(out, one)
			continue
		}
		one.to = module(a.repo, f, im.Dots, im.Module)
		for i, name := range im.Names {
			switch from := im.From[i]; from {
			case "":
				one.names[name] = whole
			case "*":
				one.all = true
			default:
				sub := imported{line: im.Line, names: map[string]string{name: whole}}
				sub.spec = strings.TrimSuffix(one.spec, ".") + "." + from
				if sub.to = module(a.repo, f, im.Dots, strings.TrimPrefix(im.Module+"."+from, ".")); sub.to != "" {
					out = append(out, sub) // the import also names a module of the package
					continue
				}
				one.names[name] = from
			}
		}
		if one.all || len(one.names) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// module returns the file of a Python module, or "". A name without leading dots is also looked up in the folders above
// the file that are no packages, the nearest first, and in src.
func module(r *inspect.Repo, f *inspect.File, dots int, name string) string {
	if to := imports.Python(r, f.Path, dots, name); to != "" || dots > 0 {
		return to
	}
	for _, up := range inspect.Upward(f.Dir()) {
		if r.File(path.Join(up, "__init__.py")) == nil {
			if to := imports.Python(r, path.Join(up, "x.py"), 1, name); to != "" {
				return to
			}
		}
	}
	return imports.Python(r, "src/x.py", 1, name)
}

// script returns the file that an import in a folder means, or "". It resolves relative paths, names of the
// repository's own packages, and "@/" and "~/", which stand for the source folder.
func script(r *inspect.Repo, dir, spec string) string {
	if strings.HasPrefix(spec, ".") {
		return imports.Script(r, dir, spec)
	}
	at := func(parts ...string) string { return imports.Script(r, "", "./"+path.Join(parts...)) }
	if rest, ok := strings.CutPrefix(strings.Replace(spec, "~/", "@/", 1), "@/"); ok {
		for _, up := range inspect.Upward(dir) {
			for _, base := range []string{"src", "app", ""} {
				if to := at(up, base, rest); to != "" {
					return to
				}
			}
		}
		return ""
	}
	packages := workspaces(r)
	for name := spec; name != ""; name = parent(name) {
		if dir, ok := packages[name]; ok {
			for _, base := range []string{"", "src", "lib"} {
				if to := at(dir, base, strings.TrimPrefix(spec, name)); to != "" {
					return to
				}
			}
		}
	}
	return ""
}

// workspaces returns the folders of the repository's own npm packages by their names.
func workspaces(r *inspect.Repo) map[string]string {
	type key struct{}
	return inspect.Memo(r, key{}, func() map[string]string {
		out := map[string]string{}
		for i := range r.Files {
			f := &r.Files[i]
			if f.Base() != "package.json" || f.Vendored || f.Test {
				continue
			}
			var manifest struct{ Name string }
			if text, ok := r.Text(f.Path); ok && json.Unmarshal(text, &manifest) == nil && manifest.Name != "" {
				out[manifest.Name] = f.Dir()
			}
		}
		return out
	})
}

// parent returns the folder above a folder, "" for the root.
func parent(dir string) string { return dir[:max(0, strings.LastIndexByte(dir, '/'))] }
