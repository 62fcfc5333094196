package dependencies

import (
	"strings"

	"agentdungeon/server/inspect"
)

// yarnKeys returns the keys of the entries in a yarn.lock as name@range, without quotes and without the
// "npm:" of newer versions. It returns nil if the file cannot be read.
func yarnKeys(r *inspect.Repo, p string) map[string]bool {
	data, ok := r.Text(p)
	if !ok {
		return nil
	}
	keys := map[string]bool{}
	for _, line := range inspect.Lines(data) {
		if line == "" || line[0] == ' ' || line[0] == '#' || !strings.HasSuffix(line, ":") {
			continue
		}
		line = strings.TrimSuffix(line, ":")
		for key := range strings.SplitSeq(line, ",") {
			key = strings.Trim(strings.TrimSpace(key), `"`)
			keys[strings.Replace(key, "@npm:", "@", 1)] = true
		}
	}
	return keys
}

var (
	pnpmLine     = inspect.Pattern(`^( *)(?:'([^']+)'|"([^"]+)"|([^\s'":#][^\s:]*(?::[^\s:]+)*)):(?:\s+(.*))?$`)
	pnpmSections = map[string]bool{runtimeDeps: true, devDeps: true, optionalDeps: true}
)

// pnpmKeys returns the requirements for which a pnpm-lock.yaml was made. The key of a requirement is the folder, a
// space and name@range. For each folder that the file covers, there is also a key that consists of the folder and a
// space. The result is nil if the file cannot be read, and empty if the format is older than version 6.
func pnpmKeys(r *inspect.Repo, p string) map[string]bool {
	data, ok := r.Text(p)
	if !ok {
		return nil
	}
	keys := map[string]bool{}
	var at []string // the keys above, by depth
	for _, line := range inspect.Lines(data) {
		m := pnpmLine.FindStringSubmatch(line)
		if m == nil || len(m[1])%2 == 1 || len(m[1])/2 > len(at) {
			continue
		}
		name := m[2] + m[3] + m[4]
		at = append(at[:len(m[1])/2], name)
		if at[0] == "packages" || at[0] == "snapshots" {
			break // the rest of the file lists the installed packages
		}
		folder, rest := ".", at
		if at[0] == "importers" {
			if len(at) < 2 {
				continue
			}
			folder, rest = at[1], at[2:]
			keys[folder+" "] = true
		}
		if len(rest) == 3 && pnpmSections[rest[0]] && rest[2] == "specifier" {
			keys[folder+" "] = true
			keys[folder+" "+rest[1]+"@"+strings.Trim(m[5], `'"`)] = true
		}
	}
	return keys
}

// pnpmFolder returns the prefix of the keys of pnpmKeys for a folder: the folder and a space. It returns "" for all
// other kinds of lock files, which have one list for all folders.
func pnpmFolder(lock, rel string) string {
	switch {
	case lock != "pnpm-lock.yaml":
		return ""
	case rel == "":
		return ". "
	}
	return rel + " "
}

// keyMisfits returns the dependencies of a package.json that are not among the keys of its lock file. It returns nil if
// the lock file does not cover the folder.
func keyMisfits(m *manifest, keys map[string]bool, folder string, own, overrides map[string]bool) []misfit {
	if len(keys) == 0 || folder != "" && !keys[folder] {
		return nil
	}
	var out []misfit
	for _, d := range m.in(runtimeDeps, devDeps) {
		if own[d.name] || overrides[d.name] || local(d.spec) || optional(m, d.name) || doubled(m, d) ||
			keys[folder+d.name+"@"+d.spec] {
			continue
		}
		if v, _, _ := strings.Cut(d.spec, " "); wantPart.MatchString(v) && v == d.spec && !strings.ContainsAny(v, "*xX") {
			out = append(out, misfit{dep: d})
		}
	}
	return out
}
