package store

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

	"agentdungeon/shared/world"
)

// talkRig is a killed realm with three conversations, rows short and long, runs, tools, blocks
// of events and a log: what a salvage has to do with.
func talkRig(t testing.TB, rows int) *killedRig {
	t.Helper()
	r := newRig(t)
	r.tell()
	for _, id := range []string{"chat1", "chat2"} {
		r.commit(&world.ConversationStarted{Conversation: world.Conversation{ConversationID: id, Kind: world.KindChat, Title: "About " + id, Status: world.ConversationActive,
			CreatedAt: r.at, UpdatedAt: r.at, Team: world.Team{ID: id, Name: id, Members: []world.Member{{ID: "bard", Name: "Bard", DisplayName: "Bard", Type: world.KindAgent}}}}})
	}
	for i := range rows {
		id, talk, req := fmt.Sprintf("row%d", i), []string{"chat1", "chat2"}[i%2], fmt.Sprintf("q%d", i)
		text := fmt.Sprintf("word%d ", i) + strings.Repeat(fmt.Sprintf("the old tower %d stands ", i), 1+i%70)
		r.commit(&world.ChatStarted{ConversationID: talk, RequestID: req, MemberID: "bard", Instance: "bard#1", Status: world.RunRunning,
			Message: &world.Message{MessageID: "ask" + id, ConversationID: talk, RequestID: req, Role: world.RoleUser, Name: "Ada", SpectatorID: "s1", Content: "why " + text, Status: world.MessageDone, At: r.at}},
			&world.SegmentStarted{ConversationID: talk, RequestID: req, MessageID: id, MemberID: "bard", Name: "Bard"})
		r.commit(&world.SegmentClosed{ConversationID: talk, RequestID: req, Reason: world.ClosedByDone, Message: world.Message{
			MessageID: id, ConversationID: talk, RequestID: req, Role: world.RoleAssistant, MemberID: "bard", Name: "Bard", Content: text, Status: world.MessageDone, At: r.at}},
			&world.ChatDone{ConversationID: talk, RequestID: req, MemberID: "bard"})
		switch i {
		case rows / 3:
			r.checkpoint()
			r.packAll(20, 10)
			r.packLimits(1000, 1000) // nothing is under way when it is killed
		case rows / 2:
			must(t, r.o.Journal.w.emptyLog())
		case 2 * rows / 3:
			r.checkpoint()
		}
	}
	k := &killedRig{r: r, worlds: map[int64]string{}}
	k.dir = r.killed()
	return k
}

// readByRowid is the independent reader of the rule: every row of messages that SQLite gives by its
// number, one by one, past whatever cannot be read. The texts are as they lie there.
func readByRowid(t testing.TB, dir string, last int64) map[string]string {
	t.Helper()
	copied := t.TempDir() + "/copy"
	copyDir(t, dir, copied)
	db, err := sql.Open(sqliteDriver, "file:"+copied+"/"+JournalFile+"?mode=ro")
	must(t, err)
	defer db.Close()
	out := map[string]string{}
	for seq := int64(0); seq <= last; seq++ {
		var id, talk, content string
		var packed []byte
		if err := db.QueryRow("SELECT message_id, conversation_id, content, packed FROM messages WHERE seq = ?", seq).Scan(&id, &talk, &content, &packed); err != nil {
			continue
		}
		if packed != nil {
			if content, err = unpackText(id, content, packed); err != nil {
				content = ""
			}
		}
		out[talk+"/"+id] = content
	}
	return out
}

// shownRows are all rows of all conversations as an opened realm gives them.
func shownRows(t testing.TB, o *OpenedRealm) (shown map[string]string, damaged int) {
	t.Helper()
	shown = map[string]string{}
	heads, more, err := o.Journal.Conversations(t.Context(), world.ConversationQuery{Limit: 200})
	if err != nil || more {
		t.Fatal(more, err)
	}
	for _, c := range heads {
		for before := int64(0); ; {
			rows, more, err := o.Journal.Rows(t.Context(), c.ConversationID, "", before, 1000)
			must(t, err)
			for _, m := range rows {
				shown[c.ConversationID+"/"+m.MessageID] = m.Content
				if m.Damaged {
					damaged++
				}
			}
			if !more {
				break
			}
			before = rows[0].Seq
		}
	}
	return shown, damaged
}

// holdsRows is the rule: what can be read of the damaged files is shown, with its text.
func holdsRows(t testing.TB, what string, want map[string]string, o *OpenedRealm) {
	t.Helper()
	shown, _ := shownRows(t, o)
	for id, text := range want {
		is, there := shown[id]
		if !there || is != strings.ToValidUTF8(text, "\uFFFD") {
			t.Fatalf("%s: row %s can be read and is not shown (%t): %.60q, want %.60q; %+v", what, id, there, is, text, o.Saved.Restored.Salvage)
		}
	}
}

// Every page of the database is lost in turn, to zeros, to garbage and to a turned bit: what
// can still be read is shown, the realm goes on, and what is lost is counted.
func TestSalvageEveryPage(t *testing.T) { // S3-17
	whole := talkRig(t, 60)
	whole.sql(t, "PRAGMA wal_checkpoint(TRUNCATE)")
	db, err := os.ReadFile(whole.path(JournalFile))
	must(t, err)
	all := readByRowid(t, whole.dir, whole.r.w.Tick)
	if len(all) < 120 {
		t.Fatalf("%d rows", len(all))
	}
	state, err := OpenFiles(afero.NewOsFs(), whole.dir).LoadCheckpoint(StateFile)
	must(t, err)
	pages := len(db) / 4096
	salvaged, tried := 0, 0
	for page := range pages {
		if thinned(page, pages) {
			continue
		}
		for _, how := range []string{"zeros", "garbage", "bit"} {
			tried++
			k := whole.copy(t)
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
			k.write(t, JournalFile, raw)
			want := readByRowid(t, k.dir, k.r.w.Tick)
			o := mustOpen(t, k.dir)
			what := fmt.Sprintf("page %d, %s", page+1, how)
			holdsRows(t, what, want, o)
			if o.Saved.Head < state.Seq || o.Saved.Restored.Salvage == nil && o.Saved.Head != k.r.w.Tick {
				t.Fatalf("%s: head %d, of %d", what, o.Saved.Head, k.r.w.Tick)
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

// goesOn commits on a realm, and opens it once more: the same, and nothing is set aside.
func goesOn(t testing.TB, k *killedRig, o *OpenedRealm) {
	t.Helper()
	r := &rig{t: t, dir: k.dir, o: o, w: o.Saved.World.Clone(), at: max(o.Saved.LastAt, k.r.at)}
	if o.Saved.World.Tick == 0 {
		r.commit(tale()[0]...)
	}
	r.commit(o.Saved.Restored)
	rows, damaged := shownRows(t, o)
	r.close()
	aside := asideNames(t, k.dir)
	again := mustOpen(t, k.dir)
	sameJSON(t, "world after", again.Saved.World, r.w)
	shown, still := shownRows(t, again)
	if !maps.Equal(shown, rows) || still != damaged {
		t.Fatalf("the second opening shows %d rows, %d damaged; the first %d and %d", len(shown), still, len(rows), damaged)
	}
	if now := asideNames(t, k.dir); !slices.Equal(now, aside) || again.Saved.Restored.Salvage != nil || again.Saved.World.Salvage == nil != (o.Saved.Restored.Salvage == nil) {
		t.Fatalf("the second opening: %+v, %v after %v", again.Saved.Restored, now, aside)
	}
	must(t, again.Journal.Close())
}

// A destroyed first page, or page of the schema, costs no row: where the tables begin is known.
// A journal that lies otherwise gives nothing rather than nonsense.
func TestSalvageWithoutSchema(t *testing.T) { // S3-17
	whole := talkRig(t, 60)
	all := readByRowid(t, whole.dir, whole.r.w.Tick)
	whole.sql(t, "PRAGMA wal_checkpoint(TRUNCATE)")
	db, err := os.ReadFile(whole.path(JournalFile))
	must(t, err)
	for name, damage := range map[string]func(page []byte){
		"zeros":                   func(page []byte) { clear(page) },
		"garbage":                 func(page []byte) { copy(page, strings.Repeat("garbage ", 512)) },
		"one bit of the header":   func(page []byte) { page[3] ^= 8 },
		"one bit of the page":     func(page []byte) { page[100] ^= 1 },
		"one bit of the children": func(page []byte) { page[111] ^= 64 },
	} {
		k := whole.copy(t)
		raw := slices.Clone(db)
		damage(raw[:4096])
		k.write(t, JournalFile, raw)
		o := mustOpen(t, k.dir)
		holdsRows(t, name, all, o)
		if s := o.Saved.Restored.Salvage; o.Saved.Head != k.r.w.Tick || s == nil || s.Events != s.EventsKnown || s.Messages != s.MessagesKnown {
			t.Fatalf("%s: head %d of %d, %+v", name, o.Saved.Head, k.r.w.Tick, s)
		}
		goesOn(t, k, o)
	}
	for version := 1; version < journalSchema; version++ {
		dir, frames := realmOf(t, version)
		k := &killedRig{dir: dir}
		raw, err := os.ReadFile(k.path(JournalFile))
		must(t, err)
		clear(raw[:4096])
		k.write(t, JournalFile, raw)
		k.write(t, JournalFile+"-wal", nil)
		o := mustOpen(t, dir)
		shown, _ := shownRows(t, o)
		m := modelOfEarlier(t, frames)
		for id := range shown {
			talk, row, _ := strings.Cut(id, "/")
			if !slices.ContainsFunc(m.rows[talk], func(r world.Message) bool { return r.MessageID == row }) {
				t.Fatalf("schema %d: row %s was never there", version, id)
			}
		}
	}
}

// The log is cut at many places, or gone: what was moved before and what is left of it is
// shown, together with what state.json holds.
func TestSalvageCutLog(t *testing.T) { // S3-17
	whole := talkRig(t, 60)
	log, err := os.ReadFile(whole.path(JournalFile + "-wal"))
	must(t, err)
	state, err := OpenFiles(afero.NewOsFs(), whole.dir).LoadCheckpoint(StateFile)
	must(t, err)
	if len(log) < 20*4096 || state.Messages < 60 {
		t.Fatalf("a log of %d bytes, a checkpoint with %d rows", len(log), state.Messages)
	}
	for i := range 24 {
		if thinned(i, 24) {
			continue
		}
		k := whole.copy(t)
		if cut := len(log) * i / 23; i == 0 {
			k.remove(t, JournalFile+"-wal")
		} else {
			k.write(t, JournalFile+"-wal", log[:cut])
		}
		want := readByRowid(t, k.dir, k.r.w.Tick)
		o := mustOpen(t, k.dir)
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

// A salvage that ends half way, wherever, is ended by the next opening, or begun again: the
// rows are all there, and the damaged files too.
func TestSalvageCutShort(t *testing.T) { // B10
	whole := talkRig(t, 20)
	whole.sql(t, "UPDATE journal SET frame = CAST(x'00' || substr(frame, 2) AS BLOB) WHERE seq = (SELECT max(seq) - 2 FROM journal)")
	want := readByRowid(t, whole.dir, whole.r.w.Tick)
	const all = 1 << 30
	try := func(changes, statements int) bool {
		k := whole.copy(t)
		hit := cutShort(t, k.dir, changes, statements)
		o := mustOpen(t, k.dir)
		what := fmt.Sprintf("after a cut at %d, %d", changes, statements)
		holdsRows(t, what, want, o)
		aside := asideNames(t, k.dir)
		if s := o.Saved.Restored.Salvage; s == nil || s.Events != s.EventsKnown-1 || len(aside) == 0 || !slices.Contains(o.Saved.Restored.SetAside, aside[0]) {
			t.Fatalf("%s: %+v, aside %v", what, o.Saved.Restored, aside)
		}
		must(t, o.Journal.Close())
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

// Rows of an older version that tidying has not read yet are whole, also after a salvage.
func TestSalvageBeforeTidying(t *testing.T) { // S1-20
	for version := 1; version < journalSchema; version++ {
		dir, frames := realmOf(t, version)
		must(t, migrate(sqliteDriver, dir+"/"+JournalFile, version))
		k := &killedRig{dir: dir}
		k.sql(t, "UPDATE journal SET frame = CAST(x'00' AS BLOB) WHERE seq = (SELECT max(seq) - 1 FROM journal)", "DELETE FROM bases")
		k.remove(t, StateFile)
		o := mustOpen(t, dir)
		if s := o.Saved.World.Salvage; s == nil || s.Events != s.EventsKnown-1 {
			t.Fatalf("schema %d: %+v", version, s)
		}
		m := modelOfEarlier(t, frames)
		rows := 0
		for _, list := range m.rows {
			rows += len(list)
		}
		if shown, damaged := shownRows(t, o); len(shown) != rows || damaged > 0 {
			t.Errorf("schema %d: %d of %d rows, %d shown as damaged", version, len(shown), rows, damaged)
		}
	}
}

// A second salvage, of a database that is gone, does not forget what the first has lost.
func TestSalvageIsRemembered(t *testing.T) { // S3-17
	k := talkRig(t, 20)
	k.sql(t, "DELETE FROM journal WHERE seq = (SELECT max(seq) - 3 FROM journal)")
	o := mustOpen(t, k.dir)
	first := o.Saved.World.Salvage
	if first == nil || first.Events != first.EventsKnown-1 {
		t.Fatalf("the first: %+v", first)
	}
	goesOn(t, k, o)
	k.remove(t, allDB...)
	if again := mustOpen(t, k.dir).Saved.World.Salvage; again == nil || again.Events != first.Events {
		t.Fatalf("then: %+v", again)
	}
}

// What was erased does not come back by a salvage, although its events are still there.
func TestSalvageBringsNothingErasedBack(t *testing.T) { // S1-19
	r := newRig(t)
	r.tell()
	say := func(talk string) {
		r.commit(&world.ConversationStarted{Conversation: world.Conversation{ConversationID: talk, Kind: world.KindChat, Title: talk, Status: world.ConversationActive, CreatedAt: r.at, UpdatedAt: r.at, Team: world.Team{Members: []world.Member{}}}})
		r.commit(&world.MessageAdded{ConversationID: talk, Message: world.Message{MessageID: "of-" + talk, ConversationID: talk, Role: world.RoleSystem, Content: "secret of " + talk, Status: world.MessageDone, At: r.at}})
	}
	say("gone")
	say("stays")
	j := r.o.Journal
	e := world.Erasure{ErasureID: "e", Conversations: []string{"gone"}, Reason: world.ErasedOnRequest, At: r.at}
	must(t, j.IntendErasure(e))
	scope, err := j.ScopeErasure(t.Context(), e, nil, false)
	must(t, err)
	r.commit(&world.HistoryErased{ErasureID: "e", ConversationID: "gone", Reason: e.Reason, Conversations: scope.Talks})
	_, err = j.Redact(t.Context(), "e")
	must(t, err)
	_, err = j.EndErasure(t.Context(), e, world.Receipt{ErasureID: "e"}, time.Now)
	must(t, err)
	r.checkpoint()
	r.close()
	k := &killedRig{dir: r.dir, r: r}
	k.sql(t, "UPDATE journal SET frame = CAST(x'00' AS BLOB) WHERE seq = 2", "DELETE FROM journal WHERE seq = 3")
	o := mustOpen(t, k.dir)
	if o.Saved.Restored.Salvage == nil {
		t.Fatalf("no salvage: %+v", o.Saved.Restored)
	}
	shown, _ := shownRows(t, o)
	if _, back := shown["gone/of-gone"]; back || shown["stays/of-stays"] != "secret of stays" {
		t.Fatalf("shown are %v", shown)
	}
	if heads, _, err := o.Journal.Conversations(t.Context(), world.ConversationQuery{}); err != nil || slices.ContainsFunc(heads, func(c world.ConversationInfo) bool { return c.ConversationID == "gone" }) {
		t.Fatal("its head is back", err)
	}
}
