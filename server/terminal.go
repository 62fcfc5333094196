package main

import (
	"encoding/json"
	"errors"
	"io"
	"sync"
	"unicode/utf8"

	"agentdungeon/shared/world"
)

// terminal is a writer of text for a terminal. Control characters in the text are made visible and have
// no effect (world.Visible). It is not used for JSON and SARIF. Close writes an incomplete rune. It is
// safe for concurrent use, because the log uses it too.
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

// unended returns the number of bytes at the end of b whose meaning depends on the next bytes.
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

// asText calls do with a terminal that writes to out or, if exact is set, with out itself.
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
