package structure

import (
	"context"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

func caseClashes() inspect.Check {
	return inspect.Check{
		ID: "cartographer/case-clash", Hero: "cartographer",
		Looks: "names in one folder that differ only in capital letters",
		Rule:  "High if one of the two is a file, medium if both are folders.",
		Run:   runCaseClashes,
	}
}

func runCaseClashes(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	type entry struct {
		name string
		dir  bool
	}
	seen := map[string]bool{}      // paths of files and folders
	folded := map[string][]entry{} // by folder and name in lower case
	first := map[string]string{}   // the first file in a folder; for a file, itself
	var keys []string
	for i := range r.Files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := &r.Files[i]
		if f.Vendored || !committed(r, f) {
			continue
		}
		for p, dir := f.Path, false; p != "." && !seen[p]; p, dir = path.Dir(p), true {
			seen[p] = true
			first[p] = f.Path
			key := path.Dir(p) + "/" + strings.ToLower(path.Base(p))
			if len(folded[key]) == 1 {
				keys = append(keys, key)
			}
			folded[key] = append(folded[key], entry{p, dir})
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		severity, what := inspect.Medium, "folders"
		var names, all []string
		for _, e := range folded[key] {
			if !e.dir {
				severity, what = inspect.High, "files"
			}
			names = append(names, inspect.Clip(path.Base(e.name), 34))
			all = append(all, e.name)
		}
		why := "Windows and macOS keep one file under both names: a checkout there loses the other and shows changes that nobody made."
		if what == "folders" {
			why = "Windows and macOS make one folder of the two, and imports that work there fail on Linux."
		}
		report(inspect.Finding{
			Severity: severity, Title: names[0] + " and " + names[1] + " differ only in capitals", Path: first[folded[key][0].name],
			Evidence: some(all, 6), Why: why, Advice: "Give one of the " + what + " another name, or merge both.",
			Same: key,
		})
	}
	return nil
}

func windowsNames() inspect.Check {
	return inspect.Check{
		ID: "cartographer/windows-name", Hero: "cartographer",
		Looks: "names that Windows cannot store",
		Rule:  "High if the repository has files for Windows (_windows.go, .bat, .cmd, .ps1, .sln), else medium.",
		Run:   runWindowsNames,
	}
}

var reserved = inspect.Pattern(`(?i)^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)`)

// unfit returns why Windows refuses a name, or "" if Windows accepts it.
func unfit(name string) string {
	switch i := strings.IndexAny(name, `<>:"|?*\`); {
	case i >= 0:
		return "the character " + name[i:i+1]
	case strings.IndexFunc(name, func(r rune) bool { return r < ' ' }) >= 0:
		return "a control character"
	case strings.HasSuffix(name, "."):
		return "a full stop at the end"
	case strings.HasSuffix(name, " "):
		return "a space at the end"
	case reserved.MatchString(name):
		return "the name of a device"
	}
	return ""
}

func runWindowsNames(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	severity := inspect.Medium
	var paths, causes []string
	done := map[string]bool{}
	for i := range r.Files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := &r.Files[i]
		switch ext := strings.ToLower(path.Ext(f.Path)); {
		case strings.HasSuffix(f.Path, "_windows.go"), ext == ".bat", ext == ".cmd", ext == ".ps1", ext == ".sln":
			severity = inspect.High
		}
		if strings.Contains("/"+f.Path, "/node_modules/") || !committed(r, f) {
			continue
		}
		parts := strings.Split(f.Path, "/")
		for i, part := range parts {
			p := strings.Join(parts[:i+1], "/")
			if done[p] {
				continue
			}
			done[p] = true
			if cause := unfit(part); cause != "" {
				paths, causes = append(paths, f.Path), append(causes, cause)
				break
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	title := short(path.Base(paths[0])) + " has a name that Windows cannot store"
	if len(paths) > 1 {
		title = count(len(paths)) + " names cannot be stored on Windows"
	}
	var evidence []string
	for i := range paths {
		evidence = append(evidence, inspect.Clip(paths[i], 90)+" ("+causes[i]+")")
	}
	report(inspect.Finding{
		Severity: severity, Title: title, Path: paths[0], Evidence: some(evidence, 5),
		Why:    "Git for Windows stops the checkout at such a name with \"invalid path\", so that nobody there can clone the repository.",
		Advice: "Rename it; if a test needs the name, let the test make the file.",
		Same:   "windows",
	})
	return nil
}
