package dependencies

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

// npmLocks lists the lock files of all tools that install from a package.json.
var npmLocks = []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock",
	"bun.lockb", "deno.lock"}

// Sections of a package.json that name dependencies.
const (
	runtimeDeps  = "dependencies"
	devDeps      = "devDependencies"
	peerDeps     = "peerDependencies"
	optionalDeps = "optionalDependencies"
)

// manifest is a package.json.
type manifest struct {
	file      *inspect.File
	text      []byte
	Name      string
	Private   bool
	License   string
	Resolved  string          // the address that npm has got the package from
	Overrides map[string]bool // names in its overrides or resolutions
	Members   []string        // patterns of its workspaces' folders
	deps      []dep           // in the order of the file
}

type dep struct {
	section, name, spec string
	line                int
}

// manifests reads the package.json files of the repository from which people install dependencies.
func manifests(ctx context.Context, r *inspect.Repo) ([]*manifest, error) {
	var out []*manifest
	seen, bad := 0, 0
	for i := range r.Files {
		f := &r.Files[i]
		if f.Base() != "package.json" || !counted(f) {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		seen++
		if m := readManifest(r, f); m != nil && m.Resolved != "" {
			continue // npm wrote it into a copy of somebody else's package
		} else if m != nil {
			out = append(out, m)
		} else {
			bad++
		}
	}
	return out, unread(bad, seen, "package.json")
}

func readManifest(r *inspect.Repo, f *inspect.File) *manifest {
	data, ok := r.Text(f.Path)
	if !ok {
		return nil
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var raw map[string]json.RawMessage
	if json.Unmarshal(data, &raw) != nil {
		return nil
	}
	m := &manifest{file: f, text: data, Overrides: map[string]bool{}}
	// A field of an unexpected type is ignored.
	_ = json.Unmarshal(raw["name"], &m.Name)
	_ = json.Unmarshal(raw["private"], &m.Private)
	_ = json.Unmarshal(raw["_resolved"], &m.Resolved)
	if json.Unmarshal(raw["license"], &m.License) != nil {
		var old struct{ Type string }
		_ = json.Unmarshal(raw["license"], &old)
		m.License = old.Type
	}
	for _, field := range []string{"overrides", "resolutions"} {
		overridden(raw[field], m.Overrides)
	}
	var pnpm struct{ Overrides json.RawMessage }
	if json.Unmarshal(raw["pnpm"], &pnpm) == nil {
		overridden(pnpm.Overrides, m.Overrides)
	}
	if json.Unmarshal(raw["workspaces"], &m.Members) != nil {
		var named struct{ Packages []string }
		_ = json.Unmarshal(raw["workspaces"], &named)
		m.Members = named.Packages
	}
	m.deps = depsOf(data)
	return m
}

// member reports whether the folder rel, a path relative to the folder of the package.json, is one of the workspaces of
// the package.json.
func (m *manifest) member(rel string) bool {
	return slices.ContainsFunc(m.Members, func(pattern string) bool {
		// an invalid pattern matches nothing
		ok, _ := path.Match(strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/"), rel)
		return ok
	})
}

// overridden adds the names in an overrides section, at any depth, to the set into. The keys "a", "a@2", "b>a" and
// "**/a" all name a.
func overridden(raw json.RawMessage, into map[string]bool) {
	var fields map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &fields) != nil {
		return
	}
	for key, value := range fields {
		if i := strings.LastIndexByte(key, '>'); i >= 0 {
			key = key[i+1:]
		}
		parts := strings.Split(key, "/")
		name := parts[len(parts)-1]
		if len(parts) > 1 && strings.HasPrefix(parts[len(parts)-2], "@") {
			name = parts[len(parts)-2] + "/" + name
		}
		if i := strings.LastIndexByte(name, '@'); i > 0 {
			name = name[:i]
		}
		into[name] = true
		overridden(value, into)
	}
}

// depsOf returns the dependencies in a package.json with their lines, which json.Unmarshal does not give.
func depsOf(data []byte) []dep {
	type level struct{ object, key bool } // key: an object's key is next
	var out []dep
	levels := []level{{}}
	at, line, key, section := 0, 1, "", ""
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := dec.Token()
		if err != nil {
			return out
		}
		end := int(dec.InputOffset())
		line += bytes.Count(data[at:end], []byte("\n"))
		at = end
		top := &levels[len(levels)-1]
		switch t := tok.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				if len(levels) == 2 {
					section = key
				}
				top.key = top.object
				levels = append(levels, level{t == '{', t == '{'})
			} else {
				levels = levels[:len(levels)-1]
			}
			continue
		case string:
			if top.key {
				key, top.key = t, false
				continue
			}
			if len(levels) == 3 && top.object && (section == runtimeDeps || section == devDeps || section == peerDeps ||
				section == optionalDeps) {
				out = append(out, dep{section, key, strings.TrimSpace(t), line})
			}
		}
		top.key = top.object
	}
}

// in returns the dependencies of some sections, in their order.
func (m *manifest) in(sections ...string) []dep {
	var out []dep
	for _, d := range m.deps {
		if slices.Contains(sections, d.section) {
			out = append(out, d)
		}
	}
	return out
}

// workspace returns the names of the repository's own packages, which come from no registry.
func workspace(all []*manifest) map[string]bool {
	out := map[string]bool{}
	for _, m := range all {
		if m.Name != "" {
			out[m.Name] = true
		}
	}
	return out
}

// lockOf returns the nearest lock file in a folder or above it, or nil. A rush.json counts as a lock file, because Rush
// keeps the lock file in another folder.
func lockOf(r *inspect.Repo, dir string) *inspect.File {
	return above(r, dir, append(slices.Clone(npmLocks), "rush.json")...)
}

// npmLock is a package-lock.json or an npm-shrinkwrap.json, of any version.
type npmLock struct {
	Packages     map[string]npmLocked // "" is the root, "node_modules/x" a dependency
	Dependencies map[string]npmLocked // before version 2
}

type npmLocked struct {
	Version string
	Dev     bool
	Link    bool
}

func readNpmLock(r *inspect.Repo, p string) *npmLock {
	data, ok := r.Text(p)
	if !ok {
		return nil
	}
	l := &npmLock{}
	if json.Unmarshal(data, l) != nil || l.Packages == nil && l.Dependencies == nil {
		return nil
	}
	return l
}

// find returns the locked package that code in the folder dir gets for a name. dir is relative to the folder of the
// lock file.
func (l *npmLock) find(dir, name string) (npmLocked, bool) {
	if l.Packages == nil {
		got, ok := l.Dependencies[name]
		return got, ok
	}
	for _, d := range inspect.Upward(dir) {
		if got, ok := l.Packages[path.Join(d, "node_modules", name)]; ok {
			return got, true
		}
	}
	return npmLocked{}, false
}

// knows reports whether the lock file covers a folder.
func (l *npmLock) knows(dir string) bool {
	if l.Packages == nil {
		return dir == ""
	}
	_, ok := l.Packages[dir]
	return ok
}
