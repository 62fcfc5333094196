package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"agentdungeon/server/inspect"
)

var modulePath = inspect.Check{
	ID: "warden/go-module-path", Hero: "warden",
	Looks: "a Go module path that does not fit the major version of the last tag, then and now",
	Rule:  "Medium if the module has packages for others and no program, else low.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		g := r.Go(ctx)
		mod := g.Modules[""]
		if r.History == nil || mod == nil || mod.Module == nil || !forOthers(mod.Module.Mod.Path) {
			return nil
		}
		tag, _, read, err := r.History.Tag(ctx)
		if err != nil {
			return fmt.Errorf("the last version tag could not be read: %w", err)
		}
		old, ok := read("go.mod")
		then, err := modfile.ParseLax("go.mod", old, nil)
		if !semver.IsValid(tag) || !ok || err != nil || then.Module == nil || semver.Canonical(tag) != tag {
			return nil // without a go.mod at the tag the go command accepts any version
		}
		p := mod.Module.Mod.Path
		_, major, ok := module.SplitPathVersion(p)
		if !ok || module.CheckPathMajor(tag, major) == nil || then.Module.Mod.Path != p || ahead(tag, major) {
			return nil
		}
		severity := inspect.Low
		packages, programs := false, false
		for _, dir := range slices.Sorted(maps.Keys(g.Packages)) {
			if root, _ := g.Module(dir); root == "" {
				packages = packages || public(g.Packages[dir])
				programs = programs || g.Packages[dir].Name == "main" && !strings.Contains(dir, "example")
			}
		}
		if packages && !programs {
			severity = inspect.Medium
		}
		line := 0
		if mod.Module.Syntax != nil {
			line = mod.Module.Syntax.Start.Line
		}
		report(inspect.Finding{
			Severity: severity,
			Title:    inspect.Clip(fmt.Sprintf("Version %s cannot be fetched under the path %s", tag, p), 100),
			Path:     "go.mod", Line: line,
			Evidence: fmt.Sprintf("module %s, last tag %s", p, tag),
			Why: fmt.Sprintf("The go command takes a %s version only from a module whose path says so. go get and go "+
				"install of %s end with an error.", semver.Major(tag), tag),
			Advice: fmt.Sprintf("End the module path and the imports of it with /%s before the next release.",
				semver.Major(tag)),
			Same: "major",
		})
		return nil
	},
}

// ahead reports whether the module path names a later major version than the tag.
func ahead(tag, major string) bool {
	want := strings.TrimLeft(major, "/.")
	return want != "" && semver.Compare(want, semver.Major(tag)) > 0
}

var versionBehind = inspect.Check{
	ID: "warden/version-behind-tag", Hero: "warden",
	Looks: "a version in package.json, pyproject.toml or Cargo.toml that is older than the last version tag",
	Rule: "Medium. Left out: repositories with several such files at the root or with workspaces, and versions " +
		"that a release tool writes.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		if r.History == nil || r.File("go.mod") != nil {
			return nil
		}
		m, ok := manifest(r)
		if !ok {
			return nil
		}
		tag, _, read, err := r.History.Tag(ctx)
		if err != nil {
			return fmt.Errorf("the last version tag could not be read: %w", err)
		}
		version := "v" + m.version
		if !strings.HasPrefix(tag, "v") && tag != "" {
			tag = "v" + tag
		}
		if !semver.IsValid(tag) || !semver.IsValid(version) || semver.Compare(version, tag) >= 0 ||
			strings.HasPrefix(m.version, "0.0.0") {
			return nil
		}
		if old, ok := read(m.path); !ok || !strings.Contains(string(old), m.version) {
			return nil // the file had another version at the tag: somebody lowered it on purpose
		}
		report(inspect.Finding{
			Severity: inspect.Medium,
			Title:    fmt.Sprintf("%s says %s, the last tag is %s", m.path, m.version, tag),
			Path:     m.path, Line: m.line,
			Evidence: fmt.Sprintf("version %s in %s, tag %s", m.version, m.path, tag),
			Why: "A release of this state has a version that is already taken or too old, and reports name " +
				"the wrong version.",
			Advice: "Set the version to that of the tag or the next one, and generate one of the two from the other.",
			Same:   "behind",
		})
		return nil
	},
}

type versioned struct {
	path, version string
	line          int
}

var (
	tomlSection = inspect.Pattern(`^\s*\[([^\]]+)\]`)
	tomlVersion = inspect.Pattern(`^\s*version\s*=\s*["']([0-9]+\.[0-9]+\.[0-9]+)["']`)
	jsonVersion = inspect.Pattern(`^\s*"version"\s*:`)
)

// manifest returns the file at the root that names a version. It returns false unless there is exactly one such file.
func manifest(r *inspect.Repo) (versioned, bool) {
	var found []versioned
	if data, ok := r.Text("package.json"); ok {
		var p struct {
			Version         string
			Private         bool
			Workspaces      json.RawMessage
			Release         json.RawMessage
			Scripts         map[string]string
			DevDependencies map[string]json.RawMessage
		}
		if err := json.Unmarshal(data, &p); err != nil || p.Workspaces != nil || r.File("lerna.json") != nil ||
			r.File("pnpm-workspace.yaml") != nil {
			return versioned{}, false
		}
		if p.Version != "" && !p.Private {
			tools := p.Release != nil
			for _, d := range slices.Sorted(maps.Keys(p.DevDependencies)) {
				tools = tools || strings.Contains(d, "semantic-release") || d == "release-it"
			}
			for _, f := range r.In("") {
				tools = tools || strings.HasPrefix(f.Base(), ".releaserc") || strings.HasPrefix(f.Base(), "release.config")
			}
			if tools {
				return versioned{}, false
			}
			v := versioned{path: "package.json", version: p.Version}
			for n, line := range inspect.Lines(data) {
				if v.line == 0 && jsonVersion.MatchString(line) {
					v.line = n
				}
			}
			found = append(found, v)
		}
	}
	for _, t := range []struct{ path, section string }{{"pyproject.toml", "project"},
		{"pyproject.toml", "tool.poetry"}, {"Cargo.toml", "package"}} {
		data, ok := r.Text(t.path)
		if !ok {
			continue
		}
		if text := string(data); strings.Contains(text, "[workspace]") || strings.Contains(text, "semantic_release") ||
			strings.Contains(text, "setuptools_scm") || strings.Contains(text, "poetry-dynamic-versioning") {
			return versioned{}, false
		}
		section := ""
		for n, line := range inspect.Lines(data) {
			if m := tomlSection.FindStringSubmatch(line); m != nil {
				section = m[1]
			} else if m := tomlVersion.FindStringSubmatch(line); m != nil && section == t.section {
				found = append(found, versioned{t.path, m[1], n})
			}
		}
	}
	if len(found) != 1 {
		return versioned{}, false
	}
	return found[0], true
}
