package main

import (
	"database/sql"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentdungeon/server/store/sqlite"
)

// sizes holds sizes in bytes: of all files of a realm, of the search index, and of the texts of the transcripts.
type sizes struct{ folder, index, texts int64 }

// talkDisk measures the size of a closed realm's folder, with the search index and without it, against the size of
// the texts. As in the product, a text and its answer are two commits.
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

// figures returns the rows for one kind of conversation. The aim limits the ratio of the folder with the index to
// the texts.
func (s sizes) figures(kind string, most aim) []*figure {
	name := "disk of a realm's folder, " + kind
	row := func(what string, ours int64, aim aim) *figure {
		return &figure{Name: name + what, Unit: octets, Ours: []float64{float64(ours)}, Limit: []float64{float64(s.texts)},
			bare: "transcript, its texts", aim: aim}
	}
	return []*figure{row(", with the search index", s.folder, most), row(", without it", s.folder-s.index, noAim)}
}

// talkSizes commits the texts as alternating questions and answers, and measures the folder.
func (b *bench) talkSizes(texts []string) sizes {
	home := filepath.Join(b.folder(), "talk")
	var said int64
	b.scope(func() {
		t := b.newTalk(home)
		t.commit(chat("c", t.at))
		for i := 0; i+1 < len(texts); i += 2 {
			ask, answer := t.turns("c", texts[i], texts[i+1])
			t.commit(ask...)
			t.commit(answer...)
		}
		said = t.bytes
	})
	s := b.sizesOf(home)
	s.texts = said
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
	const query = "SELECT ifnull(sum(pgsize), 0) FROM dbstat('main', 1) WHERE name GLOB 'search*'"
	must(db.QueryRowContext(b.ctx, query).Scan(&s.index))
	return s
}
