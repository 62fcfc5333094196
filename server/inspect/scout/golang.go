package scout

import (
	"bytes"
	"context"
	"fmt"
	"go/build/constraint"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// imported returns those modules required by m that the parsed files of m import. The value is false for a module that
// only tests import. If several modules match an import, imported takes the module with the longest path, as the go
// command does.
func imported(g *inspect.Golang, m *goModule) map[string]bool {
	required := map[string]bool{m.mod.Module.Mod.Path: true}
	for _, req := range m.mod.Require {
		required[req.Mod.Path] = true
	}
	used := map[string]bool{}
	for _, p := range g.Packages {
		if root, _ := g.Module(p.Dir); root != m.file.Dir() {
			continue
		}
		for _, f := range p.Files {
			if ignored(f) {
				continue
			}
			for _, spec := range f.AST.Imports {
				name, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					continue
				}
				for p := name; p != "." && p != "/"; p = path.Dir(p) {
					if required[p] {
						used[p] = used[p] || !strings.HasSuffix(f.File.Path, "_test.go")
						break
					}
				}
			}
		}
	}
	return used
}

// ignored reports whether a build constraint such as "//go:build ignore" excludes a file from every build.
func ignored(f *inspect.GoFile) bool {
	for _, group := range f.AST.Comments {
		if group.Pos() > f.AST.Package {
			return false
		}
		for _, c := range group.List {
			if constraint.IsGoBuild(c.Text) {
				if x, err := constraint.Parse(c.Text); err == nil {
					return !x.Eval(func(tag string) bool { return tag != "ignore" })
				}
			}
		}
	}
	return false
}

// unused reports direct requirements that no file of the module imports.
func unused(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	mods, err := goModules(ctx, r)
	if len(mods) == 0 {
		return err
	}
	g := r.Go(ctx)
	for _, m := range mods {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !hasGo(g, m.file.Dir()) {
			continue
		}
		used := imported(g, m)
		open := map[string]bool{}
		for _, req := range m.mod.Require {
			if _, ok := used[req.Mod.Path]; !ok && !req.Indirect && !isTool(m, req.Mod.Path) {
				open[req.Mod.Path] = true
			}
		}
		if err := dropMentioned(ctx, r, g, m, open); err != nil {
			return err
		}
		var idle []string
		first := 0
		for _, req := range m.mod.Require {
			if !open[req.Mod.Path] {
				continue
			}
			if first == 0 {
				first = req.Syntax.Start.Line
			}
			idle = append(idle, req.Mod.Path+" "+req.Mod.Version)
		}
		if len(idle) == 0 {
			continue
		}
		title := "No file imports " + idle[0]
		if len(idle) > 1 {
			title = fmt.Sprintf("No file imports %d modules that go.mod requires directly", len(idle))
		}
		report(inspect.Finding{
			Severity: inspect.Low, Path: m.file.Path, Line: first, Same: "unused",
			Title:    title,
			Evidence: few(idle, 6),
			Why:      "go.mod says that the code uses them, so somebody keeps them up to date and reads their notices for nothing.",
			Advice:   "Run go mod tidy: it removes them or marks them as indirect.",
		})
	}
	return err
}

func hasGo(g *inspect.Golang, dir string) bool {
	for _, p := range g.Packages {
		if root, _ := g.Module(p.Dir); root == dir {
			return true
		}
	}
	return false
}

func isTool(m *goModule, mod string) bool {
	return slices.ContainsFunc(m.mod.Tool, func(t *modfile.Tool) bool { return t.Path == mod || strings.HasPrefix(t.Path, mod+"/") })
}

// dropMentioned removes from open the modules that a Go file, script or Makefile names: "go run" and
// "go:generate" use modules without an import, and files that Repo.Go does not parse (vendor folders,
// testdata, broken files) may import them.
func dropMentioned(ctx context.Context, r *inspect.Repo, g *inspect.Golang, m *goModule, open map[string]bool) error {
	for i := range r.Files {
		f := &r.Files[i]
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(open) == 0 {
			return nil
		}
		switch f.Lang {
		case "Go":
			if root, _ := g.Module(f.Dir()); root != m.file.Dir() || underVendor(f.Path) {
				continue
			}
		case "Makefile", "Shell", "YAML", "Dockerfile", "Protocol Buffer", "Just":
		default:
			continue
		}
		data, ok := r.Text(f.Path)
		if !ok && f.Lang == "Go" {
			clear(open) // too large to read: it may import anything
		}
		for mod := range open {
			if names(data, mod) {
				delete(open, mod)
			}
		}
	}
	return nil
}

// names reports whether a text contains the path of a module on its own and not as a part of a longer path or name.
func names(data []byte, mod string) bool {
	for {
		i := bytes.Index(data, []byte(mod))
		if i < 0 {
			return false
		}
		data = data[i+len(mod):]
		if !nextMajor.Match(data[:min(len(data), 20)]) {
			return true
		}
	}
}

// nextMajor matches the text after a module's path if the path is only the beginning of a longer name or of a path with
// another major version.
var nextMajor = inspect.Pattern(`^(/v[2-9]\d*\b|[\w-]|\.[a-z])`)

func underVendor(p string) bool {
	return strings.HasPrefix(p, "vendor/") || strings.Contains(p, "/vendor/")
}

// abandoned reports direct requirements that name a commit more than five years old.
func abandoned(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	mods, err := goModules(ctx, r)
	if len(mods) == 0 {
		return err
	}
	g := r.Go(ctx)
	limit := r.Now.AddDate(-5, 0, 0)
	for _, m := range mods {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		used := imported(g, m)
		replaced := map[string]bool{}
		for _, rep := range m.mod.Replace {
			replaced[rep.Old.Path] = true
		}
		var old []string
		first, severity := 0, inspect.Low
		for _, req := range m.mod.Require {
			v := req.Mod.Version
			if _, ok := used[req.Mod.Path]; !ok {
				continue // unused reports it
			}
			if req.Indirect || replaced[req.Mod.Path] || !module.IsPseudoVersion(v) || module.IsZeroPseudoVersion(v) {
				continue
			}
			at, err := module.PseudoVersionTime(v)
			if err != nil || at.Year() < 2005 || !at.Before(limit) {
				continue
			}
			if strings.HasPrefix(req.Mod.Path, "golang.org/x/") {
				severity = inspect.Medium
			}
			if first == 0 {
				first = req.Syntax.Start.Line
			}
			old = append(old, fmt.Sprintf("%s is held at a commit of %s", req.Mod.Path, at.Format("2006-01-02")))
		}
		if len(old) == 0 {
			continue
		}
		title := inspect.Clip(old[0], 100)
		if len(old) > 1 {
			title = fmt.Sprintf("%d direct requirements are held at commits of more than five years ago", len(old))
		}
		report(inspect.Finding{
			Severity: severity, Path: m.file.Path, Line: first, Same: "old commits",
			Title:    title,
			Evidence: few(old, 6),
			Why:      "The requirement names a commit instead of a release, and for more than five years no newer one was required: mistakes that were fixed since then are still in.",
			Advice:   "Look for a release or a newer commit; if the project has ended, copy the part that is used or change to another module.",
		})
	}
	return err
}
