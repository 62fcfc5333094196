package review

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/imports"
)

var (
	mainPackage = inspect.Pattern(`(?m)^package main\b`)
	mainFunc    = inspect.Pattern(`(?m)^func main\(\)`)
	pythonMain  = inspect.Pattern(`(?m)^if __name__ == ['"]__main__['"]`)
	nodeEntry   = inspect.Pattern(`"(?:main|module|bin)"\s*:\s*(?:\{\s*"[^"]*"\s*:\s*)?"([^"\n]+)"`)
	// nodeRun is a script of a package.json that runs a file, and listens a call that makes a server listen.
	nodeRun = inspect.Pattern(`"(?:start|serve|dev)"\s*:\s*"[^"\n]*?\b(?:node|tsx|ts-node|nodemon|bun)\s+(?:-\S+\s+)*` +
		`([\w./-]+\.[cm]?[jt]s)\b`)
	listens = inspect.Pattern(`(?m)^[^/*\n]*\b(?:app|server|http|fastify|express\(\))\.listen\(`)
	// pythonScripts is the beginning of the list of commands in pyproject.toml, setup.cfg or setup.py.
	pythonScripts = inspect.Pattern(`(?m)^\[(?:project|tool\.poetry)\.scripts\]|\bconsole_scripts\b["']?\s*[=:]\s*\[?`)
	// pythonScript is one command: its module and function.
	pythonScript = inspect.Pattern(`=\s*["']?([A-Za-z_][\w.]*):([A-Za-z_]\w*)`)
	pythonDef    = inspect.Pattern(`(?m)^(?:async )?def (\w+)\b`)
)

// usualEntries are the usual paths of files in which programs begin.
var usualEntries = strings.Fields(`src/main.ts src/main.tsx src/index.ts src/index.tsx src/main.js src/index.js main.ts
	index.ts index.js server.js app.js main.js src/main.rs manage.py __main__.py`)

// entries returns the places at which programs begin: first those that manifests declare, then those that the code
// shows. In each group those near the root come first.
func entries(repo *inspect.Repo, c *census) []string {
	out := append(declared(repo, c), shown(repo, c)...)
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(at string) bool {
		p, _, _ := strings.Cut(at, ":")
		known := seen[p]
		seen[p] = true
		return known
	})
}

// declared returns the places of the programs that manifests name: the commands of a Python project, and the entry of a
// Node package.
func declared(repo *inspect.Repo, c *census) []string {
	var out []string
	for _, p := range c.manifests {
		data, ok := repo.Text(p)
		switch {
		case !ok:
		case path.Base(p) == "package.json":
			for _, m := range slices.Concat(nodeRun.FindAllSubmatch(data, 4), nodeEntry.FindAllSubmatch(data, 4)) {
				if to := path.Join(path.Dir(p), string(m[1])); repo.File(to) != nil {
					out = append(out, to)
				}
			}
		default:
			out = append(out, pythonCommands(repo, p, data)...)
		}
	}
	return nearRoot(out)
}

// pythonCommands returns the places of the functions that the manifest p of a Python project declares as commands.
// Their modules are beside the manifest or in its folder src. A list of commands ends with a bracket: of its own, or of
// the next section.
func pythonCommands(repo *inspect.Repo, p string, manifest []byte) (out []string) {
	for _, at := range pythonScripts.FindAllIndex(manifest, 4) {
		commands, _, _ := bytes.Cut(manifest[at[1]:], []byte("]"))
		if section := bytes.Index(commands, []byte("\n[")); section >= 0 {
			commands = commands[:section]
		}
		for _, m := range pythonScript.FindAllSubmatch(commands, 8) {
			for _, from := range []string{p, path.Join(path.Dir(p), "src", path.Base(p))} {
				file := imports.Python(repo, from, 1, string(m[1]))
				if data, ok := repo.Text(file); ok {
					out = append(out, where(file, lineOfDef(data, string(m[2]))))
				}
			}
		}
	}
	return out
}

// lineOfDef returns the line on which a Python function is defined, 0 if the file does not define it.
func lineOfDef(data []byte, name string) int {
	for _, m := range pythonDef.FindAllSubmatchIndex(data, -1) {
		if string(data[m[2]:m[3]]) == name {
			return lineOf(data, m[0])
		}
	}
	return 0
}

// shown returns the places at which the code of a program begins.
func shown(repo *inspect.Repo, c *census) []string {
	var out []string
	for _, p := range c.sourcePaths {
		f := repo.File(p)
		data, ok := repo.Text(p)
		switch {
		case !ok:
		case f.Lang == "Go" && mainPackage.Match(data) && mainFunc.Match(data):
			out = append(out, where(p, lineOf(data, mainFunc.FindIndex(data)[0])))
		case f.Lang == "Python" && pythonMain.Match(data):
			out = append(out, where(p, lineOf(data, pythonMain.FindIndex(data)[0])))
		case slices.Contains(inspect.Scripts, f.Lang) && listens.Match(data):
			out = append(out, where(p, lineOf(data, listens.FindIndex(data)[0])))
		case slices.Contains(usualEntries, p):
			out = append(out, p)
		}
	}
	return nearRoot(out)
}

// nearRoot returns the places, those near the root first: deeper folders mostly have helpers.
func nearRoot(places []string) []string {
	out := slices.Clone(places)
	slices.SortStableFunc(out, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return out
}

// place describes the repository: what it says of itself, its size, and where its programs begin.
func (t guide) place() string {
	repo := t.review.repo
	c := count(repo)
	var out []string
	if at, says := t.ownWords(c); says != "" {
		p, _, _ := strings.Cut(at, ":")
		from := repo.Name
		if p == c.readme {
			from = "The README"
		}
		out = append(out, fmt.Sprintf("%s (%s) says: %s", from, at, ended(clipWords(says, 32))))
		t.walk(p)
	} else {
		out = append(out, repo.Name+" has no README that says what it is.")
	}
	size := fmt.Sprintf("%s in %s, %s", countOf(len(repo.Files), "file"), countOf(c.dirs, "folder"), c.languages())
	if len(c.tops) > 0 {
		size += ", most below " + list(amounts(heaviestOf(c.tops, 2), ""))
	}
	out = append(out, size+".")
	if e := entries(repo, c); len(e) > 0 {
		out = append(out, "Programs begin at "+list(first(e, 2))+".")
	}
	if m := nearRoot(c.manifests); len(m) > 0 {
		out = append(out, "Its dependencies are named in "+list(first(m, 2))+".")
	}
	return strings.Join(out, " ")
}

var described = inspect.Pattern(`(?m)(?:^|[,{(])\s*"?description"?\s*[:=]\s*["']([^"'\n]{8,})["']`)

// ownWords returns a place with a description of the repository, and the description: the README, the description
// in a manifest, or the comment of the package at the root.
func (t guide) ownWords(c *census) (at, says string) {
	repo := t.review.repo
	if c.readme != "" {
		data, _ := repo.Text(c.readme)
		if line, text := opening(data, repo.Name); text != "" {
			return where(c.readme, line), text
		}
	}
	for _, p := range c.manifests {
		data, ok := repo.Text(p)
		if m := described.FindSubmatchIndex(data); ok && m != nil && !strings.Contains(p, "/") {
			return where(p, lineOf(data, m[2])), string(data[m[2]:m[3]])
		}
	}
	for _, f := range repo.In("") {
		if data, ok := repo.Text(f.Path); ok && !f.Test {
			if line, text := goDoc(f, data); line > 0 {
				return where(f.Path, line), text
			}
		}
	}
	return "", ""
}
