package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"agentdungeon/shared/world"
)

// talkSearch measures searches in many messages for the best 20 rows, with queries such as
// people type: rare and common words.
func (b *bench) talkSearch(n, times int) {
	l := b.fillLibrary(n)
	journal := b.openTalk(l.home).o.Journal
	words := newLanguage()
	// The commonest twenty are like "and", "the", "of" in English; a rare word is in a few rows.
	common := func() string { return words.word(words.rnd.IntN(20)) }
	rare := func() string { return words.word(vocabulary/4 + words.rnd.IntN(vocabulary*3/4)) }
	for _, kind := range []struct {
		name  string
		query func() string
	}{
		{"a rare word", rare},
		{"a common word", common},
		{"two words, one of them common", func() string { return common() + " " + words.word(20+words.rnd.IntN(2_000)) }},
		{"two common words", func() string { return common() + " " + common() }},
		{"the beginning of a word", func() string { w := rare(); return w[:min(len(w), 3+words.rnd.IntN(2))] }},
	} {
		p99 := b.row(seconds, aim{below, 50e-3}, "grep of the same texts in memory, p99", "search in %d messages, %s, p99", n, kind.name)
		b.times(b.few(), func() {
			var took, read []time.Duration
			found := 0
			for range times {
				q := kind.query()
				begin := time.Now()
				hits := get(journal.Search(b.ctx, world.SearchQuery{Words: q, Limit: 20}))
				took = append(took, time.Since(begin))
				found += len(hits)
				begin = time.Now()
				lines := grep(l.lines, strings.Fields(q))
				read = append(read, time.Since(begin))
				if lines == 0 && len(hits) > 0 {
					must(fmt.Errorf("the search for %q finds rows, but no text contains these words", q))
				}
			}
			if found == 0 {
				must(fmt.Errorf("no search for %s finds a row", kind.name))
			}
			p99.add(percentile(took, 99), percentile(read, 99))
		})
	}
}

// grep counts the lines that hold all of the words.
func grep(lines []byte, words []string) (n int) {
	for {
		at := bytes.Index(lines, []byte(words[0]))
		if at < 0 {
			return n
		}
		end := len(lines)
		if i := bytes.IndexByte(lines[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := lines[bytes.LastIndexByte(lines[:at], '\n')+1 : end]
		holds := true
		for _, w := range words[1:] {
			holds = holds && bytes.Contains(line, []byte(w))
		}
		if holds {
			n++
		}
		lines = lines[end:]
	}
}
