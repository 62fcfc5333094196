package dependencies

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/version"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func lockFit(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	return each(ctx, r, report, npmFit, goSumFit)
}

// npmFit compares every package.json with the lock file that an install in its folder uses.
func npmFit(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	all, err := manifests(ctx, r)
	own := workspace(all)
	locks := map[string]*npmLock{}
	keys := map[string]map[string]bool{}
	root := map[string]*manifest{}
	unreadable := 0
	for _, m := range all {
		root[m.file.Dir()] = m
	}
	for _, m := range all {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		lock := lockOf(r, m.file.Dir())
		if lock == nil {
			npmMissing(r, m, report)
			continue
		}
		dir := lock.Dir()
		kinds := 0
		for _, n := range npmLocks {
			if r.File(in(dir, n)) != nil {
				kinds++
			}
		}
		overrides := m.Overrides
		if top := root[dir]; top != nil {
			overrides = top.Overrides
		}
		for _, n := range []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"} {
			f := r.File(in(dir, n))
			if f == nil {
				continue
			}
			var wrong []misfit
			rel := strings.TrimPrefix(strings.TrimPrefix(m.file.Dir(), dir), "/")
			switch n {
			case "yarn.lock", "pnpm-lock.yaml":
				if top := root[dir]; n == "yarn.lock" && rel != "" && (top == nil || !top.member(rel)) {
					continue // no workspace of the root, so yarn installs it separately
				}
				known, ok := keys[f.Path]
				if !ok {
					if n == "yarn.lock" {
						known = yarnKeys(r, f.Path)
					} else {
						known = pnpmKeys(r, f.Path)
					}
					if keys[f.Path] = known; known == nil {
						unreadable++
					}
				}
				wrong = keyMisfits(m, known, pnpmFolder(n, rel), own, overrides)
			default:
				lock, ok := locks[f.Path]
				if !ok {
					if lock = readNpmLock(r, f.Path); lock == nil {
						unreadable++
					}
					locks[f.Path] = lock
				}
				wrong = npmMisfits(m, lock, rel, own, overrides)
				if f.Base() == "npm-shrinkwrap.json" { // a published one leaves out what only developers need
					wrong = slices.DeleteFunc(wrong, func(w misfit) bool { return w.section == devDeps })
				}
			}
			if len(wrong) > 0 {
				reportMisfits(m, f, wrong, kinds, report)
			}
		}
	}
	return errors.Join(err, unread(unreadable, len(locks)+len(keys), "npm lock"))
}

// misfit is a dependency in a package.json for which the lock file has no fitting version.
type misfit struct {
	dep
	locked string // the locked version, "" if there is none
}

func reportMisfits(m *manifest, lock *inspect.File, wrong []misfit, kinds int, report func(inspect.Finding)) {
	f := inspect.Finding{Severity: inspect.High, Path: m.file.Path, Line: wrong[0].line, Same: lock.Path}
	var quoted []string
	for _, w := range wrong {
		if w.locked == "" {
			quoted = append(quoted, fmt.Sprintf("%q: %q is not in %s", w.name, w.spec, lock.Base()))
		} else {
			quoted = append(quoted, fmt.Sprintf("%q: %q, locked %s", w.name, w.spec, w.locked))
		}
	}
	f.Evidence = inspect.Some(quoted, 5)
	command := "npm ci"
	switch lock.Base() {
	case "yarn.lock":
		command = "yarn install --frozen-lockfile"
	case "pnpm-lock.yaml":
		command = "pnpm install --frozen-lockfile"
	}
	f.Title = fmt.Sprintf("%s does not fit %s: %s", lock.Base(), m.file.Base(), wrong[0].name)
	if len(wrong) > 1 {
		f.Title = fmt.Sprintf("%s does not fit %s in %d dependencies", lock.Base(), m.file.Base(), len(wrong))
	}
	f.Why = fmt.Sprintf("%s refuses the pair, and a plain install changes the lock file unasked.", command)
	f.Advice = "Run the install once, look at what changes, and commit the lock file."
	if lock.Base() == "yarn.lock" && lock.Dir() != m.file.Dir() { // yarn 1 does not check workspaces
		f.Severity = inspect.Medium
		f.Why = "The next plain install changes the lock file unasked, and until then nothing pins the version."
	}
	if kinds > 1 {
		f.Severity = inspect.Medium
		f.Why = "There are two lock files and this one is stale: which versions are installed depends on the tool. " + f.Why
		f.Advice = "Keep one tool and delete the lock file of the other, or run both installs and commit."
	}
	report(f)
}

func npmMisfits(m *manifest, lock *npmLock, rel string, own, overrides map[string]bool) []misfit {
	if lock == nil || !lock.knows(rel) {
		return nil // the lock file above does not cover this folder
	}
	var out []misfit
	for _, d := range m.in(runtimeDeps, devDeps) {
		if own[d.name] || overrides[d.name] || local(d.spec) {
			continue
		}
		got, ok := lock.find(rel, d.name)
		if !ok {
			if !optional(m, d.name) {
				out = append(out, misfit{dep: d})
			}
			continue
		}
		if got.Link || got.Version == "" || doubled(m, d) {
			continue
		}
		if fits, known := satisfies(got.Version, d.spec); known && !fits {
			out = append(out, misfit{d, got.Version})
		}
	}
	return out
}

// local reports whether a version names a path, or a package of the repository itself.
func local(spec string) bool {
	for _, p := range []string{"file:", "link:", "portal:", "workspace:", "catalog:", "patch:", ".", "/", "~/"} {
		if strings.HasPrefix(spec, p) {
			return true
		}
	}
	return false
}

// doubled reports whether another section of the package.json also names the dependency. Tools differ in which of the
// two sections they use.
func doubled(m *manifest, d dep) bool {
	for _, other := range m.deps {
		if other.name == d.name && other.section != d.section && other.section != peerDeps {
			return true
		}
	}
	return false
}

func optional(m *manifest, name string) bool {
	for _, d := range m.in(optionalDeps) {
		if d.name == name {
			return true
		}
	}
	return false
}

// npmMissing reports a private package without a lock file, unless the project's settings exclude lock files. A private
// package is installed but never published.
func npmMissing(r *inspect.Repo, m *manifest, report func(inspect.Finding)) {
	wanted := m.in(runtimeDeps, devDeps)
	dir := m.file.Dir()
	if !m.Private || len(wanted) == 0 || !hasScript(r, dir) {
		return
	}
	for _, d := range wanted {
		if strings.HasPrefix(d.spec, "workspace:") {
			return // it is installed from a workspace root elsewhere
		}
	}
	for _, d := range inspect.Upward(dir) {
		if ignores(r, d) {
			return
		}
	}
	var quoted []string
	for _, d := range wanted {
		quoted = append(quoted, fmt.Sprintf("%q: %q", d.name, d.spec))
	}
	report(inspect.Finding{
		Severity: inspect.Medium, Path: m.file.Path, Line: wanted[0].line, Same: "no lock",
		Title:    "There is no lock file for " + plural(len(wanted), "npm package"),
		Evidence: inspect.Some(quoted, 6),
		Why: "This package is private, so it is installed and not published, and each install takes the newest " +
			"versions of that day. Other versions run than were tested.",
		Advice: "Commit the lock file that the install writes.",
	})
}

// ignores reports whether a folder's .gitignore or .npmrc excludes lock files.
func ignores(r *inspect.Repo, dir string) bool {
	if data, ok := r.Text(in(dir, ".gitignore")); ok {
		for _, n := range npmLocks {
			if bytes.Contains(data, []byte(n)) {
				return true
			}
		}
		if bytes.Contains(data, []byte("*.lock")) || bytes.Contains(data, []byte("-lock.")) {
			return true
		}
	}
	data, ok := r.Text(in(dir, ".npmrc"))
	return ok && bytes.Contains(bytes.ReplaceAll(data, []byte(" "), nil), []byte("package-lock=false"))
}

// hasScript reports whether a folder, or one below it, has JavaScript or TypeScript files that are not
// vendored. A package.json without such files is often only a list for a tool.
func hasScript(r *inspect.Repo, dir string) bool {
	for i := range r.Files {
		f := &r.Files[i]
		if script(f) && !f.Vendored && (dir == "" || strings.HasPrefix(f.Path, dir+"/")) {
			return true
		}
	}
	return false
}

// script reports whether a file is JavaScript or TypeScript.
func script(f *inspect.File) bool {
	switch path.Ext(f.Path) {
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return !strings.HasSuffix(f.Path, ".d.ts") && !strings.HasSuffix(f.Path, ".min.js")
	}
	return false
}

// goSumFit reports requirements that files of the project import although go.sum has no hash for them.
func goSumFit(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	mods, err := goModules(ctx, r)
	if len(mods) == 0 {
		return err
	}
	g := r.Go(ctx)
	own := map[string]bool{}
	for _, m := range mods {
		own[m.mod.Module.Mod.Path] = true
	}
	for _, m := range mods {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		dir := m.file.Dir()
		if r.File(in(dir, "vendor/modules.txt")) != nil {
			continue // a build from the vendor folder needs no hashes
		}
		if strings.HasSuffix("/"+dir, "/src/"+m.mod.Module.Mod.Path) {
			continue // nor does one in a GOPATH
		}
		sums, readable := hashes(r, dir)
		if !readable {
			continue
		}
		used := imported(g, m)
		var missing []string
		first, built := 0, false
		for _, req := range m.mod.Require {
			p, v := req.Mod.Path, req.Mod.Version
			inBuild, ok := used[p]
			if !ok {
				continue
			}
			for _, rep := range m.mod.Replace {
				if rep.Old.Path == p && (rep.Old.Version == "" || rep.Old.Version == v) {
					p, v = rep.New.Path, rep.New.Version
				}
			}
			if v == "" || ownInWork(r, own, dir, p) || sums[p+" "+v] {
				continue
			}
			if first == 0 {
				first = req.Syntax.Start.Line
			}
			missing = append(missing, p+" "+v)
			built = built || inBuild || !pruned(m) && !sums[p+" "+v+"/go.mod"]
		}
		if len(missing) == 0 {
			continue
		}
		title := fmt.Sprintf("go.sum has no hash for %d imported modules", len(missing))
		if len(missing) == 1 {
			title = "go.sum has no hash for " + missing[0]
		}
		f := inspect.Finding{
			Severity: inspect.High, Path: m.file.Path, Line: first, Same: "go.sum",
			Title:    title,
			Evidence: inspect.Some(missing, 5),
			Why:      "go build stops with \"missing go.sum entry\" in a fresh clone.",
			Advice:   "Run go mod tidy and commit go.sum.",
		}
		if !built {
			f.Severity = inspect.Medium
			f.Why = "Only tests import it: go build works, and go test stops with \"missing go.sum entry\" in a fresh clone."
		}
		report(f)
	}
	return err
}

// pruned reports whether the go command reads only the go.mod files of the modules that it needs, as it does in modules
// of Go 1.17 and later. In an older module it reads the go.mod files of all modules and needs a hash for each of them.
func pruned(m *goModule) bool {
	return m.mod.Go != nil && version.Compare("go"+m.mod.Go.Version, "go1.17") >= 0
}

// hashes returns the entries of a module's sum files: "path version" for a module's content and
// "path version/go.mod" for its go.mod. readable is false if one of the files cannot be read.
func hashes(r *inspect.Repo, dir string) (sums map[string]bool, readable bool) {
	sums = map[string]bool{}
	files := []*inspect.File{r.File(in(dir, "go.sum")), above(r, dir, "go.work.sum")}
	if work := above(r, dir, "go.work"); work != nil {
		for i := range r.Files { // in a workspace, go uses the go.sum files of all modules
			if r.Files[i].Base() == "go.sum" {
				files = append(files, &r.Files[i])
			}
		}
	}
	for _, f := range files {
		if f == nil {
			continue
		}
		data, ok := r.Text(f.Path)
		if !ok {
			return nil, false
		}
		for _, line := range inspect.Lines(data) {
			if w := strings.Fields(line); len(w) == 3 {
				sums[w[0]+" "+w[1]] = true
			}
		}
	}
	return sums, true
}

// ownInWork reports whether a go.work in the folder dir or above may take the module mod from the repository itself.
func ownInWork(r *inspect.Repo, own map[string]bool, dir, mod string) bool {
	work := above(r, dir, "go.work")
	if work == nil {
		return false
	}
	data, ok := r.Text(work.Path)
	return own[mod] || !ok || bytes.Contains(data, []byte(mod))
}
