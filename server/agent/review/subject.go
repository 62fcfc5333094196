package review

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/inspect"
)

// subject is the part of the repository that a person's message mentions.
type subject struct {
	file *inspect.File
	line int    // the line number after the file's name, 0 for none
	dir  string // a folder, "" for none; not set with a file
	name string // a name in code as it was written ("Realm.Submit"), "" for none
}

// maxNamed is the maximum number of words of a text that are examined, because a task may be as long as a document.
const maxNamed = 400

// beforeDir lists words that stand before the name of a folder, behindDir words that stand behind it. A plain word
// names a folder only next to such a word: "server" alone means a server, but "the folder server" names a folder.
var (
	beforeDir = strings.Fields("in of folder directory package module " +
		"changed imports import uses under with at about touched wrote for review")
	behindDir = strings.Fields("folder directory package module last")
)

// subject returns the first file or folder that a text names and the first name in code that it contains. A text names
// a file by its path or the end of its path, and a folder by its path or as an import.
func (v *view) subject(text string) subject {
	var s subject
	words := strings.Fields(text)
	words = words[:min(len(words), maxNamed)]
	repo := v.review.repo
	for i, raw := range words {
		w := strings.TrimRight(strings.Trim(raw, "\"'`?,;()*<>[]!:"), ".!")
		if p, n, ok := strings.Cut(w, ":"); ok {
			if k, err := strconv.Atoi(n); err == nil {
				w = p
				if s.line == 0 {
					s.line = k
				}
			}
		}
		if w == "" || s.file != nil && s.name != "" {
			continue
		}
		if s.file == nil {
			if s.file = repo.Named(w); s.file != nil {
				continue
			}
		}
		if s.dir == "" {
			near := i > 0 && slices.Contains(beforeDir, strings.ToLower(words[i-1])) ||
				i+1 < len(words) && slices.Contains(behindDir, strings.ToLower(strings.Trim(words[i+1], "?.,")))
			if s.dir = folderOf(repo, w, near || strings.HasPrefix(raw, "`")); s.dir != "" {
				continue
			}
		}
		if s.name == "" && codeLike(w, raw) {
			s.name = strings.TrimSuffix(w, "()")
		}
	}
	if s.file != nil {
		s.dir = ""
	}
	if s.place() == "" {
		s.file = spelled(repo, words)
	}
	return s
}

var (
	hump      = inspect.Pattern(`([a-z0-9])([A-Z])`)
	separator = inspect.Pattern(`[_\-]+`)
)

// spelled returns the only file of source, tests left out, whose name has two parts that stand in the text as two words
// in a row: "the rate limiter" means rate_limiter.go and RateLimiter.ts. It returns nil if no file or more than one has
// such a name.
func spelled(repo *inspect.Repo, words []string) (hit *inspect.File) {
	pairs := map[string]bool{}
	for i := 1; i < len(words); i++ {
		pairs[strings.ToLower(words[i-1]+" "+strings.Trim(words[i], "\"'?.,;:!()"))] = true
	}
	for i := range repo.Files {
		f := &repo.Files[i]
		name := separator.ReplaceAllString(hump.ReplaceAllString(f.Stem(), "$1 $2"), " ")
		if f.Lang == "" || f.Test || strings.Count(name, " ") != 1 || !pairs[strings.ToLower(name)] {
			continue
		}
		if hit != nil {
			return nil
		}
		hit = f
	}
	return hit
}

// folderOf returns the folder that a word names. The word may be a path, the end of exactly one path, or the import
// path of a Go package. With plain set, a word without a slash may name a folder too.
func folderOf(repo *inspect.Repo, w string, plain bool) string {
	plain = plain || strings.Contains(w, "/")
	w = strings.Trim(strings.TrimPrefix(w, "./"), "/")
	if w == "" || w == "." || !plain {
		return ""
	}
	if repo.HasDir(w) {
		return w
	}
	hit := ""
	for i := range repo.Files {
		f := &repo.Files[i]
		if f.Base() == "go.mod" && !f.Vendored {
			if module := moduleOf(repo, f); module != "" && strings.HasPrefix(w, module+"/") {
				if dir := path.Join(f.Dir(), strings.TrimPrefix(w, module+"/")); repo.HasDir(dir) {
					return dir
				}
			}
		}
		at := strings.Index("/"+f.Path, "/"+w+"/")
		if at < 0 || hit == f.Path[:at+len(w)] {
			continue
		}
		if hit != "" {
			return "" // more than one path fits the word
		}
		hit = f.Path[:at+len(w)]
	}
	return hit
}

var moduleLine = inspect.Pattern(`(?m)^module\s+"?([^\s"]+)`)

func moduleOf(repo *inspect.Repo, f *inspect.File) string {
	data, ok := repo.Text(f.Path)
	if !ok {
		return ""
	}
	if m := moduleLine.FindSubmatch(data); m != nil {
		return string(m[1])
	}
	return ""
}

var (
	dotted   = inspect.Pattern(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+(\(\))?$`)
	mixed    = inspect.Pattern(`^([a-z]+[A-Z]|[A-Z][a-z0-9]+[A-Z]|[A-Za-z0-9]+_[A-Za-z0-9])\w*$`)
	oneName  = inspect.Pattern(`^[A-Za-z_]\w*$`)
	withCall = inspect.Pattern(`^[A-Za-z_]\w*\(\)$`)
)

// codeLike reports whether a word is written like a name in code.
func codeLike(w, raw string) bool {
	return dotted.MatchString(w) || mixed.MatchString(w) || withCall.MatchString(w) ||
		strings.HasPrefix(raw, "`") && oneName.MatchString(w)
}

// place returns the path of the subject's file or folder, else the name in code, "" for none.
func (s subject) place() string {
	switch {
	case s.file != nil:
		return s.file.Path
	case s.dir != "":
		return s.dir
	}
	return s.name
}

// placed reports whether the subject is a file or a folder.
func (s subject) placed() bool { return s.file != nil || s.dir != "" }

// in returns " in" with the file or folder of the subject, "" if it has none.
func (s subject) in() string {
	if !s.placed() {
		return ""
	}
	return " in " + s.place()
}

// holds reports whether the file or folder of the subject contains the file at path p.
func (s subject) holds(p string) bool {
	if s.file != nil {
		return p == s.file.Path
	}
	return s.dir != "" && (p == s.dir || strings.HasPrefix(p, s.dir+"/"))
}

// meets reports whether a finding is in the file or folder of the subject, or has a step of its way there.
func (s subject) meets(f *inspect.Finding) bool {
	return s.holds(f.Path) || slices.ContainsFunc(f.Steps, func(at inspect.Step) bool { return s.holds(at.Path) })
}

// told describes a finding in a list. If the finding is elsewhere and only passes through the file or folder of the
// subject, told says at which line.
func (s subject) told(f *inspect.Finding) string {
	text := fmt.Sprintf("%s (%s, %s)", f.Title, where(f.Path, f.Line), f.Severity)
	i := slices.IndexFunc(f.Steps, func(at inspect.Step) bool { return s.holds(at.Path) })
	if i < 0 || s.holds(f.Path) {
		return text
	}
	way := "passes through"
	if i == 0 {
		way = "begins at"
	}
	return strings.TrimSuffix(text, ")") + fmt.Sprintf(", %s %s)", way, where(f.Steps[i].Path, f.Steps[i].Line))
}

// part is a part of a question that has an answer of its own, with what it is about.
type part struct {
	text string
	s    subject
	of   string // the sentence
}

var (
	sentenceEnd = inspect.Pattern(`[?!]+\s+|\.\s+|\n+`)
	nextPart    = inspect.Pattern(`(?i)(?:[,;:]\s*(?:and\s+)?|\s+and\s+)` +
		`((?:which|what|who|whom|where|why|how|when|is|are|does|do)\b)`)
	asking = inspect.Pattern(`(?i)\b(who|what|which|where|when|why|how|is|are|do|does|did|can|should|could|` +
		`would|will)\b`)
	pronoun = inspect.Pattern(`(?i)\b(it|its|them|they|there|that|this|these|those)\b`)
)

// sentences returns the sentences of a text, each with the character at its end.
func sentences(text string) (out []string) {
	from := 0
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		out, from = append(out, strings.TrimSpace(text[from:m[1]])), m[1]
	}
	return slices.DeleteFunc(append(out, strings.TrimSpace(text[from:])), func(s string) bool { return s == "" })
}

// divided returns the parts of a question; subjectOf is view.subject. A part that names nothing is about
// what the part of the sentence before it names and, if it has a pronoun, also about what an earlier sentence names.
func divided(subjectOf func(string) subject, question string) (out []part) {
	var about subject
	for _, sentence := range sentences(question) {
		from, within := 0, false
		texts := []string{}
		for _, m := range nextPart.FindAllStringSubmatchIndex(sentence, -1) {
			texts, from = append(texts, sentence[from:m[0]]), m[2]
		}
		for i, text := range append(texts, sentence[from:]) {
			switch {
			case i == len(texts):
			case !asking.MatchString(text):
				continue // what only leads to a question, such as a name
			case strings.HasSuffix(sentence, "?"):
				text += "?"
			}
			s := subjectOf(text)
			if s.place() == "" && (within || pronoun.MatchString(text)) {
				s = about
			} else if s.place() != "" {
				about, within = s, true
			}
			out = append(out, part{text, s, sentence})
		}
	}
	if asks := func(p part) bool { return isQuestion.MatchString(p.text) }; slices.ContainsFunc(out, asks) {
		out = slices.DeleteFunc(out, func(p part) bool { return !asks(p) })
	}
	return out
}
