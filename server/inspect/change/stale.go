package change

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

const (
	maxNames    = 200 // removed names that are searched for in documents
	maxMentions = 10  // lines of a document that a finding names
)

var stale = inspect.Check{
	ID: "bard/stale-name", Hero: "bard", Since: true,
	Looks: "flags, environment variables, configuration keys and exported names that the change removes and that a " +
		"document still names",
	Rule: "Medium for a flag or a variable in a document at the root, else low. Left out: names that any other " +
		"file still has, and lines that say that the name is old.",
	Run: func(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
		if r.Base == nil {
			return nil
		}
		s := staleNames(ctx, r)
		if len(s.gone) == 0 {
			return ctx.Err()
		}
		for i := range r.Files {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if f := &r.Files[i]; document(f) && r.Own(f) && !past.MatchString(f.Path) {
				text, _ := r.Text(f.Path)
				s.document(f, text, report)
			}
		}
		if s.left > 0 {
			return fmt.Errorf("%d more names that the change removes were not looked for", s.left)
		}
		return nil
	},
}

// name is a name that documents may mention.
type name struct{ kind, text string }

// Kinds of names.
const (
	flagName = "flag"
	variable = "environment variable"
	key      = "configuration key"
	exported = "exported name"
)

// definition finds where a kind of name is defined. Group 1 of the pattern is the name. A file with none of the
// words defines no such name.
type definition struct {
	kind, lang string
	words      []string
	pattern    *inspect.Regexp
}

var definitions = []definition{
	{flagName, "Go", []string{`"flag"`, "pflag", "cobra"}, inspect.Pattern(
		`\.(?:String|Bool|U?[Ii]nt(?:64)?|Float64|Duration|Func|BoolFunc|Text|StringSlice|StringArray|Count|Var)` +
			`(?:Var)?P?\(\s*(?:&?[\w.\[\]]+,\s*)?"([a-z][\w-]+)"`)},
	{flagName, "Go", []string{"urfave/cli"}, inspect.Pattern(`Flag\{\s*Name:\s*"([a-z][\w-]+)"`)},
	{flagName, "Python", []string{"argparse", "click", "typer", "optparse"}, inspect.Pattern(
		`(?:add_argument|add_option|option|Option)\([^)]{0,80}?["']--([a-z][\w-]+)["']`)},
	{flagName, "JavaScript", []string{"commander", "yargs", "parseArgs", "cac", "meow"}, inspect.Pattern(
		"option\\(\\s*[\"'`](?:-\\w,\\s*)?--([a-z][\\w-]+)")},
	{variable, "Go", nil, inspect.Pattern(`(?:Getenv|LookupEnv)\(\s*"([A-Z][A-Z0-9_]{3,})"`)},
	{variable, "Python", nil, inspect.Pattern(`(?:environ(?:\.get)?\s*[\[(]|getenv\()\s*["']([A-Z][A-Z0-9_]{3,})["']`)},
	{variable, "JavaScript", nil, inspect.Pattern(`process\.env(?:\.|\[\s*["'])([A-Z][A-Z0-9_]{3,})`)},
	{key, "Go", nil, inspect.Pattern("[` ](?:json|yaml|toml|mapstructure|koanf|hcl):\"([\\w.-]+)")},
}

// distinctive matches names that are not ordinary words. Of keys and exported names, only these are searched for.
var distinctive = inspect.Pattern(`^.{2,}(?:[a-z][A-Z]|[_.-]).{2,}$`)

// names returns the names that a file defines.
func names(lang string, text []byte, u *unit) map[name]bool {
	out := map[name]bool{}
	if slices.Contains(inspect.Scripts, lang) {
		lang = "JavaScript"
	}
	for _, d := range definitions {
		has := func(w string) bool { return bytes.Contains(text, []byte(w)) }
		if d.lang != lang || d.words != nil && !slices.ContainsFunc(d.words, has) {
			continue
		}
		for _, m := range d.pattern.FindAllSubmatch(text, -1) {
			if n := string(m[1]); d.kind != key || distinctive.MatchString(n) {
				out[name{d.kind, n}] = true
			}
		}
	}
	if u != nil {
		for _, n := range u.public {
			if distinctive.MatchString(n) {
				out[name{exported, n}] = true
			}
		}
	}
	return out
}

// staled is the state of the check stale. It has the names that a change removes and for which documents are searched.
type staled struct {
	gone map[name]string // the file of the base that defined the name
	born map[string][]string
	own  map[string]bool // words by which a command line names a program of the repository
	left int
}

// staleNames returns the names that a file of the base defines and that occur in no present file except documents.
func staleNames(ctx context.Context, r *inspect.Repo) *staled {
	s := &staled{gone: map[name]string{}, born: map[string][]string{}, own: programs(ctx, r)}
	code := Of(ctx, r)
	now, was := map[name]bool{}, map[name]string{}
	for _, p := range r.Base.Changed {
		f := code.files[p]
		if f == nil || !product(r.File(p)) {
			continue
		}
		text, _ := r.Text(p)
		maps.Copy(now, names(r.File(p).Lang, text, f.now))
		if old, ok := r.Base.Read(r.Base.Was[p]); ok {
			for n := range names(r.File(p).Lang, old, f.was) {
				was[n] = r.Base.Was[p]
			}
		}
	}
	tree := r.Base.Tree()
	for _, p := range r.Base.Gone {
		f := tree.File(p)
		if f == nil || !product(f) {
			continue
		}
		if old, ok := r.Base.Read(p); ok {
			u, _ := parse(ctx, f.Lang, old)
			for n := range names(f.Lang, old, u) {
				was[n] = p
			}
		}
	}
	for n := range now {
		if was[n] == "" {
			s.born[n.kind] = append(s.born[n.kind], n.text)
		}
	}
	for _, n := range slices.SortedFunc(maps.Keys(was), func(a, b name) int {
		return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.text, b.text))
	}) {
		switch {
		case now[n]:
		case len(s.gone) == maxNames:
			s.left++
		default:
			s.gone[n] = was[n]
		}
	}
	s.dropKnown(ctx, r)
	return s
}

func product(f *inspect.File) bool { return !f.Test && !f.Vendored && inspect.Parses(f.Lang) }

// dropKnown drops the names that occur in some file other than a document.
func (s *staled) dropKnown(ctx context.Context, r *inspect.Repo) {
	for i := range r.Files {
		f := &r.Files[i]
		if len(s.gone) == 0 || ctx.Err() != nil {
			return
		}
		if document(f) {
			continue
		}
		text, ok := r.Text(f.Path)
		if !ok {
			continue
		}
		for n := range s.gone {
			if n.in(text) {
				delete(s.gone, n)
			}
		}
	}
}

// in reports whether a text, which is not a document, contains the name.
func (n name) in(text []byte) bool {
	if n.kind != flagName {
		return bytes.Contains(text, []byte(n.text))
	}
	for _, form := range []string{`"` + n.text + `"`, `'` + n.text + `'`, "`" + n.text + "`", "--" + n.text} {
		if bytes.Contains(text, []byte(form)) {
			return true
		}
	}
	return false
}

// document reports whether a file is documentation for people.
func document(f *inspect.File) bool {
	return slices.Contains([]string{"Markdown", "MDX", "reStructuredText", "AsciiDoc"}, f.Lang)
}

// past matches the paths of documents about the past, such as change logs. old matches lines about the past.
var (
	past = inspect.Pattern(`(?i)(^|/)(change|history|release|news|migrat|upgrad|decision|adr|archive|legacy|` +
		`\d{4}-\d\d-\d\d|v?\d+([._]\d+)*(/|\.[a-z]+$))`)
	old = inspect.Pattern(`(?i)remove|rename|former|deprecat|no longer|used to|was called|instead of|before v|until v|` +
		`\bold(er)?\b`)
)

// programs returns the words by which a command line names a program of the repository, in lower case.
func programs(ctx context.Context, r *inspect.Repo) map[string]bool {
	own := map[string]bool{strings.ToLower(r.Name): true}
	add := func(p string) {
		own[strings.ToLower(strings.TrimSuffix(path.Base(p), path.Ext(p)))] = true
	}
	g := r.Go(ctx)
	if m := g.Modules[""]; m != nil && m.Module != nil {
		add(m.Module.Mod.Path)
	}
	for dir, p := range g.Packages {
		if p.Name == "main" {
			add(dir)
		}
	}
	var pkg struct {
		Name string
		Bin  json.RawMessage
	}
	if data, ok := r.Text("package.json"); ok && json.Unmarshal(data, &pkg) == nil {
		add(pkg.Name)
		var bin map[string]string
		if json.Unmarshal(pkg.Bin, &bin) == nil {
			for name := range bin {
				add(name)
			}
		}
	}
	return own
}

// document reports the removed names that a document still mentions.
func (s *staled) document(f *inspect.File, text []byte, report func(inspect.Finding)) {
	fenced := false
	at := map[name][]int{}
	for n, line := range inspect.Lines(text) {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
			fenced = !fenced
			continue
		}
		if old.MatchString(line) {
			continue
		}
		code := []string{line}
		if !fenced {
			code = inline.FindAllString(line, -1)
		}
		for g, from := range s.gone {
			in := func(c string) bool { return s.names(g, from, c) }
			if g.kind == variable && has(line, g.text) || slices.ContainsFunc(code, in) {
				at[g] = append(at[g], n)
			}
		}
	}
	for g, lines := range at {
		report(s.finding(g, f, lines, inspect.Line(text, lines[0])))
	}
}

var inline = inspect.Pattern("`[^`]+`")

// names reports whether code in a document contains a name.
func (s *staled) names(n name, from, code string) bool {
	code = strings.Trim(code, "` ")
	if n.kind != flagName {
		return has(code, n.text)
	}
	var before []string // words of the command before the name
	for _, w := range strings.FieldsFunc(code, func(c rune) bool { return strings.ContainsRune(" \t[]()<>=,'\"", c) }) {
		switch {
		case w == "-"+n.text || w == "--"+n.text:
			stem := func(p string) string {
				return strings.ToLower(strings.TrimSuffix(path.Base(p), path.Ext(p)))
			}
			return len(before) == 0 || slices.ContainsFunc(before, func(w string) bool {
				return s.own[stem(w)] || stem(w) == stem(from) || stem(w) == stem(path.Dir(from))
			})
		case w == "|" || w == "&&" || w == ";" || w == "$":
			before = nil
		case !strings.HasPrefix(w, "-"):
			before = append(before, w)
		}
	}
	return false
}

// finding returns the finding about a name in some lines of a document. It quotes the first of these lines.
func (s *staled) finding(n name, f *inspect.File, lines []int, quote string) inspect.Finding {
	severity := inspect.Low
	if f.Dir() == "" && (n.kind == flagName || n.kind == variable) {
		severity = inspect.Medium
	}
	shown := n.text
	if n.kind == flagName {
		shown = "-" + n.text
	}
	advice := "Name what has taken its place, or delete the mention."
	if born := s.born[n.kind]; len(born) == 1 {
		advice = fmt.Sprintf("Delete the mention, or name what has taken its place: the change adds the %s %s.", n.kind,
			born[0])
	}
	more := ""
	for i, n := range lines[1:min(len(lines), maxMentions)] {
		more += []string{"\nAlso in line ", ", "}[min(i, 1)] + strconv.Itoa(n)
	}
	return inspect.Finding{
		Severity: severity, Path: f.Path, Line: lines[0], Same: n.kind + " " + n.text,
		Title:    inspect.Clip(fmt.Sprintf("%s names the %s %s, which the change removes", f.Base(), n.kind, shown), 100),
		Evidence: quote + more + "\nThe base defines it in " + s.gone[n] + "; no file but documents has it now.",
		Why:      "A reader who follows the text uses a name that no longer exists.",
		Advice:   advice,
		Cause:    inspect.Cause{Key: "stale " + n.kind + " " + n.text, Text: "the removed " + n.kind + " " + shown},
	}
}
