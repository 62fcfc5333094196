package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"

	"agentdungeon/server/store"
)

// talkDisk is what a realm's folder takes for each byte of its transcripts, with the
// search index and without. Two commits for each turn, as in the product; the realm is
// closed, so that nothing stands in the log. A transcript's bytes are those of its texts,
// which is what the aims were set for; its rows as the JSON that views show stand beside
// it, without an aim.
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
		most  float64
	}{
		{"talk about code, rows of 2 to 4 KB", code, 1},
		{"short talk, rows of 60 to 200 bytes", short, 1.7},
	} {
		dir, err := b.folder()
		if err != nil {
			return nil, err
		}
		s, err := talkSizes(ctx, filepath.Join(dir, "talk"), kind.texts)
		if err != nil {
			return nil, err
		}
		most := aim{ratioMax, kind.most}
		if rows < 8_000 {
			most = aim{} // the newest thousand events are most of it
		}
		out = append(out, s.figures(kind.name, most)...)
	}
	return out, nil
}

// sizes are bytes of a realm.
type sizes struct {
	folder, index, journal int64 // on disk: all files, and in realm.db the search index and the events
	rows, texts            int64 // of the transcripts: as JSON, and their texts alone
}

// figures are the rows of one kind of talk. The aim is for the folder with the search index
// against the texts of the transcript.
func (s sizes) figures(kind string, most aim) []figure {
	name := "disk of a realm's folder, " + kind
	row := func(what string, ours, limit int64, bare string, aim aim) figure {
		return figure{name: name + what, unit: octets, ours: []float64{float64(ours)}, limit: []float64{float64(limit)}, bare: bare, aim: aim}
	}
	const texts, rows = "transcript, its texts", "transcript, its rows as JSON"
	return []figure{
		row(", with the search index", s.folder, s.texts, texts, most),
		row(", without it", s.folder-s.index, s.texts, texts, aim{}),
		row(", with the search index, against its rows", s.folder, s.rows, rows, aim{}),
		row(", without it, against its rows", s.folder-s.index, s.rows, rows, aim{}),
	}
}

// talkSizes says the texts in turn, and measures what is left.
func talkSizes(ctx context.Context, home string, texts []string) (sizes, error) {
	t, err := newTalk(ctx, home)
	if err != nil {
		return sizes{}, err
	}
	err = t.commit(t.begin("c"))
	for i := 0; i+1 < len(texts) && err == nil; i += 2 {
		ask, answer := t.turns("c", texts[i], texts[i+1])
		err = errors.Join(t.commit(ask...), t.commit(answer...))
	}
	var rows int64
	if err == nil {
		rows, err = t.shownRows(ctx, "c")
	}
	if err := errors.Join(err, t.o.Journal.Close()); err != nil {
		return sizes{}, err
	}
	s, err := sizesOf(ctx, home)
	s.rows, s.texts = rows, t.bytes
	return s, err
}

// shownRows are the bytes of a conversation's rows as JSON.
func (t *talk) shownRows(ctx context.Context, id string) (n int64, err error) {
	for before, more := int64(0), true; more; {
		rows, left, err := t.o.Journal.Rows(ctx, id, "", before, 0)
		if err != nil {
			return n, err
		}
		for _, m := range rows {
			raw, err := json.Marshal(m)
			if err != nil {
				return n, err
			}
			n += int64(len(raw))
		}
		if more = left; more {
			before = rows[0].Seq
		}
	}
	return n, nil
}

// sizesOf measures a realm's folder, which is closed.
func sizesOf(ctx context.Context, home string) (s sizes, err error) {
	err = filepath.WalkDir(home, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			s.folder += info.Size()
		}
		return err
	})
	if err != nil {
		return s, err
	}
	// The driver is the store's own.
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.Join(home, store.JournalFile), RawQuery: "mode=ro"}).String())
	if err != nil {
		return s, err
	}
	for glob, into := range map[string]*int64{"search*": &s.index, "journal*": &s.journal} {
		if err == nil {
			err = db.QueryRowContext(ctx, "SELECT ifnull(sum(pgsize), 0) FROM dbstat('main', 1) WHERE name GLOB ?", glob).Scan(into)
		}
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return s, fmt.Errorf("measure %s: %w", home, err)
	}
	return s, nil
}
