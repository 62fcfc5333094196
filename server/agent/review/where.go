package review

import (
	"context"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
	"unicode"

	"agentdungeon/server/inspect"
)

var defined = inspect.Pattern(`^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?` +
	`(?:func(?:\s*\(([^)]*)\))?|type|class|interface|def|function|const|var|let|struct|enum)\s+([A-Za-z_]\w*)`)

// A Go declaration can stand in a list in brackets.
var (
	goList   = inspect.Pattern(`^(?:const|var|type) \($`)
	goListed = inspect.Pattern(`^\t([A-Za-z_]\w*)(?:\s+\S.*)?$`)
)

// formal lists the words of a question about a place that do not describe what is looked for.
var formal = inspect.Words(`where is are was were be do does did a an the this that these those what which how who
	defined define defines definition definitions declared declare declares declaration implemented implementation
	located location found find set live lives stand stands come comes from used in of for at to on by and or with it
	its here there i we you me my your our can could please tell show file folder function func method class type
	variable var constant const struct interface module package name named called code source line repository repo
	project`)

// whereIs says where the name is defined that a question has: one written as in code, or its only word with a meaning.
// Words of a sentence are no names of code, so for them whereIs only guesses.
func (v *view) whereIs(question string, s subject) (text string, ok bool, err error) {
	if s.name != "" {
		if text, ok, err = v.definitions(s.name); ok || err != nil {
			return text, ok, err
		}
	}
	var words []string
	for i, w := range wordLike.FindAllString(question, maxNamed) {
		w = strings.Trim(w, ".-")
		lower := strings.ToLower(w)
		plain := formal[lower] && (w == lower || i == 0) // "Do" within a sentence is a name
		if w != "" && !plain && (!s.placed() || v.subject(w+" folder").place() != s.place()) {
			words = append(words, w)
		}
	}
	if len(words) == 1 {
		if text, ok, err = v.definitions(words[0]); ok || err != nil {
			return text, ok, err
		}
	}
	if s.file != nil {
		return "There is a file " + s.file.Path + ".", true, nil
	}
	if d, ok := fitting(v.ctx, v.review.repo, words); ok {
		return fmt.Sprintf("The name that fits best is `%s` at %s; I do not know whether it is what you mean.", d.name,
			where(d.path, d.line)), true, v.ctx.Err()
	}
	if len(words) > 1 {
		return "I do not know: I find no name here that has most of these words.", false, v.ctx.Err()
	}
	return "I find no definition of that name here.", false, v.ctx.Err()
}

// definitions says where a name is defined. ok is false if no definition was found.
func (v *view) definitions(name string) (text string, ok bool, err error) {
	called, all := definedAt(v.ctx, v.review.repo, name)
	if len(all) == 0 {
		return "I find no definition of that name here.", false, v.ctx.Err()
	}
	var places []string
	for _, d := range all {
		places = append(places, where(d.path, d.line))
	}
	return fmt.Sprintf("%s is defined at %s.", called, some(places, most)), true, v.ctx.Err()
}

// definedAt returns the declarations of a name, and the name as it is there. For "Realm.Submit" it prefers the
// declarations of Submit in the type Realm or in a folder named realm.
func definedAt(ctx context.Context, repo *inspect.Repo, name string) (called string, all []declaration) {
	of, w := "", name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		of, w = name[strings.LastIndexByte(name[:i], '.')+1:i], name[i+1:]
	}
	var near []declaration
	for f, data := range repo.All(ctx) {
		if !inspect.IsCode(f.Lang) || !strings.Contains(string(data), w) {
			continue
		}
		for d := range declarations(f, data) {
			if d.name != w {
				continue
			}
			all = append(all, d)
			if of != "" && (d.receiver == of || d.receiver == "" && path.Base(f.Dir()) == of) {
				near = append(near, d)
			}
		}
	}
	if len(near) > 0 {
		return of + "." + w, near
	}
	return w, all
}

// declaration is a line that declares a name.
type declaration struct {
	name, receiver string // receiver is the type of a Go method
	path           string
	line           int
	inside         bool // the line is indented
}

// declarations yields the lines of a file that declare a name.
func declarations(f *inspect.File, data []byte) iter.Seq[declaration] {
	return func(yield func(declaration) bool) {
		inList := false
		for n, line := range inspect.Lines(data) {
			d := declaration{path: f.Path, line: n}
			if m := defined.FindStringSubmatch(line); m != nil {
				d.name, d.receiver = m[2], strings.TrimLeft(m[1][strings.LastIndexByte(m[1], ' ')+1:], "*")
				d.inside = line[0] == ' ' || line[0] == '\t'
			} else if inList && f.Lang == "Go" {
				if m := goListed.FindStringSubmatch(line); m != nil {
					d.name = m[1]
				}
			}
			if d.name != "" && !yield(d) {
				return
			}
			inList = goList.MatchString(line) || inList && !strings.HasPrefix(line, ")")
		}
	}
}

// fitting returns the declared name that has the most of some words, if it has most of them. Of equal names it prefers
// the one with the fewest other words, then one outside of tests and functions, and then one near the root.
func fitting(ctx context.Context, repo *inspect.Repo, words []string) (best declaration, ok bool) {
	var wanted []string
	for _, w := range words {
		wanted = append(wanted, parts(w)...)
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	var score [5]int
	for f, data := range repo.All(ctx) {
		if !inspect.IsCode(f.Lang) || f.Vendored {
			continue
		}
		for d := range declarations(f, data) {
			has := parts(d.name)
			n := 0
			for _, w := range wanted {
				if slices.ContainsFunc(has, func(part string) bool { return sameWord(part, w) }) {
					n++
				}
			}
			if 2*n <= len(wanted) {
				continue
			}
			s := [5]int{n, -len(has), -one(f.Test), -one(d.inside), -strings.Count(f.Path, "/")}
			if !ok || slices.Compare(s[:], score[:]) > 0 {
				best, score, ok = d, s, true
			}
		}
	}
	return best, ok
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// parts returns the words of a name in lower case: "default", "admin" and "listen" of DefaultAdminListen.
func parts(name string) (out []string) {
	runes := []rune(name)
	from := 0
	cut := func(to int) {
		if word := strings.ToLower(string(runes[from:to])); word != "" {
			out = append(out, word)
		}
		from = to
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			cut(i)
			from = i + 1
		case i > from && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) ||
			i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			cut(i)
		}
	}
	cut(len(runes))
	return out
}

// sameWord reports whether two words are the same but for an ending: "listen" and "listener".
func sameWord(a, b string) bool {
	const stem, ending = 4, 3
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) >= stem && len(b)-len(a) <= ending && strings.HasPrefix(b, a)
}
