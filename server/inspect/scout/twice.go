package scout

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"

	"golang.org/x/mod/module"
)

func twice(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	return each(ctx, r, report, npmTwice, goTwice, pipTwice)
}

// npmTwice reports names that are in both dependencies and devDependencies, and runtime dependencies of which the lock
// file has two major versions.
func npmTwice(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	all, err := manifests(ctx, r)
	for _, m := range all {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		first := map[string]dep{}
		for _, d := range m.in(runtimeDeps) {
			first[d.name] = d
		}
		for _, d := range m.in(devDeps) {
			other, ok := first[d.name]
			if !ok {
				continue
			}
			f := inspect.Finding{
				Severity: inspect.Low, Path: m.file.Path, Line: d.line, Same: "sections " + d.name,
				Title:    fmt.Sprintf("%s is in dependencies and in devDependencies", d.name),
				Evidence: fmt.Sprintf("dependencies: %q, devDependencies: %q", other.spec, d.spec),
				Why:      "Only one of the two lines counts, and whoever changes the other sees no effect.",
				Advice:   "Keep the line in dependencies if the code needs it when it runs, else the one in devDependencies.",
			}
			if d.spec != other.spec {
				f.Severity = inspect.Medium
			}
			report(f)
		}
		npmMajors(r, m, report)
	}
	return err
}

func npmMajors(r *inspect.Repo, m *manifest, report func(inspect.Finding)) {
	lockFile := r.File(in(m.file.Dir(), "package-lock.json"))
	if lockFile == nil {
		return
	}
	lock := readNpmLock(r, lockFile.Path)
	if lock == nil || lock.Packages == nil {
		return
	}
	wanted := map[string]dep{}
	for _, d := range m.in(runtimeDeps) {
		wanted[d.name] = d
	}
	found := map[string]map[int]string{} // by name and major version, the first path
	for _, p := range slices.Sorted(maps.Keys(lock.Packages)) {
		got := lock.Packages[p]
		i := strings.LastIndex(p, "node_modules/")
		if i < 0 || got.Dev || got.Link {
			continue
		}
		name := p[i+len("node_modules/"):]
		v, ok := plain(got.Version)
		if _, direct := wanted[name]; !direct || !ok {
			continue
		}
		if found[name] == nil {
			found[name] = map[int]string{}
		}
		if found[name][v[0]] == "" {
			found[name][v[0]] = p + " " + got.Version
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if len(found[name]) < 2 {
			continue
		}
		var places []string
		for _, major := range slices.Sorted(maps.Keys(found[name])) {
			places = append(places, found[name][major])
		}
		report(inspect.Finding{
			Severity: inspect.Low, Path: m.file.Path, Line: wanted[name].line, Same: "majors " + name,
			Title:    fmt.Sprintf("%d major versions of %s are installed to run", len(places), name),
			Evidence: few(places, 4),
			Why:      "Both are loaded and shipped, and one does not recognise objects of the other.",
			Advice:   "Update the dependency that requires the older one, or require its major version here too.",
		})
	}
}

// goTwice reports modules of which the project imports two major versions.
func goTwice(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	mods, err := goModules(ctx, r)
	for _, m := range mods {
		type place struct {
			path string
			line int
		}
		first := map[string]place{}
		for _, req := range m.mod.Require {
			if req.Indirect {
				continue
			}
			base, _, ok := module.SplitPathVersion(req.Mod.Path)
			if !ok {
				continue
			}
			here := place{req.Mod.Path, req.Syntax.Start.Line}
			other, known := first[base]
			if !known {
				first[base] = here
				continue
			}
			report(inspect.Finding{
				Severity: inspect.Low, Path: m.file.Path, Line: here.line, Same: "majors " + base,
				Title:    fmt.Sprintf("Two major versions of %s are required", base),
				Evidence: other.path + " and " + here.path,
				Why:      "Both are direct requirements: both are compiled in, and values of the one do not fit the other.",
				Advice:   "Move the last users of the older version to the newer one and remove the older.",
			})
		}
	}
	return err
}

var pipPin = inspect.Pattern(`^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*((?:===?|~=|>=|<=|!=|<|>).*)?$`)
var pipFold = inspect.Pattern(`[-_.]+`)

// pipTwice reports names that one requirements file pins to two different versions.
func pipTwice(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	for i := range r.Files {
		f := &r.Files[i]
		if !strings.HasPrefix(f.Base(), "requirements") || !strings.HasSuffix(f.Base(), ".txt") || !counted(f) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		data, ok := r.Text(f.Path)
		if !ok {
			continue
		}
		first := map[string]string{}
		for n, line := range inspect.Lines(data) {
			text, _, _ := strings.Cut(line, " #")
			text, _, _ = strings.Cut(text, " --hash")
			text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), `\`))
			m := pipPin.FindStringSubmatch(text)
			if m == nil || strings.Contains(text, ";") {
				continue // with an environment marker both lines may be correct
			}
			name := strings.ToLower(pipFold.ReplaceAllString(m[1], "-"))
			other, known := first[name]
			if !known {
				first[name] = text
				continue
			}
			f := inspect.Finding{
				Severity: inspect.Low, Path: f.Path, Line: n, Same: "pip " + name,
				Title:    m[1] + " is required twice in one file",
				Evidence: other + " and " + text,
				Why:      "Whoever changes one line leaves the other behind.",
				Advice:   "Keep one of the two lines.",
			}
			if other != text {
				f.Severity = inspect.Medium
				f.Why = "pip stops where the two do not fit each other, and otherwise whoever changes one line leaves the other behind."
			}
			report(f)
		}
	}
	return nil
}
