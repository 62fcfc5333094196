package skill

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentdungeon/shared/pattern"
)

// Limits of a skill: characters where the format counts characters, otherwise bytes.
const (
	MaxName          = 64
	MaxDescription   = 1024
	MaxCompatibility = 500
	MaxLicense       = 200
	MaxFile          = 64 << 10 // bytes of SKILL.md
	MaxResources     = 32       // number of files beside SKILL.md
	MaxSize          = 1 << 20  // bytes of all files together
	MaxTools         = 32
	maxMetadata      = 32
	MaxPath          = 128 // bytes of a resource's path
	maxProblems      = 100
)

// Problem is one violation of the format. Code identifies it for programs; Message says where the problem
// is and what to do.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (p Problem) String() string { return p.Code + ": " + p.Message }

// problem returns a Problem with a code and a formatted message.
func problem(code, format string, args ...any) Problem {
	return Problem{code, fmt.Sprintf(format, args...)}
}

var (
	nameForm  = pattern.New(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	pathForm  = pattern.New(`^(references|scripts)/[A-Za-z0-9][A-Za-z0-9._-]*$`)
	namedForm = pattern.New(`\b(?:references|scripts)/[A-Za-z0-9][A-Za-z0-9._-]*`)
	linkForm  = pattern.New(`\]\(\s*<?(?:\./)?((?:references|scripts)/[^)\s>#]*)`)
)

// NameProblem returns the problem of a skill's name, nil for a valid name (S1-B6).
func NameProblem(name string) *Problem {
	var p Problem
	switch n := utf8.RuneCountInString(name); {
	case name == "":
		p = problem("name_missing", "the skill has no name; give it one like release-notes")
	case n > MaxName:
		p = problem("name_long", "the name has %d characters; shorten it to %d", n, MaxName)
	case !nameForm.MatchString(name):
		p = problem("name_form", "the name %q may only hold lower-case letters, digits and single hyphens between them, "+
			"like release-notes", name)
	default:
		return nil
	}
	return &p
}

// DescriptionProblem returns the problem of a description, nil for a valid description (S1-B6).
func DescriptionProblem(text string) *Problem {
	var p Problem
	switch n := utf8.RuneCountInString(text); {
	case strings.TrimSpace(text) == "":
		p = problem("description_missing", "the description is empty; say what the skill does and when to use it")
	case n > MaxDescription:
		p = problem("description_long", "the description has %d characters; shorten it to %d", n, MaxDescription)
	case !clean(text):
		p = problem("description_form", "the description holds control characters; write it as plain text")
	default:
		return nil
	}
	return &p
}

// clean reports whether a text is UTF-8 without control characters other than line breaks and
// tabs.
func clean(s string) bool {
	return utf8.ValidString(s) &&
		!strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
}

// Check returns the violations of a skill, nil for a valid one, at most maxProblems. text is its
// SKILL.md; resources are its files by path.
func Check(text string, resources map[string]string) []Problem {
	var out []Problem
	add := func(code, format string, args ...any) { out = append(out, problem(code, format, args...)) }
	if len(text) > MaxFile {
		add("file_large", "%s has %d bytes; move parts of it below references/ until it has %d", File, len(text), MaxFile)
	}
	if !clean(strings.ReplaceAll(text, "\r\n", "\n")) {
		add("file_form", "%s holds control characters or is not UTF-8; save it as plain text", File)
	}
	if s, err := Parse(text); err != nil {
		add("frontmatter", "%v", err)
	} else {
		out = append(out, s.checkFields()...)
		out = append(out, s.checkBody(resources)...)
	}
	out = append(out, checkResources(len(text), resources)...)
	return out[:min(len(out), maxProblems):min(len(out), maxProblems)]
}

func (s *Skill) checkFields() []Problem {
	var out []Problem
	add := func(code, format string, args ...any) { out = append(out, problem(code, format, args...)) }
	for _, p := range []*Problem{NameProblem(s.Name), DescriptionProblem(s.Description)} {
		if p != nil {
			out = append(out, *p)
		}
	}
	if n := utf8.RuneCountInString(s.Compatibility); n > MaxCompatibility {
		add("compatibility_long", "compatibility has %d characters; shorten it to %d", n, MaxCompatibility)
	}
	if n := utf8.RuneCountInString(s.License); n > MaxLicense {
		add("license_long", "license has %d characters; name it, or the file that holds it", n)
	}
	if n := len(s.Metadata); n > maxMetadata {
		add("metadata_many", "metadata has %d entries; keep %d", n, maxMetadata)
	}
	if n := len(s.AllowedTools); n > MaxTools {
		add("tools_many", "%d tools are allowed; name %d at most", n, MaxTools)
	}
	for _, t := range s.AllowedTools {
		if !ValidTool(t) {
			add("tool_form", "%q is no tool; write a name like Read, or one with what it may do, like Bash(git:*)", t)
		}
	}
	return out
}

// checkBody checks that the instructions and the files beside SKILL.md refer to each other correctly.
func (s *Skill) checkBody(resources map[string]string) []Problem {
	var out []Problem
	add := func(code, format string, args ...any) { out = append(out, problem(code, format, args...)) }
	if strings.TrimSpace(s.Body) == "" {
		add("body_missing", "%s has no instructions below its frontmatter; write at least the steps", File)
	}
	for _, link := range links(s.Body) {
		if _, ok := resources[link]; !ok {
			add("resource_missing", "the text links to %s, which is not among the files; add it or take the link out", link)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(resources)) {
		if !strings.Contains(s.Body, p) {
			add("resource_unused", "nothing in the text names %s, so no agent would open it; link to it or take it out", p)
		}
	}
	return out
}

// PathProblem returns why a path is not allowed beside SKILL.md, nil for an allowed one.
func PathProblem(p string) *Problem {
	base := p[strings.LastIndex(p, "/")+1:]
	stem, _, _ := strings.Cut(strings.ToLower(base), ".")
	if len(p) <= MaxPath && fs.ValidPath(p) && pathForm.MatchString(p) && !strings.HasSuffix(p, ".") && !reserved[stem] {
		return nil
	}
	bad := problem("resource_path", "%q is no place for a file; "+
		"use references/NAME or scripts/NAME with letters, digits, dots, hyphens and underscores", p)
	return &bad
}

// reserved has names that some systems reserve for devices, so that no file can have them.
var reserved = func() map[string]bool {
	out := map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}
	for i := range 10 {
		out[fmt.Sprint("com", i)], out[fmt.Sprint("lpt", i)] = true, true
	}
	return out
}()

func checkResources(size int, resources map[string]string) []Problem {
	var out []Problem
	add := func(code, format string, args ...any) { out = append(out, problem(code, format, args...)) }
	if n := len(resources); n > MaxResources {
		add("resource_many", "there are %d files; keep %d", n, MaxResources)
	}
	folded := map[string]string{} // has at most as many entries as resources
	for _, p := range slices.Sorted(maps.Keys(resources)) {
		text := resources[p]
		size += len(text)
		if bad := PathProblem(p); bad != nil {
			out = append(out, *bad)
		}
		if other := folded[strings.ToLower(p)]; other != "" {
			add("resource_twice", "%s and %s are one file on some systems; rename one", other, p)
		}
		folded[strings.ToLower(p)] = p
		switch {
		case strings.TrimSpace(text) == "":
			add("resource_empty", "%s is empty; write it or take it out", p)
		case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
			add("resource_form", "%s is no UTF-8 text; only text can be kept", p)
		}
	}
	if size > MaxSize {
		add("skill_large", "all files together have %d bytes; keep them below %d", size, MaxSize)
	}
	return out
}

// Named returns the paths of files beside SKILL.md that a body mentions, in links, commands or text, each once, in
// order. The files need not exist.
func Named(body string) []string {
	var out []string
	for _, p := range namedForm.FindAllString(body, -1) {
		p = strings.TrimRight(p, ".-")
		if len(out) < MaxResources && PathProblem(p) == nil && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// links returns the files of the skill to which a body has links. It ignores links in code blocks.
func links(body string) []string {
	var out []string
	seen := map[string]bool{} // has as many entries as out
	for _, l := range Prose(body) {
		for _, m := range linkForm.FindAllStringSubmatch(l, -1) {
			if !seen[m[1]] {
				seen[m[1]] = true
				out = append(out, m[1])
			}
		}
	}
	return out
}

// Prose returns the lines of a body outside of fenced code.
func Prose(body string) []string {
	var out []string
	mark := ""
	for line := range strings.SplitSeq(body, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		run := len(trimmed) - len(strings.TrimLeft(trimmed, "`"))
		switch {
		case mark == "" && run >= 3:
			mark = trimmed[:run]
		case mark != "" && run >= len(mark) && strings.TrimSpace(trimmed[run:]) == "":
			mark = ""
		case mark == "":
			out = append(out, line)
		}
	}
	return out
}
