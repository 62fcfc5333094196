package structure

import (
	"bytes"
	"context"
	"strings"

	"agentdungeon/server/inspect"
)

// names records which files of the repository contain the wanted words.
type names struct {
	wanted map[string]bool
	// in maps each wanted word to at most two files that contain it. imported holds the wanted words that follow a
	// slash in a text, as in "./word".
	in       map[string][]string
	imported map[string]bool
}

// lookFor reads every text once. It reads generated and vendored texts too, because a generated list of
// files may name a file.
func lookFor(ctx context.Context, r *inspect.Repo, wanted map[string]bool) *names {
	n := &names{wanted: wanted, in: map[string][]string{}, imported: map[string]bool{}}
	for i := range r.Files {
		if ctx.Err() != nil {
			break
		}
		f := &r.Files[i]
		if data, ok := r.Text(f.Path); ok {
			n.read(f.Path, data)
		}
	}
	return n
}

// read records the wanted words in a text. A word is a run of letters, digits, _ and -; the parts of a word between its
// - signs count as words too.
func (n *names) read(path string, data []byte) {
	from := -1
	for i := 0; i <= len(data); i++ {
		if i < len(data) && wordByte(data[i]) {
			if from < 0 {
				from = i
			}
			continue
		}
		if from >= 0 && i-from <= 200 {
			word := data[from:i]
			n.add(path, word)
			if from > 0 && data[from-1] == '/' && n.wanted[string(word)] {
				n.imported[string(word)] = true
			}
			if bytes.IndexByte(word, '-') >= 0 {
				for part := range bytes.SplitSeq(word, []byte("-")) {
					n.add(path, part)
				}
				n.add(path, bytes.Trim(word, "-"))
			}
		}
		from = -1
	}
}

func (n *names) add(path string, word []byte) {
	if !n.wanted[string(word)] {
		return
	}
	if had := n.in[string(word)]; len(had) < 2 && (len(had) == 0 || had[0] != path) {
		n.in[string(word)] = append(had, path)
	}
}

// elsewhere reports whether a word occurs in another file than the given one.
func (n *names) elsewhere(word, path string) bool {
	for _, p := range n.in[word] {
		if p != path {
			return true
		}
	}
	return false
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '$' ||
		b >= 0x80
}

// stem returns a file's name up to its first dot.
func stem(f *inspect.File) string {
	s, _, _ := strings.Cut(f.Base(), ".")
	return s
}
