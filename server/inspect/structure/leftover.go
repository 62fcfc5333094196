package structure

import (
	"bytes"
	"context"
	"path"
	"strings"

	"agentdungeon/server/inspect"
)

func leftovers() inspect.Check {
	return inspect.Check{
		ID: "cartographer/leftover-file", Hero: "cartographer",
		Looks: "files that a tool left behind: desktop files, backups, rejected patches, compiled code, logs, installed " +
			"packages",
		Rule: "Medium if it is compiled code, an installed package folder or a virtual environment, else low.",
		Run:  runLeftovers,
	}
}

// litter is one kind of file that a tool leaves in the repository.
type litter struct {
	one, many string // what it is, for the title
	severity  string
	why       string
	advice    string
}

var (
	desktop = litter{"a file of the desktop", "files of the desktop", inspect.Low, "It says how somebody's file " +
		"manager showed the folder; it changes with every look and names files that nobody else has.",
		"Delete it and name it in .gitignore."}
	backup = litter{"a backup of an editor or a merge", "backups of editors or merges", inspect.Low, "A search finds " +
		"the old text beside the new one, and somebody mends the wrong file.",
		"Delete it: git keeps what the file was before. Name the pattern in .gitignore."}
	reject = litter{"the rest of a patch that did not apply", "rests of patches that did not apply", inspect.Low,
		"Parts of a change were refused here and may be missing from the code.",
		"See whether the change is in the code, then delete the file."}
	compiled = litter{"compiled code", "files of compiled code", inspect.Medium, "It differs for each machine and " +
		"compiler, goes stale with the next change of its source, and every clone carries all its versions.",
		"Delete it, build it where it is needed, and name the pattern in .gitignore."}
	logged = litter{"the log of a run", "logs of runs", inspect.Low, "It tells of one run on one machine, often with " +
		"its paths and names, and grows or changes without meaning.", "Delete it and name the pattern in .gitignore."}
	measured = litter{"the output of a coverage run", "outputs of coverage runs", inspect.Low, "It is true only for the " +
		"code at the moment of the run, and every run makes a change to commit.",
		"Delete it and name it in .gitignore; let the build keep it."}
	modules = litter{"an installed package folder", "files of installed packages", inspect.Medium, "Installed packages " +
		"depend on the machine, hide the real changes in reviews, and every clone carries all their versions.",
		"Delete the folder, name node_modules in .gitignore, and keep the lock file."}
	venv = litter{"a Python virtual environment", "Python virtual environments", inspect.Medium, "It holds the " +
		"paths and programs of one machine and works on no other.",
		"Delete the folder, name it in .gitignore, and list the requirements in a file."}
	copied = litter{"a copy that a file manager made", "copies made by a file manager", inspect.Low, "Two files claim " +
		"to be the same thing, and a change reaches only one of them.", "Keep the one that is used and delete the other."}
)

// kinds lists all kinds of litter in the order in which they are reported.
var kinds = []*litter{&modules, &venv, &compiled, &reject, &backup, &copied, &logged, &measured, &desktop}

func runLeftovers(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	found := map[*litter][]string{}
	commands := goCommands(ctx, r)
	for i := range r.Files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := &r.Files[i]
		if f.Test {
			continue // tests may need any file
		}
		if kind := litterOf(r, f, commands); kind != nil && committed(r, f) {
			found[kind] = append(found[kind], f.Path)
		}
	}
	for _, kind := range kinds {
		paths := found[kind]
		if len(paths) == 0 {
			continue
		}
		title := inspect.Clip(path.Base(paths[0]), 48) + " is " + kind.one
		if len(paths) > 1 {
			title = inspect.Count(len(paths)) + " " + kind.many + " lie in the repository"
		} else if kind == &modules {
			title = "Installed packages lie in the repository"
		}
		report(inspect.Finding{
			Severity: kind.severity, Title: title, Path: paths[0], Evidence: inspect.Some(paths, 6), Why: kind.why,
			Advice: kind.advice,
			Same:   kind.one,
		})
	}
	return nil
}

var (
	managerCopy = inspect.Pattern(`^(?:Copy of (.+)|(.+?)(?: - Copy| copy| \(copy\))(?: ?\(?\d+\)?)?(\.\w+))$`)
	toolLog     = inspect.Pattern(`^(npm-debug|yarn-error|yarn-debug|lerna-debug|pnpm-debug|` +
		`hs_err_pid\d+)[\w.-]*\.log[\w.-]*$`)
	logLine = inspect.Pattern(`^\W{0,3}(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|(Mon|Tue|Wed|Thu|Fri|Sat|` +
		`Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) .*\d\d:\d\d)`)
	compiledExt = map[string]bool{".pyc": true, ".pyo": true, ".class": true, ".o": true, ".hi": true, ".beam": true}
)

func litterOf(r *inspect.Repo, f *inspect.File, commands map[string]bool) *litter {
	base, ext := f.Base(), strings.ToLower(path.Ext(f.Path))
	switch {
	case strings.Contains("/"+f.Path, "/node_modules/"):
		if r.History == nil {
			return nil // without git it is not known whether they belong to the project
		}
		return &modules
	case base == "pyvenv.cfg":
		return &venv
	case f.Vendored:
		return nil
	case base == ".DS_Store", base == "Thumbs.db", base == "ehthumbs.db":
		return &desktop
	case compiledExt[ext] && f.Size > 0 && !isText(r, f), commands[f.Path]:
		return &compiled
	case ext == ".rej":
		if data, ok := r.Text(f.Path); ok && (bytes.Contains(data, []byte("\n@@ ")) ||
			bytes.Contains(data, []byte("\n*** "))) {
			return &reject
		}
	case strings.HasSuffix(base, "~") && len(base) > 1 && !strings.Contains(f.Path, ".git/"),
		strings.HasPrefix(base, ".") && (ext == ".swp" || ext == ".swo") && !isText(r, f):
		return &backup
	case ext == ".orig", ext == ".bak":
		if sibling := r.File(strings.TrimSuffix(f.Path, path.Ext(f.Path))); sibling != nil {
			return &backup
		}
	case toolLog.MatchString(base), base == "nohup.out":
		return &logged
	case ext == ".log" && isLog(r, f):
		return &logged
	case base == ".coverage", base == "lcov.info", strings.Contains("/"+f.Path, "/.nyc_output/"):
		return &measured
	case ext == ".out" || strings.HasSuffix(base, ".coverprofile"):
		if data, ok := r.Text(f.Path); ok && (bytes.HasPrefix(data, []byte("mode: set\n")) ||
			bytes.HasPrefix(data, []byte("mode: atomic\n")) || bytes.HasPrefix(data, []byte("mode: count\n"))) {
			return &measured
		}
	default:
		if m := managerCopy.FindStringSubmatch(base); m != nil {
			name := m[1]
			if name == "" {
				name = m[2] + m[3]
			}
			if r.File(path.Join(f.Dir(), name)) != nil {
				return &copied
			}
		}
	}
	return nil
}

func isText(r *inspect.Repo, f *inspect.File) bool {
	_, ok := r.Text(f.Path)
	return ok
}

// isLog reports whether most lines of a file have a time. It returns false for files in folders for examples.
func isLog(r *inspect.Repo, f *inspect.File) bool {
	if inspect.Shown(f) {
		return false
	}
	data, ok := r.Text(f.Path)
	if !ok {
		return false
	}
	lines, timed := 0, 0
	for n, line := range inspect.Lines(data) {
		if n > 400 {
			break
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		if logLine.MatchString(inspect.Clip(line, 80)) {
			timed++
		}
	}
	return lines >= 5 && timed*2 > lines
}

// leastBinary is a size in bytes. Every program that the Go compiler builds is larger.
const leastBinary = 500 << 10

// goCommands returns the large binary files that probably are programs built from the repository: "go build" or "go
// test -c" gives the program of some folder the same name.
func goCommands(ctx context.Context, r *inspect.Repo) map[string]bool {
	out := map[string]bool{}
	large := map[string]bool{}
	for i := range r.Files {
		if f := &r.Files[i]; f.Size >= leastBinary && (path.Ext(f.Path) == "" || path.Ext(f.Path) == ".exe" ||
			path.Ext(f.Path) == ".test") {
			large[f.Path] = true
		}
	}
	if len(large) == 0 {
		return out
	}
	golang := r.Go(ctx)
	for dir, p := range golang.Packages {
		name := path.Base(dir)
		root, mod := golang.Module(dir)
		if dir == root {
			if mod == nil || mod.Module == nil {
				continue
			}
			name = path.Base(mod.Module.Mod.Path)
		}
		for _, where := range []string{dir, root} {
			for _, end := range []string{"", ".exe", ".test", ".test.exe"} {
				made := path.Join(where, name+end)
				if (p.Name == "main" || strings.Contains(end, ".test")) && large[made] && !isText(r, r.File(made)) {
					out[made] = true
				}
			}
		}
	}
	return out
}

// committed reports whether a commit contains the file. It also returns true if the history cannot tell. A file in no
// commit is somebody's current work.
func committed(r *inspect.Repo, f *inspect.File) bool {
	if r.History == nil {
		return true
	}
	if _, ok := r.History.Past(f.Path); ok {
		return true
	}
	_, whole := r.History.Commits()
	return !whole
}
