package bard

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
)

var (
	listed = inspect.Pattern("^\\s*(?:\\|\\s*|[-*+]\\s+)(?:\\*\\*)?`(--?[A-Za-z][\\w-]+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\\b([^`]*)`")
)

// composers lists names that are found in sources which use a library that composes the names of environment variables.
var composers = []string{
	"envconfig", "setenvprefix", "automaticenv", "basesettings", "envprefix", "figment", "koanf", "kingpin", "springframework", "springboot",
	"godotenv", "convict", "dynaconf", "confy", "cleanenv", "caarlos0", "environs", "decouple",
}

// item is a flag or variable that a readme lists.
type item struct {
	n    int
	name string
	fold string
}

// options checks the flags and variables that readmes list or put into tables. It reports a name if no file but
// Markdown files contains it in any spelling. It checks a list only if the sources contain at least three of its names
// and at least half of them, because any other list may be about another program.
func options(ctx context.Context, r *inspect.Repo, report func(inspect.Finding)) error {
	var sources map[string]bool
	composes := false
	for i := range r.Files {
		f := &r.Files[i]
		if !strings.HasPrefix(strings.ToLower(f.Base()), "readme.") || f.Lang != "Markdown" || f.Vendored || f.Test || aside(f.Path) {
			continue
		}
		data, ok := r.Text(f.Path)
		if !ok || !bytes.Contains(data, []byte("`-")) && !bytes.Contains(data, []byte("_")) {
			continue
		}
		for _, group := range groups(data) {
			if len(group) < 4 {
				continue
			}
			if sources == nil {
				var err error
				if sources, composes, err = spellings(ctx, r); err != nil {
					return err
				}
			}
			reportGroup(f, data, group, sources, composes, report)
		}
	}
	return nil
}

// groups returns the lists and tables of a text in which each line begins with a flag or a variable. A heading or a
// paragraph ends a list.
func groups(data []byte) [][]item {
	var out [][]item
	var open []item
	fenced := false
	for n, text := range inspect.Lines(data) {
		trimmed := strings.TrimSpace(text)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		m := listed.FindStringSubmatch(text)
		switch {
		case m != nil:
			open = append(open, item{n, m[1], foldName(m[1])})
		case trimmed == "" || trimmed[0] == '|' || text[0] == ' ':
		default:
			out = append(out, open)
			open = nil
		}
	}
	return append(out, open)
}

// foldName returns a name in lower case without - and _, so that different spellings of a name are equal.
func foldName[T string | []byte](s T) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case c == '-' || c == '_':
		case c >= 'A' && c <= 'Z':
			out = append(out, c+'a'-'A')
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// spellings returns the folded names in all files except Markdown files. composes reports whether one of these names is
// in composers.
func spellings(ctx context.Context, r *inspect.Repo) (all map[string]bool, composes bool, err error) {
	all = map[string]bool{}
	for i := range r.Files {
		f := &r.Files[i]
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if f.Lang == "Markdown" || strings.Contains(f.Path, "node_modules/") || f.Lang == "" && f.Size > 100<<10 {
			continue
		}
		data, ok := r.Text(f.Path)
		if !ok {
			if inspect.IsCode(f.Lang) && !f.Test && !f.Vendored {
				return nil, false, fmt.Errorf("%s could not be read, so the names that the sources use are not known", f.Path)
			}
			continue
		}
		for from := 0; from < len(data); {
			to := from
			for to < len(data) && nameByte(data[to]) {
				to++
			}
			if n := to - from; n > 1 && n <= 64 {
				all[foldName(data[from:to])] = true
			}
			from = to + 1
		}
	}
	return all, slices.ContainsFunc(composers, func(w string) bool { return all[w] }), nil
}

func nameByte(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func reportGroup(f *inspect.File, data []byte, group []item, sources map[string]bool, composes bool, report func(inspect.Finding)) {
	var gone []item
	there := 0
	for _, x := range group {
		if named(x, sources) {
			there++
		} else {
			gone = append(gone, x)
		}
	}
	if there < 3 || len(gone) == 0 || len(gone) > there {
		return
	}
	for _, x := range gone {
		if composes && x.name[0] != '-' {
			continue // a library may join the name from parts
		}
		what := "flag"
		if x.name[0] != '-' {
			what = "variable"
		}
		report(inspect.Finding{
			Severity: inspect.Low, Path: f.Path, Line: x.n, Same: x.name,
			Title:    fmt.Sprintf("No source mentions the %s %s, which %s lists", what, x.name, f.Base()),
			Evidence: inspect.Line(data, x.n),
			Why:      fmt.Sprintf("The sources mention %d others of this list: this one was renamed or removed, and whoever sets it sees no effect.", there),
			Advice:   "Correct the name, or remove the line.",
		})
	}
}

// named reports whether the sources contain the name of x, its name without a prefix, or its name without "no-". Many
// programs join the name of a variable from a prefix and the name of a flag.
func named(x item, sources map[string]bool) bool {
	if sources[x.fold] {
		return true
	}
	if x.name[0] == '-' {
		rest, negated := strings.CutPrefix(x.fold, "no")
		return len(x.fold) < 3 || x.fold == "help" || x.fold == "version" || negated && sources[rest]
	}
	for rest := x.name; ; {
		_, after, ok := strings.Cut(rest, "_")
		if !ok {
			return false
		}
		if rest = after; sources[foldName(rest)] {
			return true
		}
	}
}
