// Package hints derives facts about a repository from its paths and a few of its files: its languages,
// commands, documents, scripts and pipelines.
//
// It reads no disk: its caller, server/kind, passes the paths of the map and the texts of Files.
// server/forge offers the hints as answers to its questions.
package hints

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"agentdungeon/shared/pattern"
)

// Hints are facts about the linked repository, which questions offer as answers. The zero value means that no
// repository is linked. All texts come from the repository: a question quotes them on one line, and a skill includes
// them only if a person chooses them.
type Hints struct {
	Repo      string   // name of the repository
	Languages []string // the most used first
	Commands  []Command
	Docs      []string // paths, like the entries of Scripts and CI
	Scripts   []string
	CI        []string
}

// Command is a command that a file of the repository names, or that runs a tool whose configuration file is there.
type Command struct {
	Does string `json:"does"` // test, build, lint, format, release, run, types, e2e, bench, docs, generate or other
	Run  string `json:"run"`  // the command line, such as "make test"
	From string `json:"from"` // the file that defines the command
}

const (
	maxLanguages = 12
	maxPaths     = 40 // maximum number of paths in each of Docs, Scripts and CI
	maxCommands  = 40
)

// Of derives hints from the paths of the repository repo and from texts: the contents, by file name, of those Files
// that the repository has. The caller leaves out files of more than 64 KB.
func Of(repo string, paths []string, texts map[string]string) Hints {
	h := Hints{Repo: repo, Languages: languagesOf(paths)}
	for _, p := range paths {
		base, dir := strings.ToLower(path.Base(p)), path.Dir(p)
		switch {
		case isPipeline(p, base):
			h.CI = append(h.CI, p)
		case slices.Contains(scriptFolders, dir) && slices.Contains(ScriptEnds, path.Ext(base)):
			h.Scripts = append(h.Scripts, p)
		case strings.HasSuffix(base, ".md") && base != "license.md" &&
			(dir == "." || strings.HasPrefix(p, "docs/") || strings.HasPrefix(p, "doc/")):
			h.Docs = append(h.Docs, p)
		}
	}
	for _, list := range []*[]string{&h.CI, &h.Scripts, &h.Docs} {
		slices.SortStableFunc(*list, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
		*list = (*list)[:min(len(*list), maxPaths)]
	}
	for _, name := range Files {
		if text, ok := texts[name]; ok {
			h.Commands = append(h.Commands, commands(name, text, packageRunner(paths))...)
		}
	}
	h.Commands = append(h.Commands, configured(paths)...)
	// List one command of each usual name, then the commands whose names only this repository has.
	var usual, others []Command
	seen := map[string]bool{}
	for _, c := range h.Commands {
		key, list := c.Does, &usual
		if c.Does == doesOther {
			key, list = doesOther+" "+c.Run, &others
		}
		if !seen[key] {
			seen[key] = true
			*list = append(*list, c)
		}
	}
	h.Commands = append(usual, others...)
	h.Commands = h.Commands[:min(len(h.Commands), maxCommands)]
	return h
}

// scriptFolders hold the scripts of a repository.
var scriptFolders = []string{"scripts", "script", "tools", "bin", "hack"}

// isPipeline reports whether a path configures a pipeline of continuous integration.
func isPipeline(p, base string) bool {
	return strings.HasPrefix(p, ".github/workflows/") || base == ".gitlab-ci.yml" || base == "jenkinsfile" ||
		p == ".circleci/config.yml"
}

// Files are the files whose text Of reads, the most decisive first.
var Files = strings.Fields(`Makefile GNUmakefile makefile justfile Justfile package.json composer.json pyproject.toml
	go.mod Cargo.toml`)

// doesOther is the value of Command.Does for a command whose name is not in does.
const doesOther = "other"

var (
	makeTarget = pattern.New(`(?m)^([A-Za-z0-9][A-Za-z0-9_-]{0,40})[ \t]*::?(?:[^=:]|$)`)
	justRecipe = pattern.New(`(?m)^@?([A-Za-z0-9][A-Za-z0-9_-]{0,40})(?:[ \t]+[^:\n]*)?:(?:[^=]|$)`)
	// does maps the usual names of targets, scripts and recipes to the values of Command.Does.
	does = byName(`test: test tests check unit; build: build compile; lint: lint; format: fmt format;
		release: release publish deploy; run: run start dev serve; types: typecheck type-check types; e2e: e2e;
		bench: bench benchmark; docs: docs; generate: generate gen`)
	// dull lists names of targets for which nobody needs a skill, or that only other targets run.
	dull = strings.Fields(`all clean default help install distclean mostlyclean prepare preinstall postinstall
		prepublishonly set export unexport private include`)
)

// byName reads a table of the form "value: name name; value: name" and returns a map from each name to its value.
func byName(table string) map[string]string {
	out := map[string]string{}
	for row := range strings.SplitSeq(table, ";") {
		value, names, _ := strings.Cut(row, ":")
		for _, name := range strings.Fields(names) {
			out[name] = strings.TrimSpace(value)
		}
	}
	return out
}

// packageRunner returns the program that runs the scripts of package.json, as the lock file beside it
// indicates.
func packageRunner(paths []string) string {
	for _, lock := range [][2]string{
		{"pnpm-lock.yaml", "pnpm run "}, {"yarn.lock", "yarn run "}, {"bun.lock", "bun run "}, {"bun.lockb", "bun run "},
	} {
		if slices.Contains(paths, lock[0]) {
			return lock[1]
		}
	}
	return "npm run "
}

// configured returns commands for the configuration files of linters, formatters and build tools at the top level, such
// as "golangci-lint run". In the list of all hints they follow the commands that a file, such as a Makefile, names.
func configured(paths []string) []Command {
	var out []Command
	for row := range strings.Lines(configs) {
		file, rest, _ := strings.Cut(strings.TrimSpace(row), " ")
		purpose, run, _ := strings.Cut(rest, " ")
		stem, anyEnding := strings.CutSuffix(file, ".")
		if i := slices.IndexFunc(paths, func(p string) bool {
			return p == file || anyEnding && (p == stem || strings.HasPrefix(p, file)) && !strings.Contains(p, "/")
		}); i >= 0 {
			out = append(out, Command{Does: purpose, Run: run, From: paths[i]})
		}
	}
	return out
}

// configs lists configuration files of tools, one in a line: the file's name, what its command does, and the command. A
// name that ends with a dot matches file names with any ending and the name without the dot.
const configs = `.golangci. lint golangci-lint run
eslint.config. lint npx eslint .
.eslintrc. lint npx eslint .
biome. lint npx biome check .
ruff.toml lint ruff check
.ruff.toml lint ruff check
.flake8 lint flake8
.pylintrc lint pylint .
.rubocop.yml lint bundle exec rubocop
phpstan. lint vendor/bin/phpstan analyse
.pre-commit-config.yaml lint pre-commit run --all-files
Cargo.toml lint cargo clippy
.prettierrc. format npx prettier --check .
prettier.config. format npx prettier --check .
.clang-format format clang-format -i
mypy.ini types mypy .
tsconfig.json types npx tsc --noEmit
tox.ini test tox
pytest.ini test python -m pytest
pom.xml test mvn test
pom.xml build mvn package
gradlew test ./gradlew test
gradlew build ./gradlew build
Rakefile test bundle exec rake test
mix.exs test mix test
CMakeLists.txt build cmake --build build
.goreleaser. release goreleaser release`

func commands(file, text, runner string) []Command {
	var out []Command
	add := func(target, run string) {
		if slices.Contains(dull, strings.ToLower(target)) {
			return
		}
		what := does[target]
		if what == "" {
			what = doesOther
		}
		out = append(out, Command{Does: what, Run: run, From: file})
	}
	scripts := func(run string) {
		var p struct {
			Scripts map[string]json.RawMessage `json:"scripts"`
		}
		if json.Unmarshal([]byte(text), &p) != nil {
			return // if the file's own program cannot read it, it names no commands
		}
		for _, s := range slices.Sorted(maps.Keys(p.Scripts)) {
			base := strings.TrimPrefix(strings.TrimPrefix(s, "pre"), "post")
			if _, hook := p.Scripts[base]; scriptName.MatchString(s) && (base == s || !hook) {
				add(s, run+s)
			}
		}
	}
	switch file {
	case "Makefile", "GNUmakefile", "makefile":
		for _, m := range makeTarget.FindAllStringSubmatch(text, -1) {
			add(m[1], "make "+m[1])
		}
	case "justfile", "Justfile":
		for _, m := range justRecipe.FindAllStringSubmatch(text, -1) {
			add(m[1], "just "+m[1])
		}
	case "package.json":
		scripts(runner)
	case "composer.json":
		scripts("composer run ")
	case "pyproject.toml":
		if strings.Contains(text, "pytest") {
			add("test", "python -m pytest")
		}
		if strings.Contains(text, "[tool.ruff") {
			add("lint", "ruff check")
		}
		if strings.Contains(text, "[tool.mypy") {
			add("types", "mypy .")
		}
		if strings.Contains(text, "[tool.black") {
			add("format", "black --check .")
		}
		if strings.Contains(text, "[build-system]") {
			add("build", "python -m build")
		}
	case "go.mod":
		add("test", "go test ./...")
		add("build", "go build ./...")
	case "Cargo.toml":
		add("test", "cargo test")
		add("build", "cargo build")
	}
	return out
}

// scriptName matches script names that need no quotes.
var scriptName = pattern.New(`^[A-Za-z0-9][A-Za-z0-9:._-]{0,60}$`)

// ScriptEnds are the endings of scripts.
var ScriptEnds = []string{".sh", ".bash", ".py", ".js", ".mjs", ".ts", ".rb", ".pl"}

// languagesOf returns the languages that the endings of paths indicate, the most used first.
func languagesOf(paths []string) []string {
	count := map[string]int{} // has at most as many entries as endings
	for _, p := range paths {
		if l := endings[strings.ToLower(path.Ext(p))]; l != "" {
			count[l]++
		}
	}
	out := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(out, func(a, b string) int { return count[b] - count[a] })
	return out[:min(len(out), maxLanguages)]
}

// endings of source files, with their languages.
var endings = byName(`Go: .go; Python: .py;
	JavaScript: .js .jsx .mjs; TypeScript: .ts .tsx; Rust: .rs; Java: .java; Kotlin: .kt;
	Ruby: .rb; PHP: .php; C: .c .h; C++: .cc .cpp .hpp; C#: .cs; Swift: .swift; Scala: .scala; Elixir: .ex .exs;
	Haskell: .hs; Lua: .lua; Shell: .sh; SQL: .sql; CSS: .css; HTML: .html; Vue: .vue; Dart: .dart; Zig: .zig`)
