package main

import (
	"errors"
	"io"
	"sync"
	"unicode/utf8"

	"agentdungeon/shared/world"
)

// terminal is a writer of text that a person reads in a terminal: whatever others wrote
// into it shows and does nothing (world.Visible). JSON and SARIF do not go through it.
// Close writes what is left of a rune that was not ended. Any goroutine may write: the log does.
type terminal struct {
	out  io.Writer
	mu   sync.Mutex
	rest []byte // the beginning of a rune, or a \r that \n may follow
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

// unended is how many bytes at the end of b the next ones decide about.
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

// asText has do write text for a terminal, or with exact what it writes byte for byte.
func asText(out io.Writer, exact bool, do func(io.Writer) error) error {
	if exact {
		return do(out)
	}
	t := &terminal{out: out}
	return errors.Join(do(t), t.Close())
}
