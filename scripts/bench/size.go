package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/shared/world"
)

// sizes holds sizes of a realm's data in bytes. On disk, folder is the size of all files, index the size of the search
// index in realm.db, and journal the size of the events in realm.db. rows is the size of all rows of the transcripts as
// JSON, texts the size of their texts alone.
type sizes struct {
	folder, index, journal int64
	rows, texts            int64
}

// talkDisk measures the size of a realm's folder, with the search index and without it, against the size of the
// transcripts: first their texts alone, then their rows as JSON. As in the product, a person's text and the answer to
// it are two commits. The realm is closed before, so that SQLite's log is empty.
func (b *bench) talkDisk(rows int) {
	words := newLanguage()
	var short []string
	for range rows {
		short = append(short, words.text(60, 200))
	}
	code, talk := aim{ratioMax, 1}, aim{ratioMax, 1.7}
	if rows < 8_000 {
		code, talk = noAim, noAim // with few rows, the newest thousand events make up most of the folder
	}
	b.figures = slices.Concat(
		b.talkSizes(sourceTexts(rows/5)).figures("talk about code, rows of 2 to 4 KB", code),
		b.talkSizes(short).figures("short talk, rows of 60 to 200 bytes", talk))
}

// figures returns the table's rows for one kind of talk. The aim is for the folder with the search index against the
// texts of the transcript.
func (s sizes) figures(kind string, most aim) []*figure {
	name := "disk of a realm's folder, " + kind
	row := func(what string, ours, limit int64, bare string, aim aim) *figure {
		return &figure{Name: name + what, Unit: octets, Ours: []float64{float64(ours)}, Limit: []float64{float64(limit)},
			bare: bare, aim: aim}
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
func (b *bench) talkSizes(texts []string) sizes {
	home := filepath.Join(b.folder(), "talk")
	var rows, said int64
	b.scope(func() {
		t := b.newTalk(home)
		t.commit(chat("c", t.at))
		for i := 0; i+1 < len(texts); i += 2 {
			ask, answer := t.turns("c", texts[i], texts[i+1])
			t.commit(ask...)
			t.commit(answer...)
		}
		said = t.bytes
		for before, more := int64(0), true; more; {
			var page []world.Message
			var err error
			page, more, err = t.o.Journal.Rows(b.ctx, "c", "", before, 0)
			must(err)
			for _, m := range page {
				rows += int64(len(get(json.Marshal(m))))
			}
			if more {
				before = page[0].Seq
			}
		}
	})
	s := b.sizesOf(home)
	s.rows, s.texts = rows, said
	return s
}

// sourceTexts returns n pieces of the source of Go's standard library, 2 to 4 KB each: code and prose about code.
func sourceTexts(n int) (out []string) {
	root := output("go", "env", "GOROOT")
	rnd := rand.New(rand.NewPCG(7, 7))
	take := func(path string, d fs.DirEntry) {
		if len(out) == n || !d.Type().IsRegular() || filepath.Ext(path) != ".go" {
			return
		}
		for data := get(os.ReadFile(path)); len(data) >= 4<<10 && len(out) < n; {
			size := 2<<10 + rnd.IntN(2<<10)
			out = append(out, strings.ToValidUTF8(string(data[:size]), " "))
			data = data[size:]
		}
	}
	for _, part := range []string{"net", "go"} {
		walk(filepath.Join(root, "src", part), take)
	}
	if len(out) < n {
		failf("the sources of Go give only %d texts, but the measurement needs %d", len(out), n)
	}
	return out
}

// sizesOf measures the folder of a closed realm.
func (b *bench) sizesOf(home string) (s sizes) {
	walk(home, func(_ string, d fs.DirEntry) {
		if !d.IsDir() {
			s.folder += get(d.Info()).Size()
		}
	})
	where := url.URL{Scheme: "file", OmitHost: true, Path: filepath.Join(home, sqlite.JournalFile), RawQuery: "mode=ro"}
	db := get(sql.Open("sqlite", where.String())) // the driver is the store's own
	defer db.Close()
	for glob, into := range map[string]*int64{"search*": &s.index, "journal*": &s.journal} {
		const query = "SELECT ifnull(sum(pgsize), 0) FROM dbstat('main', 1) WHERE name GLOB ?"
		must(db.QueryRowContext(b.ctx, query, glob).Scan(into))
	}
	return s
}

// year measures a realm after a year with perDay events on each day: a chat of at most 20 exchanges, and messages of
// spectators for the rest. The times of the events are invented. Each day ends with a base, as in the product, and the
// journal packs and trims itself.
func (b *bench) year(perDay int) {
	home := filepath.Join(b.folder(), "talk")
	var frames float64
	b.scope(func() { frames = float64(b.liveAYear(home, perDay)) })
	const name = "a realm of a year, 365 days of %d events: "
	open := b.row(seconds, noAim, "reading its database from a file", name+"opening", perDay)
	b.warmTimes(2*b.runs, func() { // the first opening completes unfinished writes
		open.time(func() { b.openTalk(home) }, func() { get(os.ReadFile(filepath.Join(home, sqlite.JournalFile))) })
	})
	s := b.sizesOf(home)
	const shown = "its events as they were shown"
	b.row(octets, noAim, shown, name+"its folder", perDay).add(float64(s.folder), frames)
	b.row(octets, noAim, shown, name+"its journal (events of the last 90 days, never fewer than 100000)", perDay).
		add(float64(s.journal), frames)
}

// liveAYear commits the events of the year and returns the bytes of their frames.
func (b *bench) liveAYear(home string, perDay int) (frames int64) {
	t := b.newTalk(home)
	words, start := newLanguage(), now()
	for today := range 365 {
		t.at = start + world.Time((time.Duration(today+1) * 24 * time.Hour).Milliseconds())
		id := fmt.Sprintf("day%d", today)
		bodies := []world.Body{chat(id, t.at)}
		for range min(20, perDay/8) {
			bodies = append(bodies, t.exchange(id, words)...)
		}
		for i := len(bodies); i < perDay; i++ {
			bodies = append(bodies, spoken(words.said()))
		}
		for some := range slices.Chunk(bodies, 250) {
			t.commitAfter(some...)
		}
		must(t.o.Journal.SaveBase(t.checkpoint()))
	}
	// The background packing is slower than these commits: pack the rest now.
	must(t.o.Journal.Tidy(b.ctx))
	return t.shown
}
