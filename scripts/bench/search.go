package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"agentdungeon/server/store"
	"agentdungeon/shared/world"
)

// talkSearch looks for words in many messages, the best 20 rows of each: what a person
// types, common words included.
func (b *bench) talkSearch(ctx context.Context, n, times int) ([]figure, error) {
	l, err := b.fillLibrary(ctx, n)
	if err != nil {
		return nil, err
	}
	t, err := openTalk(ctx, l.home)
	if err != nil {
		return nil, err
	}
	defer t.o.Journal.Close()
	words := newLanguage()
	// A language's commonest twenty are and, the, of; the rare ones stand in a few rows.
	common := func() string { return words.word(words.rnd.IntN(20)) }
	rare := func() string { return words.word(vocabulary/4 + words.rnd.IntN(vocabulary*3/4)) }
	kinds := []struct {
		name  string
		query func() string
	}{
		{"a rare word", rare},
		{"a common word", common},
		{"two words, one of them common", func() string { return common() + " " + words.word(20+words.rnd.IntN(2_000)) }},
		{"two common words", func() string { return common() + " " + common() }},
		{"the beginning of a word", func() string { w := rare(); return w[:min(len(w), 3+words.rnd.IntN(2))] }},
	}
	var out []figure
	for _, kind := range kinds {
		p99 := figure{name: fmt.Sprintf("search in %d messages, %s, p99", n, kind.name), unit: seconds, bare: "grep of the same texts in memory, p99", aim: aim{below, 50e-3}}
		for range b.fewRuns() {
			if err := b.breathe(ctx); err != nil {
				return nil, err
			}
			var took, read []time.Duration
			found := 0
			for range times {
				q := kind.query()
				begin := time.Now()
				hits, err := t.o.Journal.Search(ctx, world.SearchQuery{Words: q, Limit: 20})
				if err != nil {
					return nil, err
				}
				took = append(took, time.Since(begin))
				found += len(hits)
				begin = time.Now()
				lines := grep(l.lines, strings.Fields(q))
				read = append(read, time.Since(begin))
				if lines == 0 && len(hits) > 0 {
					return nil, fmt.Errorf("the search for %q finds rows that no text has", q)
				}
			}
			if found == 0 {
				return nil, fmt.Errorf("%s is never found", kind.name)
			}
			p99.ours, p99.limit = append(p99.ours, percentile(took, 99)), append(p99.limit, percentile(read, 99))
		}
		out = append(out, p99)
	}
	return out, nil
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

// talkDisk is what a realm's folder takes for each byte of its transcripts, with the
// search index and without. Two commits for each turn, as in the product; the realm is
// closed, so that nothing stands in the log.
func (b *bench) talkDisk(ctx context.Context, rows int) ([]figure, error) {
	code, err := sourceTexts(ctx, rows/5)
	if err != nil {
		return nil, err
	}
	words := newLanguage()
	var short []string
	for range rows {
		short = append(short, words.text(60, 200))
	}
	var out []figure
	for _, kind := range []struct {
		name  string
		texts []string
	}{
		{"talk about code, rows of 2 to 4 KB", code},
		{"short talk, rows of 60 to 200 bytes", short},
	} {
		dir, err := b.folder()
		if err != nil {
			return nil, err
		}
		all, index, said, err := talkSizes(ctx, filepath.Join(dir, "talk"), kind.texts)
		if err != nil {
			return nil, err
		}
		name := "disk of a realm's folder, " + kind.name
		text := []float64{float64(said)}
		out = append(out,
			figure{name: name + ", with the search index", unit: octets, ours: []float64{float64(all)}, limit: text, bare: "transcript"},
			figure{name: name + ", without it", unit: octets, ours: []float64{float64(all - index)}, limit: text, bare: "transcript"})
	}
	return out, nil
}

// talkSizes says the texts in turn, and gives the bytes of the folder, of the search
// index in it, and of the texts.
func talkSizes(ctx context.Context, home string, texts []string) (all, index, said int64, err error) {
	t, err := newTalk(ctx, home)
	if err != nil {
		return 0, 0, 0, err
	}
	err = t.commit(t.begin("c"))
	for i := 0; i+1 < len(texts) && err == nil; i += 2 {
		ask, answer := t.turns("c", texts[i], texts[i+1])
		err = errors.Join(t.commit(ask...), t.commit(answer...))
	}
	if err := errors.Join(err, t.o.Journal.Close()); err != nil {
		return 0, 0, 0, err
	}
	err = filepath.WalkDir(home, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			all += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, 0, 0, err
	}
	// The driver is the store's own; the realm is closed.
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.Join(home, store.JournalFile), RawQuery: "mode=ro"}).String())
	if err != nil {
		return 0, 0, 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT sum(pgsize) FROM dbstat('main', 1) WHERE name GLOB 'search*'").Scan(&index)
	return all, index, t.bytes, errors.Join(err, db.Close())
}
