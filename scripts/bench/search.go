package main

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"agentdungeon/shared/world"
)

// talkSearch measures searches for rare and common words in many messages. Each returns the best 20 rows.
func (b *bench) talkSearch(n, times int) {
	l := b.fillLibrary(n)
	journal := b.openTalk(l.home).o.Journal
	words := newLanguage()
	// The twenty commonest words are like "and", "the", "of" in English; a rare word is in a few rows.
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
				var hits []world.SearchHit
				took = append(took, timed(func() {
					hits = get(journal.Search(b.ctx, world.SearchQuery{Words: q, Limit: 20}))
				}))
				found += len(hits)
				lines := 0
				read = append(read, timed(func() { lines = grep(l.lines, strings.Fields(q)) }))
				if lines == 0 && len(hits) > 0 {
					failf("the search for %q finds rows, but no text contains these words", q)
				}
			}
			if found == 0 {
				failf("no search for %s finds a row", kind.name)
			}
			p99.addPercentile(99, took, read)
		})
	}
}

// grep counts the lines that hold all of the words.
func grep(lines []byte, words []string) (n int) {
	for at := bytes.Index(lines, []byte(words[0])); at >= 0; at = bytes.Index(lines, []byte(words[0])) {
		begin, end := bytes.LastIndexByte(lines[:at], '\n')+1, len(lines)
		if i := bytes.IndexByte(lines[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if !slices.ContainsFunc(words[1:], func(w string) bool { return !bytes.Contains(lines[begin:end], []byte(w)) }) {
			n++
		}
		lines = lines[end:]
	}
	return n
}
