package folder

import (
	"fmt"
	"slices"
	"strings"
)

// This file matches ignore rules as git does. go-git has a matcher too, but it compares each whole path with
// each pattern, which is slow for many files, and it differs from git for some patterns: "[!a]", "**/a/b", a
// path below a re-included folder (see TestGoGitAlone). Here a rule is cut at its slashes, and in each folder
// single names are compared with the levels of the rules that apply there.

// Limits of ignore files. Rules beyond a limit have no effect, and a notice names their file.
const (
	maxIgnoreBytes = 1 << 20 // bytes of one ignore file
	maxRules       = 20_000  // number of rules in force in one folder
	maxSteps       = 64      // steps (levels of the path) of one rule; a rule with more never matches
)

// rule is one line of an ignore file.
type rule struct {
	steps   []step
	dirs    bool // the last step matches only folders
	negated bool // matching paths are not ignored ("!")
}

// step is one level of a rule's path.
type step struct {
	deep  bool // "**": any number of levels, also none
	level level
}

// rules are the rules of one ignore file, as they apply to the names in one folder. at[i] is a bit set of the steps
// of list[i]: those with which the names in this folder are compared.
type rules struct {
	list  []rule
	at    []uint64
	paths bool // some rule has a slash, so at differs between folders
	left  int  // number of lines of the file that are left out because of maxRules or maxSteps
}

// ignores are the rules in force in a folder, by ignore file. Rules of a later file override those
// of the earlier ones.
type ignores []rules

// add returns g with the rules of another file, which override those in g.
func (g ignores) add(r rules) ignores {
	if len(r.list) == 0 {
		return g
	}
	return append(slices.Clip(g), r)
}

// count returns the number of rules in force.
func (g ignores) count() int {
	n := 0
	for i := range g {
		n += len(g[i].list)
	}
	return n
}

// enter returns the rules that apply to the names in a sub-folder.
func (g ignores) enter(name string) ignores {
	if !slices.ContainsFunc(g, func(r rules) bool { return r.paths }) {
		return g
	}
	out := make(ignores, 0, len(g))
	for _, r := range g {
		if r.paths {
			at, alive := make([]uint64, len(r.at)), false
			for i := range r.at {
				at[i] = r.list[i].enter(r.at[i], name)
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

// match reports whether a name in this folder is ignored. The last matching rule decides.
func (g ignores) match(name string, dir bool) bool {
	for _, r := range slices.Backward(g) {
		for j := len(r.list) - 1; j >= 0; j-- {
			rule := &r.list[j]
			last := len(rule.steps) - 1
			if r.at[j]>>last&1 == 1 && (dir || !rule.dirs) && rule.steps[last].level.matches(name) {
				return !rule.negated
			}
		}
	}
	return false
}

// enter returns the bit set of the steps of a rule that apply to the names in a sub-folder. The parameter at is the
// bit set for the folder itself, name the name of the sub-folder.
func (r *rule) enter(at uint64, name string) uint64 {
	next := uint64(0)
	for i := range r.steps {
		switch s := &r.steps[i]; {
		case at>>i&1 == 0:
		case s.deep:
			next |= 1 << i
		case i < len(r.steps)-1 && s.level.matches(name):
			next |= 1 << (i + 1)
		}
	}
	return r.open(next)
}

// open returns the bit set in the parameter at and adds, for each "**" in it, the step after the "**", because a "**"
// can match no level at all.
func (r *rule) open(at uint64) uint64 {
	for i := range r.steps {
		if r.steps[i].deep && at>>i&1 == 1 {
			at |= 1 << (i + 1)
		}
	}
	return at
}

// parseRules parses an ignore file and returns its rules as they apply to the names in the folder that contains the
// file.
func parseRules(data []byte, foldCase bool) rules {
	var out rules
	text := strings.TrimPrefix(string(data), "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.TrimSuffix(line, "\r")
		line, _, _ = strings.Cut(line, "\x00") // git reads C strings
		r, ok := parseRule(trimSpaces(foldName(line, foldCase)))
		switch {
		case !ok:
			continue
		case len(out.list) == maxRules || len(r.steps) > maxSteps:
			out.left++
			continue
		}
		out.list = append(out.list, r)
		out.at = append(out.at, r.open(1))
		out.paths = out.paths || len(r.steps) != 2 || !r.steps[0].deep
	}
	return out
}

// parseRule parses a line of an ignore file. ok is false if no path can match the line.
func parseRule(line string) (r rule, ok bool) {
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirs = strings.CutSuffix(line, "/")
	anchored := strings.Contains(line, "/")
	if !anchored {
		r.steps = append(r.steps, step{deep: true}) // a name without a slash matches at any depth
	}
	levels, ok := cutLevels(strings.TrimPrefix(line, "/"))
	if !ok {
		return rule{}, false
	}
	for i, l := range levels {
		if anchored && l.deep {
			r.steps = append(r.steps, step{deep: true})
			if i < len(levels)-1 {
				continue
			}
			// At the end of a rule ("a/**"), "**" is also a level that matches one name, so that the rule matches
			// everything below a but not a itself.
		}
		r.steps = append(r.steps, step{level: l})
	}
	return r, true
}

// leftOut returns a notice about the lines of the file that are left out, "" if there are none.
func (r rules) leftOut(path string) string {
	if r.left == 0 {
		return ""
	}
	return fmt.Sprintf("ignore rules of %s are left out, %d in all, because there are more than %d or they have more "+
		"than %d levels: the map may show files that git ignores", path, r.left, maxRules, maxSteps)
}

// trimSpaces removes spaces at the end, except one behind a backslash.
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

// foldName returns the form of a name that is compared with rules. If fold is set, ASCII letters in
// it are in lower case, as in git.
func foldName(name string, fold bool) string {
	if !fold {
		return name
	}
	b := []byte(name)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
