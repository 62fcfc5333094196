package journal_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"agentdungeon/server/soak"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// anyText returns a text of any length and kind: words, code, noise, NULs.
func anyText(rnd *rand.Rand, most int) string {
	n := rnd.IntN(most + 1)
	switch rnd.IntN(5) {
	case 0:
		return strings.Repeat("the lamp is lit; ", n/17+1)[:n]
	case 1:
		return strings.ToValidUTF8(string(noise(rnd, n)), "\ufffd")
	case 2:
		return strings.Repeat("\x00é\U0001f409", n/7)
	}
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "\tif v%d := f(%d); v%d > 0 {\n", rnd.IntN(9), rnd.IntN(1000), rnd.IntN(9))
	}
	return b.String()
}

func noise(rnd *rand.Rand, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(rnd.Uint32())
	}
	return out
}

// Any text is read byte for byte as it was written, packed or not. A packed text is shorter.
func TestTextsRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 14))
	packed := 0
	texts := soak.Cases(2000, 400)
	for i := range texts {
		most := 5000
		if i%100 == 0 {
			most = world.MaxMessageText + 10
		}
		text := anyText(rnd, most)
		content, p := tables.PackText(text)
		raw, isPacked := p.([]byte)
		if isPacked {
			packed++
			if content != "" || len(raw) >= len(text) || len(text) < tables.PackFrom {
				t.Fatalf("%d bytes packed to %d beside %d", len(text), len(raw), len(content))
			}
		}
		got, err := tables.UnpackText("m", content, raw)
		if err != nil || got != text {
			t.Fatalf("a text of %d bytes comes back as %d: %v", len(text), len(got), err)
		}
	}
	if packed < texts/4 {
		t.Fatalf("only %d of %d were packed", packed, texts)
	}
}

// Bytes that this program did not pack, or that are damaged, are an error that names the row, and take no more
// memory than a text may have.
func FuzzUnpackText(f *testing.F) {
	_, good := tables.PackText(strings.Repeat("a lamp and a door. ", 200))
	f.Add(good.([]byte))
	f.Add([]byte{})
	f.Add(tables.Packing.Texts.EncodeAll(make([]byte, 64<<20), nil)) // 64 MB of nothing in 6 KB
	f.Add(tables.Packing.Texts.EncodeAll(nil, nil))
	f.Fuzz(func(t *testing.T, packed []byte) {
		text, err := tables.UnpackText("row-1", "", bytes.Clone(packed))
		if len(text) > world.MaxMessageText {
			t.Fatalf("%d bytes came out", len(text))
		}
		if err != nil && (!errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), "row-1")) {
			t.Fatal(err)
		}
	})
}

func TestUnpackIsBounded(t *testing.T) {
	bomb := tables.Packing.Texts.EncodeAll(make([]byte, 64<<20), nil)
	if _, err := tables.UnpackText("row-1", "", bomb); !errors.Is(err, disk.ErrCorrupt) {
		t.Fatalf("%v", err)
	}
}

// A long text is packed when its row is closed. Packed or not, it is shown, found and read as it was written.
func TestLongTextsLiePacked(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	answer := strings.Repeat("the portcullis is down, the drawbridge is up. ", 100)
	output := strings.Repeat("main.go:7: a lantern\n", 200)
	kept := func(id string) (plain int, packed int) {
		var p []byte
		var text string
		storetest.Must(t, sqlite.One(t.Context(), r.O.Journal.Writer(), []any{&text, &p}, "SELECT content, packed FROM messages WHERE message_id = ?", id))
		return len(text), len(p)
	}
	r.Commit(
		&world.SegmentClosed{ConversationID: "c1", RequestID: "t3", Reason: world.ClosedByTool, Message: world.Message{
			MessageID: "m4", ConversationID: "c1", RequestID: "t3", Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", StageID: "one",
			Content: answer, Status: world.MessageDone, At: 20}},
		&world.ToolStart{ConversationID: "c1", RequestID: "t3", MessageID: "tool", MemberID: "bard", MemberName: "Bard", Name: "look", Input: "{}"},
	)
	r.Commit(&world.ToolOutput{ConversationID: "c1", RequestID: "t3", MessageID: "tool", Text: output})
	if plain, packed := kept("tool"); plain != len(output) || packed > 0 {
		t.Fatalf("an open row: %d bytes and %d", plain, packed)
	}
	r.Commit(&world.ToolEnd{ConversationID: "c1", RequestID: "t3", MessageID: "tool", OK: true, Output: output + "end"})
	for id, text := range map[string]string{"m4": answer, "tool": output + "end"} {
		if plain, packed := kept(id); plain > 0 || packed == 0 || packed > len(text)/4 {
			t.Fatalf("%s: %d bytes and %d", id, plain, packed)
		}
	}
	for range 2 {
		if got := storetest.ReadAll(t, r.O.Journal, 0); len(got) != len(r.Frames) || !bytes.Equal(bytes.Join(got, nil), bytes.Join(r.Frames, nil)) {
			t.Fatal("the frames differ")
		}
		rows, _, err := r.O.Journal.Rows(t.Context(), "c1", "", 0, 2)
		if err != nil || rows[0].Content != answer || rows[1].Content != output+"end" {
			t.Fatalf("%v, %d rows", err, len(rows))
		}
		hits, err := r.O.Journal.Search(t.Context(), world.SearchQuery{Words: "drawbridge"})
		if err != nil || len(hits) != 1 || len(hits[0].Parts) < 2 {
			t.Fatalf("%v, %+v", err, hits)
		}
		storetest.CheckIndex(t, r.O.Journal)
		r.Close()
		r.Open()
	}
}

// A damaged text loses one row: reading the row reports the damage, and the realm and the other rows work,
// even after the index is rebuilt.
func TestDamagedTextIsOneRows(t *testing.T) { // S3-17
	r := storetest.NewRig(t)
	r.Tell()
	for i := range 5 {
		r.Commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: fmt.Sprint("n", i), ConversationID: "c1", Role: world.RoleSystem,
			Content: fmt.Sprint("row", i, strings.Repeat(" and the old tower stands", 90)), Status: world.MessageDone, At: r.At}})
	}
	r.Checkpoint()
	r.Close()
	k := &storetest.KilledRig{Dir: r.Dir}
	k.SQL(t, "UPDATE messages SET packed = CAST(x'28b52ffd' || substr(packed, 5, 9) || zeroblob(20) AS BLOB) WHERE message_id = 'n3'",
		"INSERT INTO meta (key, value) VALUES ('search', 'broken')")
	o := storetest.MustOpen(t, k.Dir)
	if res := o.Saved.Restored; res == nil || res.TranscriptsLost || len(res.SetAside) > 0 {
		t.Fatalf("restored %+v", res)
	}
	if len(o.Warnings) < 2 || !strings.Contains(errors.Join(o.Warnings...).Error(), "n3") {
		t.Fatalf("warnings %v", o.Warnings)
	}
	rows, _, err := o.Journal.Rows(t.Context(), "c1", "", 0, 10)
	storetest.Must(t, err)
	for _, m := range rows {
		if m.Damaged != (m.MessageID == "n3") || m.Damaged && m.Content != "" {
			t.Fatalf("row %s: damaged %t, %q", m.MessageID, m.Damaged, m.Content)
		}
	}
	var seq int64
	storetest.Must(t, sqlite.One(t.Context(), o.Journal.Writer(), []any{&seq}, "SELECT seq FROM messages WHERE message_id = 'n3'"))
	if _, err := o.Journal.Read(t.Context(), seq-1, 1); !errors.Is(err, disk.ErrCorrupt) || !strings.Contains(err.Error(), storetest.Itoa(seq)) {
		t.Fatalf("read: %v", err)
	}
	if frames, err := o.Journal.Read(t.Context(), seq, 10); err != nil || !bytes.Equal(frames[0].Bytes, r.Frames[seq]) {
		t.Fatalf("read behind it: %v", err)
	}
	if got := storetest.Searched(t, o.Journal, "row4"); len(got) != 1 {
		t.Fatalf("found %v", got)
	}
}

// A row is removed from the index with the text that it had, and no word of it stays.
func TestUnindex(t *testing.T) {
	r := storetest.NewRig(t)
	r.Tell()
	secret := strings.Repeat("the password is xyzzyplugh today ", 3000) // longer than the part of a row that is indexed
	r.Commit(&world.MessageAdded{ConversationID: "c1", Message: world.Message{MessageID: "s", ConversationID: "c1", Role: world.RoleSystem, Content: secret, Status: world.MessageDone, At: r.At}})
	j := r.O.Journal
	storetest.Must(t, j.Write("test", func() error {
		rows, err := j.Writer().Row("s")
		if err == nil {
			err = j.Writer().UnindexRow(&rows[0])
		}
		if err == nil {
			_, err = j.Writer().Exec("DELETE FROM messages WHERE message_id = 's'")
		}
		return err
	}))
	storetest.CheckIndex(t, j)
	r.Close()
	db, err := sqlite.Open(t.Context(), (*r.O.Journal.PathRef()), sqlite.ModeRead, 1)
	storetest.Must(t, err)
	blocks, err := sqlite.Collect(t.Context(), db, func(rows *sql.Rows) (b []byte, err error) {
		err = rows.Scan(&b)
		return b, err
	}, "SELECT block FROM search_data")
	storetest.Must(t, errors.Join(err, db.Close()))
	for _, b := range blocks {
		if bytes.Contains(b, []byte("zyplugh")) {
			t.Fatal("the index keeps a word of it")
		}
	}
}
