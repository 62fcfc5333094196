package recovery_test

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/server/soak"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// talkRig returns a killed realm with three conversations, short and long rows, runs, tools, blocks of events
// and a log.
func talkRig(t testing.TB, rows int) *storetest.KilledRig {
	t.Helper()
	r := storetest.NewRig(t)
	r.Tell()
	for _, id := range []string{"chat1", "chat2"} {
		r.Commit(&world.ConversationStarted{Conversation: world.Conversation{ConversationID: id, Kind: world.KindChat, Title: "About " + id, Status: world.ConversationActive,
			CreatedAt: r.At, UpdatedAt: r.At, Team: world.Team{ID: id, Name: id, Members: []world.Member{{ID: "bard", Name: "Bard", DisplayName: "Bard", Type: world.KindAgent}}}}})
	}
	for i := range rows {
		id, talk, req := fmt.Sprintf("row%d", i), []string{"chat1", "chat2"}[i%2], fmt.Sprintf("q%d", i)
		text := fmt.Sprintf("word%d ", i) + strings.Repeat(fmt.Sprintf("the old tower %d stands ", i), 1+i%70)
		r.Commit(&world.ChatStarted{ConversationID: talk, RequestID: req, MemberID: "bard", Instance: "bard#1", Status: world.RunRunning,
			Message: &world.Message{MessageID: "ask" + id, ConversationID: talk, RequestID: req, Role: world.RoleUser, Name: "Ada", SpectatorID: "s1", Content: "why " + text, Status: world.MessageDone, At: r.At}},
			&world.SegmentStarted{ConversationID: talk, RequestID: req, MessageID: id, MemberID: "bard", Name: "Bard"})
		r.Commit(&world.SegmentClosed{ConversationID: talk, RequestID: req, Reason: world.ClosedByDone, Message: world.Message{
			MessageID: id, ConversationID: talk, RequestID: req, Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", Content: text, Status: world.MessageDone, At: r.At}},
			&world.ChatDone{ConversationID: talk, RequestID: req, MemberID: "bard"})
		switch i {
		case rows / 3:
			r.Checkpoint()
			r.PackAll(20, 10)
		case rows / 2:
			storetest.Must(t, r.O.Journal.EmptyLog(t.Context()))
		case 2 * rows / 3:
			r.Checkpoint()
		}
	}
	k := &storetest.KilledRig{R: r, Worlds: map[int64]string{}}
	k.Dir = r.Killed()
	return k
}

// readByRowid reads every row of messages that SQLite can read by its number, one by one. It returns the stored
// texts.
func readByRowid(t testing.TB, dir string, last int64) map[string]string {
	t.Helper()
	copied := t.TempDir() + "/copy"
	storetest.CopyDir(t, dir, copied)
	db, err := sql.Open(sqlite.Driver, "file:"+copied+"/"+sqlite.JournalFile+"?mode=ro")
	storetest.Must(t, err)
	defer db.Close()
	out := map[string]string{}
	for seq := int64(0); seq <= last; seq++ {
		var id, talk, content string
		var packed []byte
		if err := db.QueryRow("SELECT message_id, conversation_id, content, packed FROM messages WHERE seq = ?", seq).Scan(&id, &talk, &content, &packed); err != nil {
			continue
		}
		if packed != nil {
			if content, err = tables.UnpackText(id, content, packed); err != nil {
				content = ""
			}
		}
		out[talk+"/"+id] = content
	}
	return out
}

// holdsRows fails the test unless each row in want is shown with its text.
func holdsRows(t testing.TB, what string, want map[string]string, o *recovery.Opened) {
	t.Helper()
	shown, _ := storetest.ShownRows(t, o)
	for id, text := range want {
		is, there := shown[id]
		if !there || is != strings.ToValidUTF8(text, "\uFFFD") {
			t.Fatalf("%s: row %s can be read and is not shown (%t): %.60q, want %.60q; %+v", what, id, there, is, text, o.Saved.Restored.Salvage)
		}
	}
}

// Each page of the database is lost in turn, to zeros, to garbage or to a flipped bit: rows that can still be
// read are shown, the realm continues, and losses are counted.
func TestSalvageEveryPage(t *testing.T) { // S3-17
	whole := talkRig(t, 60)
	whole.SQL(t, "PRAGMA wal_checkpoint(TRUNCATE)")
	db, err := os.ReadFile(whole.Path(sqlite.JournalFile))
	storetest.Must(t, err)
	all := readByRowid(t, whole.Dir, whole.R.W.Tick)
	if len(all) < 120 {
		t.Fatalf("%d rows", len(all))
	}
	state, err := files.OpenRealm(afero.NewOsFs(), whole.Dir).LoadCheckpoint(files.StateFile)
	storetest.Must(t, err)
	pages := len(db) / 4096
	salvaged, tried, sampled := 0, 0, 0
	for page := range pages {
		if soak.Skips(page, pages) {
			continue
		}
		sampled++
		for i, how := range []string{"zeros", "garbage", "bit"} {
			// The first page, on which every other depends, is damaged in each way; of the sample, each page in one way.
			if !soak.Whole() && page > 0 && i != sampled%3 {
				continue
			}
			tried++
			k := whole.Copy(t)
			raw := slices.Clone(db)
			at := raw[page*4096 : (page+1)*4096]
			switch how {
			case "zeros":
				clear(at)
			case "garbage":
				for i := range at {
					at[i] = byte(i*7 + page)
				}
			case "bit":
				at[(page*131)%4096] ^= 1 << (page % 8)
			}
			k.Write(t, sqlite.JournalFile, raw)
			want := readByRowid(t, k.Dir, k.R.W.Tick)
			o := storetest.MustOpen(t, k.Dir)
			what := fmt.Sprintf("page %d, %s", page+1, how)
			holdsRows(t, what, want, o)
			if o.Saved.Head < state.Seq || o.Saved.Restored.Salvage == nil && o.Saved.Head != k.R.W.Tick {
				t.Fatalf("%s: head %d, of %d", what, o.Saved.Head, k.R.W.Tick)
			}
			if s := o.Saved.Restored.Salvage; s != nil {
				salvaged++
				if s.Messages > s.MessagesKnown || s.Events > s.EventsKnown || int(s.Messages) < len(want) || s.EventsKnown != o.Saved.Head || len(s.SetAside) == 0 {
					t.Fatalf("%s: %d rows can be read: %+v", what, len(want), s)
				}
			}
			goesOn(t, k, o)
		}
	}
	if salvaged < tried/3 {
		t.Errorf("only %d of %d led to a salvage", salvaged, tried)
	}
}

// goesOn commits on a realm and opens it again: the second opening shows the same rows and sets nothing aside.
func goesOn(t testing.TB, k *storetest.KilledRig, o *recovery.Opened) {
	t.Helper()
	r := &storetest.Rig{T: t, Dir: k.Dir, O: o, W: o.Saved.World.Clone(), At: max(o.Saved.LastAt, k.R.At)}
	if o.Saved.World.Tick == 0 {
		r.Commit(storetest.Tale()[0]...)
	}
	r.Commit(o.Saved.Restored)
	rows, damaged := storetest.ShownRows(t, o)
	r.Close()
	aside := storetest.AsideNames(t, k.Dir)
	again := storetest.MustOpen(t, k.Dir)
	storetest.SameJSON(t, "world after", again.Saved.World, r.W)
	shown, still := storetest.ShownRows(t, again)
	if !maps.Equal(shown, rows) || still != damaged {
		t.Fatalf("the second opening shows %d rows, %d damaged; the first %d and %d", len(shown), still, len(rows), damaged)
	}
	if now := storetest.AsideNames(t, k.Dir); !slices.Equal(now, aside) || again.Saved.Restored.Salvage != nil || again.Saved.World.Salvage == nil != (o.Saved.Restored.Salvage == nil) {
		t.Fatalf("the second opening: %+v, %v after %v", again.Saved.Restored, now, aside)
	}
	storetest.Must(t, again.Journal.Close())
}

// A destroyed first page, or page of the schema, loses no row, because a new journal has its tables at the same
// pages. A journal with its tables elsewhere yields no rows instead of wrong ones.
func TestSalvageWithoutSchema(t *testing.T) { // S3-17
	whole := talkRig(t, 60)
	all := readByRowid(t, whole.Dir, whole.R.W.Tick)
	whole.SQL(t, "PRAGMA wal_checkpoint(TRUNCATE)")
	db, err := os.ReadFile(whole.Path(sqlite.JournalFile))
	storetest.Must(t, err)
	for name, damage := range map[string]func(page []byte){
		"zeros":                   func(page []byte) { clear(page) },
		"garbage":                 func(page []byte) { copy(page, strings.Repeat("garbage ", 512)) },
		"one bit of the header":   func(page []byte) { page[3] ^= 8 },
		"one bit of the page":     func(page []byte) { page[100] ^= 1 },
		"one bit of the children": func(page []byte) { page[111] ^= 64 },
	} {
		k := whole.Copy(t)
		raw := slices.Clone(db)
		damage(raw[:4096])
		k.Write(t, sqlite.JournalFile, raw)
		o := storetest.MustOpen(t, k.Dir)
		holdsRows(t, name, all, o)
		if s := o.Saved.Restored.Salvage; o.Saved.Head != k.R.W.Tick || s == nil || s.Events != s.EventsKnown || s.Messages != s.MessagesKnown {
			t.Fatalf("%s: head %d of %d, %+v", name, o.Saved.Head, k.R.W.Tick, s)
		}
		goesOn(t, k, o)
	}
	for version := 1; version < tables.Version; version++ {
		dir, frames := storetest.RealmOf(t, version)
		k := &storetest.KilledRig{Dir: dir}
		raw, err := os.ReadFile(k.Path(sqlite.JournalFile))
		storetest.Must(t, err)
		clear(raw[:4096])
		k.Write(t, sqlite.JournalFile, raw)
		k.Write(t, sqlite.JournalFile+"-wal", nil)
		o := storetest.MustOpen(t, dir)
		shown, _ := storetest.ShownRows(t, o)
		m := storetest.ModelOfEarlier(t, frames)
		for id := range shown {
			talk, row, _ := strings.Cut(id, "/")
			if !slices.ContainsFunc(m.Rows[talk], func(r world.Message) bool { return r.MessageID == row }) {
				t.Fatalf("schema %d: row %s was never there", version, id)
			}
		}
	}
}

// If the log is cut anywhere, or missing, the rows that were moved into the database before and those in the
// rest of the log are shown, and so is what state.json holds.
func TestSalvageCutLog(t *testing.T) { // S3-17
	whole := talkRig(t, 60)
	log, err := os.ReadFile(whole.Path(sqlite.JournalFile + "-wal"))
	storetest.Must(t, err)
	state, err := files.OpenRealm(afero.NewOsFs(), whole.Dir).LoadCheckpoint(files.StateFile)
	storetest.Must(t, err)
	if len(log) < 20*4096 || state.Messages < 60 {
		t.Fatalf("a log of %d bytes, a checkpoint with %d rows", len(log), state.Messages)
	}
	for i := range 24 {
		if soak.Skips(i, 24) {
			continue
		}
		k := whole.Copy(t)
		if cut := len(log) * i / 23; i == 0 {
			k.Remove(t, sqlite.JournalFile+"-wal")
		} else {
			k.Write(t, sqlite.JournalFile+"-wal", log[:cut])
		}
		want := readByRowid(t, k.Dir, k.R.W.Tick)
		o := storetest.MustOpen(t, k.Dir)
		what := fmt.Sprintf("the log cut at %d of 23", i)
		if len(want) < 60 {
			t.Fatalf("%s: only %d rows to be read", what, len(want))
		}
		holdsRows(t, what, want, o)
		if o.Saved.Head < state.Seq {
			t.Fatalf("%s: head %d, state.json is at %d", what, o.Saved.Head, state.Seq)
		}
		s := o.Saved.Restored.Salvage
		if len(want) < int(state.Messages) && (s == nil || s.MessagesKnown < state.Messages || !o.Saved.Restored.TranscriptsLost) {
			t.Fatalf("%s: %d of %d rows: %+v, %+v", what, len(want), state.Messages, o.Saved.Restored, s)
		}
		goesOn(t, k, o)
	}
}

// The next opening completes an interrupted salvage, or begins it again: all rows and all damaged files are
// there.
func TestSalvageCutShort(t *testing.T) { // B10
	whole := talkRig(t, 20)
	whole.SQL(t, "UPDATE journal SET frame = CAST(x'00' || substr(frame, 2) AS BLOB) WHERE seq = (SELECT max(seq) - 2 FROM journal)")
	want := readByRowid(t, whole.Dir, whole.R.W.Tick)
	const all = 1 << 30
	try := func(changes, statements int) bool {
		k := whole.Copy(t)
		hit := cutShort(t, k.Dir, changes, statements)
		o := storetest.MustOpen(t, k.Dir)
		what := fmt.Sprintf("after a cut at %d, %d", changes, statements)
		holdsRows(t, what, want, o)
		aside := storetest.AsideNames(t, k.Dir)
		if s := o.Saved.Restored.Salvage; s == nil || s.Events != s.EventsKnown-1 || len(aside) == 0 || !slices.Contains(o.Saved.Restored.SetAside, aside[0]) {
			t.Fatalf("%s: %+v, aside %v", what, o.Saved.Restored, aside)
		}
		storetest.Must(t, o.Journal.Close())
		return hit
	}
	n := 0
	for try(n, all) {
		n++
	}
	m := 0
	for step := 23; try(all, m); m += step {
	}
	if n < 4 || m < 100 {
		t.Fatalf("cut only at %d changes and %d statements", n, m)
	}
}

// Rows of an older version without a checksum count as intact, after a salvage too.
func TestSalvageBeforeTidying(t *testing.T) { // S1-20
	for version := 1; version < tables.Version; version++ {
		dir, frames := storetest.RealmOf(t, version)
		storetest.Must(t, tables.Migrate(dir+"/"+sqlite.JournalFile, version))
		k := &storetest.KilledRig{Dir: dir}
		k.SQL(t, "UPDATE journal SET frame = CAST(x'00' AS BLOB) WHERE seq = (SELECT max(seq) - 1 FROM journal)", "DELETE FROM bases")
		k.Remove(t, files.StateFile)
		o := storetest.MustOpen(t, dir)
		if s := o.Saved.World.Salvage; s == nil || s.Events != s.EventsKnown-1 {
			t.Fatalf("schema %d: %+v", version, s)
		}
		m := storetest.ModelOfEarlier(t, frames)
		rows := 0
		for _, list := range m.Rows {
			rows += len(list)
		}
		if shown, damaged := storetest.ShownRows(t, o); len(shown) != rows || damaged > 0 {
			t.Errorf("schema %d: %d of %d rows, %d shown as damaged", version, len(shown), rows, damaged)
		}
	}
}

// After a salvage every client gets a snapshot, even if state.json was at the head: the realm's history has no epoch of
// the damaged journal any more, so no client has a position in it. This is still so after the next opening.
func TestSalvageEndsThePositions(t *testing.T) { // P7.4a
	for _, behind := range []int{0, 3} {
		whole := talkRig(t, 20)
		r := &storetest.Rig{T: t, Dir: whole.Dir}
		r.Open()
		r.Commit(r.O.Saved.Restored)
		r.Checkpoint()
		r.Say(behind)
		was, head := r.O.Saved.Lines, r.W.Tick
		k := &storetest.KilledRig{R: r, Dir: r.Killed()}
		woundedPage(t, k)
		for _, opening := range []string{"the salvage", "the next opening"} {
			o := storetest.MustOpen(t, k.Dir)
			if s := o.Saved.World.Salvage; s == nil || o.Saved.Head != head {
				t.Fatalf("%s, %d events behind: head %d of %d, %+v", opening, behind, o.Saved.Head, head, s)
			}
			for _, l := range o.Saved.Lines {
				if slices.ContainsFunc(was, func(old world.Line) bool { return old.Epoch == l.Epoch }) {
					t.Errorf("%s, %d events behind: the history has the epoch of event %d still", opening, behind, l.FromSeq)
				}
			}
			storetest.Must(t, o.Journal.Close())
		}
		storetest.Must(t, r.O.Journal.Close())
	}
}

// A second salvage, because the database is missing, still reports what the first one has lost.
func TestSalvageIsRemembered(t *testing.T) { // S3-17
	k := talkRig(t, 20)
	k.SQL(t, "DELETE FROM journal WHERE seq = (SELECT max(seq) - 3 FROM journal)")
	o := storetest.MustOpen(t, k.Dir)
	first := o.Saved.World.Salvage
	if first == nil || first.Events != first.EventsKnown-1 {
		t.Fatalf("the first: %+v", first)
	}
	goesOn(t, k, o)
	k.Remove(t, storetest.AllDB...)
	if again := storetest.MustOpen(t, k.Dir).Saved.World.Salvage; again == nil || again.Events != first.Events {
		t.Fatalf("then: %+v", again)
	}
}

// A salvage restores no row and no head of an erased conversation, although the journal still has its events.
func TestSalvageBringsNothingErasedBack(t *testing.T) { // S1-19
	r := storetest.NewRig(t)
	r.Tell()
	say := func(talk string) {
		r.Commit(&world.ConversationStarted{Conversation: world.Conversation{ConversationID: talk, Kind: world.KindChat, Title: talk, Status: world.ConversationActive, CreatedAt: r.At, UpdatedAt: r.At, Team: world.Team{Members: []world.Member{}}}})
		r.Commit(&world.MessageAdded{ConversationID: talk, Message: world.Message{MessageID: "of-" + talk, ConversationID: talk, Role: world.RoleSystem, Content: "secret of " + talk, Status: world.MessageDone, At: r.At}})
	}
	say("gone")
	say("stays")
	e := world.Erasure{ErasureID: "e", Conversations: []string{"gone"}, Reason: world.ErasedOnRequest, At: r.At}
	storetest.Must(t, r.O.Eraser.IntendErasure(e))
	scope, err := r.O.Eraser.ScopeErasure(t.Context(), e, nil, false)
	storetest.Must(t, err)
	r.Commit(&world.HistoryErased{ErasureID: "e", ConversationID: "gone", Reason: e.Reason, Conversations: scope.Conversations})
	_, err = r.O.Eraser.Redact(t.Context(), "e")
	storetest.Must(t, err)
	_, err = r.O.Eraser.EndErasure(t.Context(), e, world.Receipt{ErasureID: "e"}, time.Now)
	storetest.Must(t, err)
	r.Checkpoint()
	r.Close()
	k := &storetest.KilledRig{Dir: r.Dir, R: r}
	k.SQL(t, "UPDATE journal SET frame = CAST(x'00' AS BLOB) WHERE seq = 2", "DELETE FROM journal WHERE seq = 3")
	o := storetest.MustOpen(t, k.Dir)
	if o.Saved.Restored.Salvage == nil {
		t.Fatalf("no salvage: %+v", o.Saved.Restored)
	}
	shown, _ := storetest.ShownRows(t, o)
	if _, back := shown["gone/of-gone"]; back || shown["stays/of-stays"] != "secret of stays" {
		t.Fatalf("shown are %v", shown)
	}
	if heads, _, err := o.Journal.Conversations(t.Context(), world.ConversationQuery{}); err != nil || slices.ContainsFunc(heads, func(c world.ConversationInfo) bool { return c.ConversationID == "gone" }) {
		t.Fatal("its head is back", err)
	}
}

// woundedPage overwrites a page of messages.
func woundedPage(t *testing.T, k *storetest.KilledRig) {
	t.Helper()
	i := slices.IndexFunc(wounds, func(w wound) bool { return w.name == "a page" })
	wounds[i].do(t, k)
}

// A salvage that is killed after its commit, while parts of the new journal are only in its log, is begun again:
// the next opening shows every row that the salvage would have shown (S3-17).
func TestSalvageIsKilled(t *testing.T) {
	k := talkRig(t, 30)
	woundedPage(t, k)
	o := storetest.MustOpen(t, k.Copy(t).Dir)
	want, _ := storetest.ShownRows(t, o)
	if o.Saved.Restored.Salvage == nil || len(want) == 0 {
		t.Fatalf("%d rows are shown: %+v", len(want), o.Saved.Restored)
	}
	folders := killsWhile(t, k.Dir, "COMMIT")
	if len(folders) < 10 {
		t.Fatalf("%d moments", len(folders))
	}
	for i, left := range folders {
		o := storetest.MustOpen(t, left)
		if rows, _ := storetest.ShownRows(t, o); !maps.Equal(rows, want) {
			t.Errorf("moment %d: %d rows are shown, want %d", i, len(rows), len(want))
		}
		storetest.Must(t, o.Journal.Close())
	}
}
