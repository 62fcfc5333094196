package folder

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// go-git's matcher walks whole paths past every pattern, which is slow for many
// files, and reads some patterns otherwise than git does ("[!a]", "**/a/b", a path
// below a re-included folder; see TestGoGitAlone). So a line of an ignore
// file is cut at its slashes here, and in each folder go-git is asked about one
// name with the patterns that apply there. Written so, they mean what they mean to
// git.

// Bounds of what ignore files may cost; what lies beyond is not read and noted.
const (
	maxIgnoreBytes = 1 << 20 // of one ignore file
	maxRules       = 20_000  // in force in one folder
	maxSteps       = 64      // slashes of one rule, more never match
)

// rule is one line of an ignore file: what each level of a path must be.
type rule struct {
	steps []step
	dirs  bool // only folders match at the end
}

// step is what one level must be.
type step struct {
	deep bool // "**": any levels, or none
	glob gitignore.Pattern
	// A name that lacks these cannot match; asking go-git costs more.
	prefix, suffix, inner string
	exact                 bool // prefix is the whole name
}

func (s *step) fits(k key) bool {
	name := k[0]
	if s.exact {
		return name == s.prefix
	}
	return len(name) >= len(s.prefix)+len(s.suffix) &&
		strings.HasPrefix(name, s.prefix) && strings.HasSuffix(name, s.suffix) &&
		(s.inner == "" || strings.Contains(name, s.inner))
}

// rules are those of one ignore file, as they stand in one folder: at[i] has the
// bit of each step of rules[i] that a name in this folder is held against.
type rules struct {
	list  []rule
	at    []uint64
	paths bool // some rule has a slash, so that at differs from folder to folder
}

// ignores are the rules in force in a folder, the weakest first.
type ignores []rules

// add puts a file's rules on top.
func (g ignores) add(r rules) ignores {
	if len(r.list) == 0 {
		return g
	}
	out := make(ignores, len(g), len(g)+1)
	copy(out, g)
	return append(out, r)
}

// count is how many rules are in force.
func (g ignores) count() int {
	n := 0
	for i := range g {
		n += len(g[i].list)
	}
	return n
}

// enter gives the rules as they stand in a sub-folder.
func (g ignores) enter(k key) ignores {
	changed := false
	for i := range g {
		changed = changed || g[i].paths
	}
	if !changed {
		return g
	}
	out := make(ignores, 0, len(g))
	for _, r := range g {
		if r.paths {
			at, alive := make([]uint64, len(r.at)), false
			for i := range r.at {
				at[i] = r.list[i].enter(r.at[i], k)
				alive = alive || at[i] != 0
			}
			if !alive {
				continue
			}
			r.at = at
		}
		out = append(out, r)
	}
	return out
}

// match says whether a name in this folder is ignored. The last rule that says
// anything about it decides.
func (g ignores) match(k key, dir bool) bool {
	for i := len(g) - 1; i >= 0; i-- {
		r := &g[i]
		for j := len(r.list) - 1; j >= 0; j-- {
			rule := &r.list[j]
			last := len(rule.steps) - 1
			if r.at[j]>>last&1 == 0 || (rule.dirs && !dir) || !rule.steps[last].fits(k) {
				continue
			}
			switch rule.steps[last].glob.Match(k, dir) {
			case gitignore.Exclude:
				return true
			case gitignore.Include:
				return false
			}
		}
	}
	return false
}

// enter moves a rule on by one level.
func (r *rule) enter(at uint64, k key) uint64 {
	next := uint64(0)
	for i := range r.steps {
		switch s := &r.steps[i]; {
		case at>>i&1 == 0:
		case s.deep:
			next |= 1 << i
		case i < len(r.steps)-1 && s.fits(k) && s.glob.Match(k, true) != gitignore.NoMatch:
			next |= 1 << (i + 1)
		}
	}
	return r.open(next)
}

// open adds the steps behind each "**", which may stand for nothing.
func (r *rule) open(at uint64) uint64 {
	for i := range r.steps {
		if r.steps[i].deep && at>>i&1 == 1 {
			at |= 1 << (i + 1)
		}
	}
	return at
}

// parseRules reads an ignore file as it stands in the folder it lies in.
func parseRules(data []byte, foldCase bool) rules {
	var out rules
	text := strings.TrimPrefix(string(data), "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.TrimSuffix(line, "\r")
		line, _, _ = strings.Cut(line, "\x00") // git reads C strings
		if foldCase {
			line = lower(line)
		}
		r, ok := parseRule(trimSpaces(line))
		if !ok || len(out.list) == maxRules {
			continue
		}
		out.list = append(out.list, r)
		out.at = append(out.at, r.open(1))
		out.paths = out.paths || len(r.steps) != 2 || !r.steps[0].deep
	}
	return out
}

// parseRule cuts a line at its slashes. What can never match is not ok.
func parseRule(line string) (rule, bool) {
	body, again := strings.CutPrefix(line, "!")
	body, dirs := strings.CutSuffix(body, "/")
	r := rule{dirs: dirs}
	anchored := strings.Contains(body, "/")
	if !anchored {
		r.steps = append(r.steps, step{deep: true}) // a name alone matches at any depth
	}
	names, ok := cutNames(strings.TrimPrefix(body, "/"))
	if !ok {
		return rule{}, false
	}
	for i, n := range names {
		last := i == len(names)-1
		if anchored && n.deep {
			r.steps = append(r.steps, step{deep: true})
			if !last {
				continue
			}
			n = name{text: "*"} // "a/**" is everything below a
		}
		text := n.text
		if last && again {
			text = "!" + text
		}
		if last && dirs {
			text += "/"
		}
		r.steps = append(r.steps, step{
			glob: gitignore.ParsePattern(text, nil), prefix: n.prefix, suffix: n.suffix, inner: n.inner, exact: n.exact,
		})
	}
	return r, len(r.steps) <= maxSteps
}

// trimSpaces takes off spaces at the end, but not one behind a backslash.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
			if i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

// key is a name as rules are held against it: one character a byte, as git
// compares bytes. It is the only element of a path, as go-git wants it.
type key []string

func newKey(name string, foldCase bool) key {
	k := make(key, 1)
	k.set(name, foldCase)
	return k
}

func (k key) set(name string, foldCase bool) {
	if foldCase {
		name = lower(name)
	}
	k[0] = bytewise(name)
}

func bytewise(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			runes := make([]rune, len(s))
			for j := range len(s) {
				runes[j] = rune(s[j])
			}
			return string(runes)
		}
	}
	return s
}

// lower folds ASCII only, as git does.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
