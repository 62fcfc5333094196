package review

import (
	"path"
	"slices"
	"strings"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// cause is the common cause of findings that one change mends. Two findings have one cause if the texts of
// both name the same thing of this repository and that thing has to change. Similar findings need not have
// one cause: the same call in two functions needs two changes.
//
// The cause of a finding follows from the finding and the files alone, never from other findings, so a
// repeated turn merges the same findings.
type cause struct {
	kind string // "" if no cause is known
	of   string // the thing that has to change
	says string // a description for people
}

// causes has the functions that return the cause of a check's finding. The texts are those of the checks in
// server/inspect; a test compares them.
var causes = map[string]func(r *inspect.Repo, p string, f *world.Finding) cause{
	"architect/big-file": func(_ *inspect.Repo, p string, f *world.Finding) cause {
		return size(p, strings.HasPrefix(f.Title, "One file "))
	},
	"cartographer/oversized-file": func(_ *inspect.Repo, p string, f *world.Finding) cause {
		return size(p, strings.Contains(f.Title, " times the usual here"))
	},
	"cartographer/same-file":  copies,
	"cartographer/same-block": copies,
	"sentinel/private-key":    keyText,
	"architect/cmd-leak": func(_ *inspect.Repo, _ string, f *world.Finding) cause {
		_, imported, ok := strings.Cut(f.Evidence, ` imports "`)
		return named("program package", strings.TrimSuffix(imported, `"`), ok)
	},
	"scout/unpinned": func(_ *inspect.Repo, _ string, f *world.Finding) cause {
		if images, ok := strings.CutPrefix(f.Title, "The base image is not pinned: "); ok {
			return named("base image", strings.TrimSuffix(images, ":latest"), !strings.Contains(images, ","))
		}
		name, ok := strings.CutPrefix(f.Title, "Nothing pins the git dependency ")
		return named("git dependency", name, ok)
	},
	"bard/link":              deadLink,
	"healer/dropped-error":   sameCall,
	"healer/unread-error":    sameCall,
	"healer/no-time-limit":   sameCall,
	"healer/unchecked-close": sameCall,
}

// causeOf returns the cause of a finding; the zero cause if none is known.
func (v *view) causeOf(f *world.Finding) cause {
	tell := causes[f.Check]
	p, err := dungeon.DecodePath(f.Path)
	if tell == nil || err != nil || p == "" {
		return cause{}
	}
	return tell(v.review.repo, p, f)
}

// named returns a cause with the name that a finding's text contains; ok reports whether it contains one.
func named(kind, name string, ok bool) cause {
	if !ok || name == "" || strings.HasSuffix(name, "…") { // the text is cut
		return cause{}
	}
	return cause{kind, name, "the " + kind + " " + name}
}

func size(p string, ok bool) cause {
	if !ok {
		return cause{}
	}
	return cause{"size", p, "the size of " + p}
}

var (
	sameFiles  = inspect.Pattern(`^(.+): [\d,]+ lines? of code, [\d,]+ bytes each$`)
	sameLines  = inspect.Pattern(`^(.+) lines \d+ to \d+ and (.+) lines \d+ to \d+: [\d,]+ lines of code the same`)
	sameBlocks = inspect.Pattern(`^(.+) and (.+): .+; [\d,]+ lines of code the same in blocks of `)
)

// copies returns the cause of duplicated code: the pair of folders. a/x/f.go and b/x/f.go, a/g.go and
// b/g.go are one copy of a in b, however many files it has.
func copies(r *inspect.Repo, _ string, f *world.Finding) cause {
	var a, b string
	if m := sameFiles.FindStringSubmatch(f.Evidence); m != nil {
		list := strings.Split(m[1], ", ")
		if len(list) != 2 {
			return cause{}
		}
		a, b = list[0], list[1]
	} else if m := sameLines.FindStringSubmatch(f.Evidence); m != nil {
		a, b = m[1], m[2]
	} else if m := sameBlocks.FindStringSubmatch(f.Evidence); m != nil {
		a, b = m[1], m[2]
	}
	there := func(p string) bool { return p != "" && (r.File(p) != nil || r.HasDir(p)) }
	if a == b || !there(a) || !there(b) {
		return cause{}
	}
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for len(as) > 0 && len(bs) > 0 && as[len(as)-1] == bs[len(bs)-1] {
		as, bs = as[:len(as)-1], bs[:len(bs)-1]
	}
	pair := []string{strings.Join(as, "/"), strings.Join(bs, "/")}
	slices.Sort(pair)
	return cause{"copy", strings.Join(pair, "\x00"), "the copy of " + label(pair[0]) + " in " + label(pair[1])}
}

// maxKeyText limits how much of a file is read as one key, in bytes.
const maxKeyText = 64 << 10

// keyText returns the key as the cause: one key is one secret in whatever file or quotes it is written.
// Keys of one kind have one length, so their text is compared.
func keyText(r *inspect.Repo, p string, f *world.Finding) cause {
	data, ok := r.Text(p)
	if !ok || f.Title != "A private key is in the repository" {
		return cause{}
	}
	from := strings.Index(string(data[lineStart(data, f.Line):]), "-----BEGIN ")
	if from < 0 {
		return cause{}
	}
	rest := string(data[lineStart(data, f.Line)+from:])
	rest = rest[:min(len(rest), maxKeyText)]
	_, body, begins := strings.Cut(strings.TrimPrefix(rest, "-----BEGIN "), "-----")
	body, _, ends := strings.Cut(body, "-----END ")
	body = strings.NewReplacer(`\n`, "", `\r`, "").Replace(body)
	body = strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '/' {
			return c
		}
		return -1 // also "+", which joins strings in some languages; no two keys differ only in these
	}, body)
	if !begins || !ends || len(body) < 32 {
		return cause{}
	}
	return cause{"key", body, "the same key"}
}

// lineStart returns the offset of a line, len(data) if there is no such line.
func lineStart(data []byte, line int) int {
	at := 0
	for n := 1; n < line; n++ {
		k := slices.Index(data[at:], '\n')
		if k < 0 {
			return len(data)
		}
		at += k + 1
	}
	return at
}

var linked = inspect.Pattern(`^line \d+: (.+)$`)

// deadLink returns the missing target as the cause: if several texts link to it, it is missing once.
func deadLink(_ *inspect.Repo, p string, f *world.Finding) cause {
	m := linked.FindStringSubmatch(f.Evidence)
	if m == nil || strings.HasSuffix(m[1], "…") || strings.HasPrefix(m[1], "#") || strings.Contains(m[1], ":") {
		return cause{} // several links, a link that is cut, a section of the text itself, or an address
	}
	to := path.Join(path.Dir(p), m[1])
	if rooted, ok := strings.CutPrefix(m[1], "/"); ok {
		to = path.Clean(rooted)
	}
	return cause{"link", to, to + ", which is not there"}
}

var goFunc = inspect.Pattern(`(?m)^func (?:\([^)\n]*\) *)?(\w+)`)

// sameCall returns the function and the call as the cause: all places where a Go function handles one
// call's error in one way need one change. Another function, or another call, is another cause.
func sameCall(r *inspect.Repo, p string, f *world.Finding) cause {
	file := r.File(p)
	data, ok := r.Text(p)
	if file == nil || file.Lang != "Go" || !ok || f.Line < 1 {
		return cause{}
	}
	before := data[:lineStart(data, f.Line+1)]
	all := goFunc.FindAllSubmatchIndex(before, -1)
	if len(all) == 0 {
		return cause{}
	}
	last := all[len(all)-1]
	if strings.Contains(string(before[last[0]:]), "\n}\n") { // the function has ended before the line
		return cause{}
	}
	head, _, _ := strings.Cut(string(before[last[0]:]), "\n")
	return cause{"call", strings.Join([]string{f.Check, p, head, f.Title}, "\x00"), "the function " +
		string(before[last[2]:last[3]])}
}
