package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"github.com/mattn/go-isatty"

	"agentdungeon/shared/world"
)

// isTerminal reports whether a file or a writer is a terminal.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}

// terminal writes text to a terminal. It replaces control characters by visible ones (world.Visible), so that they
// have no effect. Commands do not use it for JSON and SARIF. Close writes a rune of which only a part was written.
// A terminal is safe for concurrent use, because the log writes to it too.
type terminal struct {
	out  io.Writer
	mu   sync.Mutex
	rest []byte // an incomplete rune, or a \r that a \n may follow
}

func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := append(t.rest, p...)
	end := len(text) - unended(text)
	t.rest = append([]byte(nil), text[end:]...)
	if _, err := io.WriteString(t.out, world.Visible(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// unended returns the number of bytes at the end of b that cannot be written yet: a \r that a \n may follow,
// or an incomplete rune.
func unended(b []byte) int {
	if len(b) > 0 && b[len(b)-1] == '\r' {
		return 1
	}
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if utf8.RuneStart(b[len(b)-n]) {
			if utf8.FullRune(b[len(b)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

func (t *terminal) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err := io.WriteString(t.out, world.Visible(string(t.rest)))
	t.rest = nil
	return err
}

// asText calls do with out itself if exact is set. Otherwise it calls do with a terminal that writes to out,
// and closes the terminal.
func asText(out io.Writer, exact bool, do func(io.Writer) error) error {
	if exact {
		return do(out)
	}
	t := &terminal{out: out}
	return errors.Join(do(t), t.Close())
}

func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(v)
}
