package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// sizes holds sizes of a realm's data in bytes.
type sizes struct {
	folder, index, journal int64 // on disk: all files; in realm.db the search index; in realm.db the events
	rows, texts            int64 // all rows of the transcripts as JSON; only the texts of these rows
}

// talkDisk measures the size of a realm's folder against the size of its transcripts, with the
// search index and without. Each turn is two commits, as in the product. The realm is closed
// first, so that SQLite's log is empty. The aims are for the size of a transcript's texts;
// rows without an aim compare with the transcript's rows as JSON.
func (b *bench) talkDisk(rows int) {
	words := newLanguage()
	var short []string
	for range rows {
		short = append(short, words.text(60, 200))
	}
	for _, kind := range []struct {
		name  string
		texts []string
		most  float64
	}{
		{"talk about code, rows of 2 to 4 KB", b.sourceTexts(rows / 5), 1},
		{"short talk, rows of 60 to 200 bytes", short, 1.7},
	} {
		most := aim{ratioMax, kind.most}
		if rows < 8_000 {
			most = noAim // of so few rows: the newest thousand events make up most of the folder
		}
		b.figures = append(b.figures, b.talkSizes(kind.texts).figures(kind.name, most)...)
	}
}

// figures returns the table's rows for one kind of talk. The aim is for the folder with the
// search index against the texts of the transcript.
func (s sizes) figures(kind string, most aim) []*figure {
	name := "disk of a realm's folder, " + kind
	row := func(what string, ours, limit int64, bare string, aim aim) *figure {
		return &figure{name: name + what, unit: octets, ours: []float64{float64(ours)}, limit: []float64{float64(limit)}, bare: bare, aim: aim}
	}
	const texts, rows = "transcript, its texts", "transcript, its rows as JSON"
	return []*figure{
		row(", with the search index", s.folder, s.texts, texts, most),
		row(", without it", s.folder-s.index, s.texts, texts, noAim),
		row(", with the search index, against its rows", s.folder, s.rows, rows, noAim),
		row(", without it, against its rows", s.folder-s.index, s.rows, rows, noAim),
	}
}

// talkSizes commits the texts as alternating questions and answers, and measures the folder.
func (b *bench) talkSizes(texts []string) (s sizes) {
	home := filepath.Join(b.folder(), "talk")
	var shown, said int64
	b.scope(func() {
		t := b.newTalk(home)
		must(t.commit(t.begin("c")))
		for i := 0; i+1 < len(texts); i += 2 {
			ask, answer := t.turns("c", texts[i], texts[i+1])
			must(t.commit(ask...), t.commit(answer...))
		}
		said = t.bytes
		for before, more := int64(0), true; more; {
			rows, left, err := t.o.Journal.Rows(b.ctx, "c", "", before, 0)
			must(err)
			for _, m := range rows {
				shown += int64(len(get(json.Marshal(m))))
			}
			if more = left; more {
				before = rows[0].Seq
			}
		}
	})
	s = sizesOf(b, home)
	s.rows, s.texts = shown, said
	return s
}

// sizesOf measures the folder of a closed realm.
func sizesOf(b *bench, home string) (s sizes) {
	must(filepath.WalkDir(home, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			s.folder += info.Size()
		}
		return err
	}))
	where := url.URL{Scheme: "file", OmitHost: true, Path: filepath.Join(home, sqlite.JournalFile), RawQuery: "mode=ro"}
	db := get(sql.Open("sqlite", where.String())) // the driver is the store's own
	defer db.Close()
	for glob, into := range map[string]*int64{"search*": &s.index, "journal*": &s.journal} {
		const query = "SELECT ifnull(sum(pgsize), 0) FROM dbstat('main', 1) WHERE name GLOB ?"
		must(db.QueryRowContext(b.ctx, query, glob).Scan(into))
	}
	return s
}

// year measures a realm after a year with perDay events on each day: a chat of at most 20
// exchanges, and messages of spectators for the rest. The times of the events are invented. Each
// day ends with a base, as in the product, and the journal packs and trims itself.
func (b *bench) year(perDay int) {
	home := filepath.Join(b.folder(), "talk")
	var frames int64
	b.scope(func() { frames = b.liveAYear(home, perDay) })
	name := fmt.Sprintf("a realm of a year, 365 days of %d events", perDay)
	open := b.row(seconds, noAim, "reading its database from a file", "%s: opening", name)
	b.warmTimes(2*b.runs, func() { // the first opening completes unfinished writes
		begin := time.Now()
		b.openTalk(home)
		took := time.Since(begin)
		begin = time.Now()
		get(os.ReadFile(filepath.Join(home, sqlite.JournalFile)))
		open.addTook(took, time.Since(begin))
	})
	s := sizesOf(b, home)
	const shown = "its events as they were shown"
	b.row(octets, noAim, shown, "%s: its folder", name).add(float64(s.folder), float64(frames))
	b.row(octets, noAim, shown, "%s: its journal (events of the last 90 days, never fewer than 100000)", name).
		add(float64(s.journal), float64(frames))
}

// liveAYear commits the events of the year and returns the bytes of their frames.
func (b *bench) liveAYear(home string, perDay int) (frames int64) {
	t := b.newTalk(home)
	words, start := newLanguage(), now()
	for today := range 365 {
		t.at = start + world.Time((time.Duration(today+1) * 24 * time.Hour).Milliseconds())
		id := fmt.Sprintf("day%d", today)
		bodies := []world.Body{t.begin(id)}
		for range min(20, perDay/8) {
			bodies = append(bodies, t.exchange(id, words)...)
		}
		for i := len(bodies); i < perDay; i++ {
			bodies = append(bodies, &world.SpectatorCommand{SpectatorID: "s", Name: "person", Color: "#aabbcc", Text: words.said()})
		}
		for len(bodies) > 0 {
			some := bodies[:min(len(bodies), 250)]
			bodies = bodies[len(some):]
			must(t.commitAfter(some...))
		}
		must(t.o.Journal.SaveBase(get(t.checkpoint())))
	}
	// The background packing is slower than these commits: pack the rest now.
	must(t.o.Journal.Tidy(b.ctx))
	return t.shown
}
