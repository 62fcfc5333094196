package folder

import (
	"bytes"
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode"
)

// Limits of the search for lines that a commit moved or copied, those of "git blame -M -C".
const (
	minMoved  = 20 // letters and digits of a block that is moved within a file
	minCopied = 40 // letters and digits of a block that comes from another file
	// maxSources limits the files of a commit that are searched for copied blocks: those with the same extension first.
	maxSources = 20
	// maxStarts limits the places of one text that are compared with a block, so that many equal lines cost little.
	maxStarts = 50
)

// source is a file of a parent commit in which a search looks for lines.
type source struct {
	texts  []string
	starts map[string][]int32 // the numbers of the lines, by the text of the line
}

// moved removes from v the lines that the commit of v moved or copied, and returns them in the files of a parent
// commit that have them. The parameter file stands for v's file in that parent; its blob is zero if the parent does
// not have it. The commit counts as the author of a line only if the parent has the line neither in that file nor
// in another file that the commit changed. A block of few letters may be equal by chance, so it counts as the
// commit's own.
func (o *objects) moved(v, file *visit) (from []*visit, err error) {
	if len(v.lines) == 0 {
		return nil, nil
	}
	text, err := o.blob(v.blob)
	if errors.Is(err, errTooLong) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	texts := plainLines(text)
	if !file.blob.IsZero() {
		within := &visit{commit: file.commit, path: file.path, blob: file.blob}
		if err := o.search(v, texts, within, minMoved); err != nil {
			return nil, err
		}
		from = append(from, within)
	}
	if letters(v.lines, texts) < minCopied {
		return from, nil
	}
	changed, err := o.changes(file.commit.TreeHash, v.commit.TreeHash)
	if errors.Is(err, errChanges) {
		return from, nil // a commit that changes so many files is an import, which is not searched
	}
	if err != nil {
		return nil, err
	}
	changed = slices.DeleteFunc(changed, func(ch change) bool { return ch.from.IsZero() || ch.path == file.path })
	foreign := func(ch change) int {
		if path.Ext(ch.path) == path.Ext(v.path) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(changed, func(x, y change) int {
		return cmp.Or(foreign(x)-foreign(y), strings.Compare(x.path, y.path))
	})
	for _, ch := range changed[:min(len(changed), maxSources)] {
		other := &visit{commit: file.commit, path: ch.path, blob: ch.from}
		if err := o.search(v, texts, other, minCopied); err != nil {
			return nil, err
		}
		from = append(from, other)
	}
	return from, nil
}

// search finds blocks of v's lines that a file of the parent commit (the parameter file) has too, and moves them from
// v to that file. texts has all lines of v's file. least is the minimum number of letters and digits of a block.
func (o *objects) search(v *visit, texts []string, file *visit, least int) error {
	if err := o.ctx.Err(); err != nil || letters(v.lines, texts) < least {
		return err
	}
	old, err := o.blob(file.blob)
	if errors.Is(err, errTooLong) || bytes.Count(old, []byte("\n")) > maxBlameLines {
		return nil
	}
	if err != nil {
		return err
	}
	from := source{texts: plainLines(old)}
	from.starts = make(map[string][]int32, len(from.texts))
	for i, t := range from.texts {
		if len(from.starts[t]) < maxStarts {
			from.starts[t] = append(from.starts[t], int32(i))
		}
	}
	slices.SortFunc(v.lines, func(x, y line) int { return cmp.Compare(x.commit, y.commit) })
	var rest []line
	for at := 0; at < len(v.lines); {
		start, n := from.longest(v.lines[at:], texts)
		if letters(v.lines[at:at+n], texts) < least {
			rest = append(rest, v.lines[at])
			at++
			continue
		}
		for i, l := range v.lines[at : at+n] {
			file.lines = append(file.lines, line{disk: l.disk, commit: start + int32(i)})
		}
		at += n
	}
	v.lines = rest
	return nil
}

// longest finds the longest block that begins with the first of the lines: lines that follow each other both in
// their file and in s. It returns the number of the block's first line in s, and how many lines it has.
func (s *source) longest(lines []line, texts []string) (start int32, n int) {
	for _, at := range s.starts[texts[lines[0].commit]] {
		same := 0
		for same < len(lines) && int(at)+same < len(s.texts) &&
			lines[same].commit == lines[0].commit+int32(same) &&
			texts[lines[same].commit] == s.texts[int(at)+same] {
			same++
		}
		if same > n {
			start, n = at, same
		}
	}
	return start, n
}

// letters counts the letters and digits of lines.
func letters(lines []line, texts []string) (n int) {
	for _, l := range lines {
		for _, r := range texts[l.commit] {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				n++
			}
		}
	}
	return n
}

// plain returns a text without the white space in its lines, so that lines that differ only in white space are equal,
// as in "git blame -w".
func plain(text []byte) string {
	var out strings.Builder
	out.Grow(len(text))
	for _, c := range text {
		switch c {
		case ' ', '\t', '\r', '\v', '\f':
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

func plainLines(text []byte) []string {
	lines := strings.Split(plain(text), "\n")
	if len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
