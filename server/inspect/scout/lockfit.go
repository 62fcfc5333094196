package scout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/version"
	"path"
	"strings"

	"agentdungeon/server/inspect"
)

func lockFit(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	return each(ctx, r, report, npmFit, goSumFit)
}

// npmFit holds every package.json to the lock files that it is installed by.
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
					continue // installed by itself
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
			}
			if len(wrong) > 0 {
				reportMisfits(m, f, wrong, kinds, report)
			}
		}
	}
	return errors.Join(err, unread(unreadable, len(locks)+len(keys), "npm lock"))
}

// misfit is a dependency of a package.json that the lock file does not fit.
type misfit struct {
	dep
	locked string // "" is none
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
	f.Evidence = few(quoted, 5)
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
	f.Why = fmt.Sprintf("%s refuses the pair, and a plain install changes the lock file under the hands of whoever runs it.", command)
	f.Advice = "Run the install once, look at what changes, and commit the lock file."
	if lock.Base() == "yarn.lock" && lock.Dir() != m.file.Dir() { // yarn 1 does not look at workspaces
		f.Severity = inspect.Medium
		f.Why = "The next plain install changes the lock file under the hands of whoever runs it, and until then nothing holds the version."
	}
	if kinds > 1 {
		f.Severity = inspect.Medium
		f.Why = "Two lock files lie side by side and this one is stale: what is installed depends on which tool somebody uses. " + f.Why
		f.Advice = "Keep one tool and delete the lock file of the other, or run both installs and commit."
	}
	report(f)
}

func npmMisfits(m *manifest, lock *npmLock, rel string, own, overrides map[string]bool) []misfit {
	if lock == nil || !lock.knows(rel) {
		return nil // a lock file above that is not this folder's
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

// local reports whether a version is a place in the repository.
func local(spec string) bool {
	for _, p := range []string{"file:", "link:", "portal:", "workspace:", "catalog:", "patch:", ".", "/", "~/"} {
		if strings.HasPrefix(spec, p) {
			return true
		}
	}
	return false
}

// doubled reports whether another section names the dependency too: which of the two
// counts is the tool's affair.
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

// npmMissing reports a private package (one that is installed, not published) that has
// no lock file at all, unless the project has decided so.
func npmMissing(r *inspect.Repo, m *manifest, report func(inspect.Finding)) {
	wanted := m.in(runtimeDeps, devDeps)
	dir := m.file.Dir()
	if !m.Private || len(wanted) == 0 || !hasScript(r, dir) {
		return
	}
	for _, d := range wanted {
		if strings.HasPrefix(d.spec, "workspace:") {
			return // installed from somewhere else
		}
	}
	for _, d := range upward(dir) {
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
		Evidence: few(quoted, 6),
		Why:      "This package is private, so it is installed and not published, and each install takes the newest versions of that day. What was tested is not what runs.",
		Advice:   "Commit the lock file that the install writes.",
	})
}

// ignores reports whether a folder's settings keep lock files out on purpose.
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

// hasScript reports whether a folder has JavaScript of the project's own: a package.json
// without any is often only a list for some tool.
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

// goSumFit looks for requirements that own files import and go.sum has no hash for.
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
			continue // a build from the vendor folder asks for no hashes
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
			Evidence: few(missing, 5),
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

// pruned reports whether the go command reads the go.mod files only of modules that it
// needs, which it does since Go 1.17. Before, it reads all, and wants a hash for each.
func pruned(m *goModule) bool {
	return m.mod.Go != nil && version.Compare("go"+m.mod.Go.Version, "go1.17") >= 0
}

// hashes returns the modules whose content a module's sum files know, as "path version",
// and those whose go.mod they know, as "path version/go.mod".
// readable is false where one of them cannot be read.
func hashes(r *inspect.Repo, dir string) (sums map[string]bool, readable bool) {
	sums = map[string]bool{}
	files := []*inspect.File{r.File(in(dir, "go.sum")), above(r, dir, "go.work.sum")}
	if work := above(r, dir, "go.work"); work != nil {
		for i := range r.Files { // in a workspace the sums of all modules count
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

// ownInWork reports whether a module comes from the repository itself in a workspace.
func ownInWork(r *inspect.Repo, own map[string]bool, dir, mod string) bool {
	work := above(r, dir, "go.work")
	if work == nil {
		return false
	}
	data, ok := r.Text(work.Path)
	return own[mod] || !ok || bytes.Contains(data, []byte(mod))
}
