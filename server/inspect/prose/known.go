package prose

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode"

	"agentdungeon/server/inspect"

	"golang.org/x/mod/module"
)

// known holds what commands can name in a repository: make targets, npm scripts, paths.
type known struct {
	own         map[string]bool // names that a clone's folder may have
	makefiles   int
	targets     map[string]bool
	patterns    []string // rules with %
	makeUnknown bool     // some targets are defined in files that cannot be read
	computed    bool     // some targets are joined from variables
	words       map[string]bool
	scripts     map[string]bool
	manifests   int
	golang      bool
	program     bool            // the repository has a main.go
	suffixes    map[string]bool // every end of every path, by whole names
}

func know(ctx context.Context, r *inspect.Repo) *known {
	k := &known{own: map[string]bool{}, targets: map[string]bool{}, words: map[string]bool{}, scripts: map[string]bool{}}
	k.name(r.Name)
	made := false
	for i := range r.Files {
		f := &r.Files[i]
		if ctx.Err() != nil {
			return k
		}
		base := f.Base()
		switch {
		case strings.Contains(f.Path, "node_modules/"):
		case base == "package.json":
			k.manifest(r, f)
		case base == "go.mod":
			k.golang = true
			if data, ok := r.Text(f.Path); ok && f.Dir() == "" {
				k.module(data)
			}
		case slices.Contains(makers, base):
			made = true
			k.makeUnknown = k.makeUnknown || f.Dir() == ""
		case base == "main.go":
			k.program = k.program || !f.Test && !f.Vendored && !aside(f.Path)
		case base == "conf.py" && r.File(path.Join(f.Dir(), "index.rst")) != nil:
			k.targets["html"] = true
		case base == "Makefile" || base == "makefile" || base == "GNUmakefile" || strings.HasSuffix(base, ".mk") ||
			strings.HasPrefix(base, "Makefile."):
			k.makefile(r, f)
		}
	}
	k.makeUnknown = k.makeUnknown || made && k.makefiles == 0
	return k
}

// makers lists the files from which programs generate Makefiles.
var makers = []string{"CMakeLists.txt", "configure", "configure.ac", "configure.in", "configure.py", "Makefile.PL",
	"Makefile.am", "Makefile.in", "meson.build", "Kbuild"}

func (k *known) name(s string) {
	if s = strings.ToLower(path.Base(s)); s != "." && s != "/" {
		k.own[s] = true
	}
}

var moduleLine = inspect.Pattern(`(?m)^module\s+"?([^\s"]+)`)

func (k *known) module(data []byte) {
	if m := moduleLine.FindSubmatch(data); m != nil {
		p, _, ok := module.SplitPathVersion(string(m[1]))
		if !ok {
			p = string(m[1])
		}
		k.name(p)
	}
}

func (k *known) manifest(r *inspect.Repo, f *inspect.File) {
	data, ok := r.Text(f.Path)
	if !ok {
		return
	}
	var pkg struct {
		Name    string
		Scripts map[string]any
	}
	if json.Unmarshal(data, &pkg) != nil {
		return
	}
	if f.Dir() == "" {
		k.name(pkg.Name)
	}
	k.manifests++
	for name := range pkg.Scripts {
		k.scripts[name] = true
	}
}

var (
	rule       = inspect.Pattern(`^([^\s#:=?+!][^:#=]*?)\s*::?(?:[^=]|$)`)
	include    = inspect.Pattern(`^\s*include\s+(.+)$`)
	foreachDef = inspect.Pattern(`\$\((?:eval|call|foreach)\b`)
)

// makefile reads the targets of a Makefile. It sets makeUnknown if the Makefile creates rules with eval or includes a
// missing file. Missing files of "-include" do not count, because they mostly hold personal settings.
func (k *known) makefile(r *inspect.Repo, f *inspect.File) {
	data, ok := r.Text(f.Path)
	if !ok {
		k.makeUnknown = true
		return
	}
	k.makefiles++
	for _, w := range strings.FieldsFunc(string(data), func(c rune) bool {
		return c > unicode.MaxASCII ||
			!nameByte(byte(c)) || c == '-' || c == '_'
	}) {
		k.words[w] = true
	}
	joined := ""
	for _, text := range inspect.Lines(data) {
		if strings.HasSuffix(text, `\`) {
			joined += strings.TrimSuffix(text, `\`) + " "
			if len(joined) > 64<<10 {
				joined = ""
			}
			continue
		}
		text, joined = joined+text, ""
		if strings.HasPrefix(text, "\t") {
			continue
		}
		if m := include.FindStringSubmatch(text); m != nil {
			for _, p := range strings.Fields(m[1]) {
				if r.File(path.Join(f.Dir(), p)) == nil && r.File(path.Clean(p)) == nil {
					k.makeUnknown = true
				}
			}
			continue
		}
		if foreachDef.MatchString(text) && !strings.Contains(text, "=") {
			k.makeUnknown = true
		}
		m := rule.FindStringSubmatch(strings.TrimLeft(text, " "))
		if m == nil {
			continue
		}
		names := strings.Fields(m[1])
		if len(names) == 1 && names[0] == ".PHONY" {
			_, rest, _ := strings.Cut(text, ":")
			names = strings.Fields(rest)
		}
		for _, name := range names {
			switch {
			case name == ".DEFAULT":
				k.makeUnknown = true
			case strings.Contains(name, "$"):
				k.computed = true
			case strings.Contains(name, "%"):
				k.patterns = append(k.patterns, name)
			default:
				k.targets[name] = true
			}
		}
	}
}

// matches reports whether a Makefile may define the target name: a rule with % matches it, or the Makefiles join
// targets from variables and contain all words of the name.
func (k *known) matches(name string) bool {
	if k.computed {
		absent := func(w string) bool { return !k.words[w] }
		if !slices.ContainsFunc(strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune("-_./", c) }),
			absent) {
			return true
		}
	}
	for _, p := range k.patterns {
		before, after, _ := strings.Cut(p, "%")
		if len(name) > len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after) {
			return true
		}
	}
	return false
}

// ends reports whether p is the end of the path of any file or folder of the repository.
func (k *known) ends(r *inspect.Repo, p string) bool {
	if k.suffixes == nil {
		k.suffixes = map[string]bool{}
		for i := range r.Files {
			parts := strings.Split(r.Files[i].Path, "/")
			for end := len(parts); end > 0; end-- {
				for from := max(0, end-4); from < end; from++ {
					k.suffixes[strings.Join(parts[from:end], "/")] = true
				}
			}
		}
	}
	return k.suffixes[p]
}

func nameByte(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
