package folder

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever indents, moves or copies a block did not write it: the authors of lines are those that "git blame -w -M -C"
// names.
func TestChronicleBlamesNobodyForMovedLines(t *testing.T) {
	needGit(t)
	alone(t)
	block := func(name string) string {
		var b strings.Builder
		for i := range 5 {
			fmt.Fprintf(&b, "%s(number, of, statement, %d)\n", name, i)
		}
		return b.String()
	}
	const ben = "Ben <ben@example.org>"
	one, two, three := block("first"), block("second"), block("third")
	start := one + "middle of the file\n" + two + "end of the file\n"
	for name, c := range map[string]struct {
		path, text string
		also       map[string]string // other files that the same commit writes
		removed    string
	}{
		"indented":                  {path: "a.txt", text: "if x {\n" + indent(one) + "}\n" + two},
		"carriage returns":          {path: "a.txt", text: strings.ReplaceAll(start, "\n", "\r\n")},
		"moved within the file":     {path: "a.txt", text: two + "middle of the file\n" + one + "end of the file\n"},
		"moved and indented":        {path: "a.txt", text: indent(two) + "middle of the file\n" + one},
		"moved to another file":     {path: "b.txt", text: "news\n" + two + three, also: map[string]string{"a.txt": one + "end of the file\n"}},
		"moved to a new file":       {path: "c.txt", text: "news\n" + two, also: map[string]string{"a.txt": one}},
		"the file divided":          {path: "c.txt", text: one + "news\n", also: map[string]string{"d.txt": two}, removed: "a.txt"},
		"copied from an untouched":  {path: "c.txt", text: one},
		"a block too short to move": {path: "a.txt", text: "x = 1\n" + start + "end of the file\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newRepo(t)
			write(t, dir, map[string]string{"a.txt": start, "b.txt": three})
			commit(t, dir, ann, day("01"))
			write(t, dir, map[string]string{c.path: c.text})
			write(t, dir, c.also)
			if c.removed != "" {
				must(t, os.Remove(filepath.Join(dir, c.removed)))
			}
			commit(t, dir, ben, day("02"))
			want := blamedByGit(t, dir, c.path)
			h := look(t, dir).History
			for i, author := range want {
				if got, err := h.Blame(context.Background(), c.path, i+1); err != nil || got.Name != author {
					t.Errorf("line %d: %s, %v; git names %s", i+1, got.Name, err, author)
				}
			}
		})
	}
}

func indent(block string) string {
	return "\t" + strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n\t") + "\n"
}

// blamedByGit returns the author of each line of a file.
func blamedByGit(t *testing.T, dir, path string) (authors []string) {
	t.Helper()
	for l := range bytes.Lines(git(t, dir, "blame", "-w", "-M", "-C", "--line-porcelain", "HEAD", "--", path)) {
		if name, ok := bytes.CutPrefix(bytes.TrimSuffix(l, []byte("\n")), []byte("author ")); ok {
			authors = append(authors, string(name))
		}
	}
	return authors
}
