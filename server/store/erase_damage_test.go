package store

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/shared/world"
)

// flipIn turns one bit of a file, in the middle of the only place where the bytes lie.
func flipIn(t testing.TB, path string, bytesThere []byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	at := bytes.Index(raw, bytesThere)
	if at < 0 || bytes.Contains(raw[at+1:], bytesThere) {
		t.Fatalf("%q does not lie in one place of %s", clipped(bytesThere), path)
	}
	raw[at+len(bytesThere)/2] ^= 4
	must(t, os.WriteFile(path, raw, 0o600))
}

// flipEvent turns one bit of an event's row in a stopped realm.db, or of the block that it
// lies in.
func (k *killedRig) flipEvent(t testing.TB, seq int64) {
	t.Helper()
	k.flipBlob(t, fmt.Sprintf(`SELECT frame FROM journal WHERE seq = %d
		UNION ALL SELECT substr(events, 1, 60) FROM journal_packs WHERE %d BETWEEN from_seq AND to_seq`, seq, seq))
}

func (k *killedRig) flipBlob(t testing.TB, query string) {
	t.Helper()
	db, err := openSQLite(context.Background(), sqliteDriver, k.path(JournalFile), modePeek, 1)
	must(t, err)
	var blob []byte
	must(t, one(context.Background(), db, []any{&blob}, query))
	must(t, db.Close())
	flipIn(t, k.path(JournalFile), blob)
}

// plantedRig is a closed realm of planted rows, beside state.json; packed: most events lie in
// blocks.
func plantedRig(t testing.TB, rows int, packed bool) *killedRig {
	t.Helper()
	r := newRig(t)
	planted(r, rows)
	if packed {
		r.packAll(9, 3)
	}
	r.checkpoint()
	r.close()
	return &killedRig{dir: r.dir, r: r}
}

// seqOf is the event that said a row.
func seqOf(t testing.TB, k *killedRig, messageID string) int64 {
	t.Helper()
	for i, frame := range k.r.frames {
		if bytes.Contains(frame, []byte(`"messageId":"`+messageID+`"`)) {
			return int64(i + 1)
		}
	}
	t.Fatalf("nobody said %s", messageID)
	return 0
}

// transcriptOf are the texts of a conversation's rows by id.
func transcriptOf(t testing.TB, j *Journal, conversation string) map[string]world.Message {
	t.Helper()
	rows, more, err := j.Rows(context.Background(), conversation, "", 0, 1000)
	must(t, err)
	if more {
		t.Fatal("more rows than one page")
	}
	out := map[string]world.Message{}
	for _, m := range rows {
		out[m.MessageID] = m
	}
	return out
}

// One unreadable event costs that event: whatever is erased, every other conversation stays,
// the words are in no byte of the folder, and there is a receipt that says what could not be
// read (S1-19, S3-17).
func TestErasingWithAnUnreadableEvent(t *testing.T) {
	const rows = 12
	for _, packed := range []bool{false, true} {
		for what, erasure := range map[string]world.Erasure{
			"a chat":     {Conversations: []string{"chat"}, Reason: world.ErasedOnRequest},
			"a person":   {SpectatorID: "p1", Reason: world.ErasedOnRequest},
			"retention":  {Conversations: []string{"chat"}, Reason: world.ErasedByRetention},
			"what stays": {Conversations: []string{"council"}, Reason: world.ErasedOnRequest},
		} {
			for _, hit := range []string{"chat5p1", "council5p1", "council5p2", "a5"} {
				for _, cut := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, packed %t, %s, cut short %t", what, packed, hit, cut), func(t *testing.T) {
						t.Parallel()
						erasesAround(t, rows, packed, erasure, hit, cut)
					})
				}
			}
		}
	}
}

func erasesAround(t *testing.T, rows int, packed bool, e world.Erasure, hit string, cut bool) {
	k := plantedRig(t, rows, packed)
	k.flipEvent(t, seqOf(t, k, hit))
	r := &rig{t: t, dir: k.dir, at: k.r.at}
	r.open()
	if lost := r.o.Saved.Restored; lost != nil && lost.TranscriptsLost {
		t.Fatalf("it opens without its transcripts: %+v", lost)
	}
	before := map[string]map[string]world.Message{"chat": transcriptOf(t, r.o.Journal, "chat"), "council": transcriptOf(t, r.o.Journal, "council")}
	if len(before["chat"]) != rows || len(before["council"]) != 3*rows {
		t.Fatalf("it opens with %d and %d rows", len(before["chat"]), len(before["council"]))
	}
	e.ErasureID, e.Who, e.At = "e1", "test", r.at
	var receipt world.Receipt
	if cut { // as it is told: the next opening ends it
		must(t, r.o.Journal.IntendErasure(e))
		scope, err := r.o.Journal.ScopeErasure(t.Context(), e, nil, false)
		must(t, err)
		told := &world.HistoryErased{ErasureID: e.ErasureID, SpectatorID: e.SpectatorID, Reason: e.Reason, Conversations: scope.Talks}
		world.NewRedactor(scope, nil).Outcome(r.w, told)
		r.commit(told)
		r.dir = r.killed()
		r.open()
	} else {
		receipt = r.eraseAll(e)
		r.close()
		r.open()
	}
	if cut || receipt.DoneAt == 0 {
		kept, err := r.o.Journal.EarlierErasure(t.Context(), e)
		must(t, err)
		if kept == nil {
			t.Fatal("there is no receipt")
		}
		receipt = *kept
	}
	if receipt.DoneAt == 0 || receipt.Changed[world.UnreadableEvents] == 0 {
		t.Errorf("the receipt says nothing of what could not be read: %+v", receipt)
	}
	if lost := r.o.Saved.Restored; lost != nil && lost.TranscriptsLost || len(asideNames(t, r.dir)) > 0 {
		t.Errorf("the next opening loses transcripts: %+v, %v", lost, asideNames(t, r.dir))
	}
	stays := map[string]bool{"chat": len(e.Conversations) == 1 && e.Conversations[0] == "council", "council": len(e.Conversations) != 1 || e.Conversations[0] != "council"}
	for id, was := range before {
		is := transcriptOf(t, r.o.Journal, id)
		if !stays[id] {
			if len(is) > 0 {
				t.Errorf("%s has %d rows left", id, len(is))
			}
			continue
		}
		for messageID, m := range was {
			want := m.Content
			if e.SpectatorID != "" && m.SpectatorID == e.SpectatorID {
				want = ""
			} else if e.SpectatorID != "" {
				want = is[messageID].Content // what quotes is looked at by the words below
			}
			if got, there := is[messageID]; !there || got.Content != want || got.Damaged {
				t.Errorf("row %s is %+v, was %+v", messageID, got, m)
			}
		}
	}
	words := map[string]int{"qzplanted in the chat": 1}
	switch {
	case e.SpectatorID != "":
		words = map[string]int{"qzplanted": 1, "Qname of p1": 1, "Vpassing": 1}
	case stays["chat"]:
		words = map[string]int{"qzplanted in the council": 1, "jykept": 1}
	}
	for word := range words {
		if n := bytesOf(t, r.dir, word) + unpackedOf(t, r.o.Journal, word); n > 0 {
			t.Errorf("%q is still there, %d times", word, n)
		}
	}
	sameJSON(t, "world", r.o.Saved.World.Erased, r.w.Erased)
	must(t, r.o.Journal.Close())
	second := mustOpen(t, r.dir)
	sameJSON(t, "a second opening", second.Saved.World.Erased, r.w.Erased)
	if second.Saved.Restored != nil && second.Saved.Restored.TranscriptsLost {
		t.Errorf("a second opening loses transcripts: %+v", second.Saved.Restored)
	}
}

// An erasure that was cut short ends with a receipt whatever became of its own rows: of what
// it noted, of its history:erased, of the team of a conversation (S1-19, S3-17).
func TestErasingWithADamagedNote(t *testing.T) {
	const rows = 6
	for name, damage := range map[string]func(t *testing.T, k *killedRig, told int64){
		"what it is of": func(t *testing.T, k *killedRig, _ int64) {
			k.sql(t, "UPDATE erasures SET receipt = replace(receipt, '\"scope\":{', '\"scope\":[')")
		},
		"a team": func(t *testing.T, k *killedRig, _ int64) {
			k.sql(t, "UPDATE conversations SET team = replace(team, '\"members\":[', '\"members\":{') WHERE conversation_id = 'council'")
		},
		"its event": func(t *testing.T, k *killedRig, told int64) {
			k.sql(t, "UPDATE journal SET frame = CAST(frame || ' ' AS BLOB) WHERE seq = "+itoa(told))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			planted(r, rows)
			r.commit(&world.ArtifactSaved{Artifact: world.Artifact{ID: "x1", Name: "notes", Text: "qzplanted in the council number 3 " + strings.Repeat("again ", 3), At: r.at}})
			e := r.beginErasure("e1", "p1")
			told := r.w.Tick
			r.checkpoint() // after it: the world holds nothing of it
			k := &killedRig{dir: r.killed(), r: r}
			damage(t, k, told)
			o := mustOpen(t, k.dir)
			receipt, err := o.Journal.EarlierErasure(t.Context(), e)
			must(t, err)
			if receipt == nil || receipt.DoneAt == 0 {
				t.Fatalf("there is no receipt; %+v, %v", o.Saved.Restored, asideNames(t, k.dir))
			}
			for _, word := range []string{"qzplanted", "Qname of p1", "Vpassing"} {
				if n := bytesOf(t, k.dir, word) + unpackedOf(t, o.Journal, word); n > 0 {
					t.Errorf("%q is still there, %d times", word, n)
				}
			}
			if kept := transcriptOf(t, o.Journal, "council"); kept["council3p2"].Content == "" {
				t.Errorf("what others said is gone: %+v", kept["council3p2"])
			}
			if list, _, err := o.Journal.Conversations(t.Context(), world.ConversationQuery{}); err != nil || len(list) != 1 {
				t.Errorf("%d conversations are listed: %v", len(list), err)
			}
		})
	}
}

// One bit in a conversation's team costs that team, not the list of all conversations.
func TestDamagedTeam(t *testing.T) { // S3-17
	k := plantedRig(t, 3, false)
	k.sql(t, "UPDATE conversations SET team = replace(team, '\"members\":[', '\"members\":{') WHERE conversation_id = 'council'")
	o := mustOpen(t, k.dir)
	list, _, err := o.Journal.Conversations(t.Context(), world.ConversationQuery{})
	if err != nil || len(list) != 2 || len(asideNames(t, k.dir)) > 0 {
		t.Fatalf("%d conversations are listed: %v; set aside %v", len(list), err, asideNames(t, k.dir))
	}
	if n := len(transcriptOf(t, o.Journal, "council")); n != 9 {
		t.Errorf("%d rows", n)
	}
}

// An erasure removes what recovery had set aside and names each file, wherever it was cut
// short; retention leaves what was set aside of late, and both leave folders (S1-19).
func TestErasingFilesSetAside(t *testing.T) {
	now := time.Now().UTC()
	old, late := now.Add(-40*24*time.Hour).Format("20060102T150405Z"), now.Add(-time.Hour).Format("20060102T150405Z")
	for reason, want := range map[string][]string{
		world.ErasedOnRequest: {
			"knowledge/sage.aside-" + late + ".json", "realm.aside-" + late + ".db", "realm.aside-" + late + ".db-wal", "realm.aside-" + old + "-2.db",
			"sessions/x.aside-" + old + ".json", "state.aside-" + old + ".json",
		},
		world.ErasedByRetention: {"realm.aside-" + old + "-2.db", "sessions/x.aside-" + old + ".json", "state.aside-" + old + ".json"},
	} {
		slices.Sort(want)
		for _, cut := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, cut short %t", reason, cut), func(t *testing.T) {
				r := newRig(t)
				planted(r, 3)
				r.at = world.TimeOf(now)
				put := func(name string) {
					t.Helper()
					must(t, os.MkdirAll(filepath.Dir(filepath.Join(r.dir, name)), 0o700))
					must(t, os.WriteFile(filepath.Join(r.dir, name), []byte("qzplanted in the chat"), 0o600))
				}
				for _, name := range []string{
					"knowledge/sage.aside-" + late + ".json", "realm.aside-" + late + ".db", "realm.aside-" + late + ".db-wal", "realm.aside-" + old + "-2.db",
					"sessions/x.aside-" + old + ".json", "state.aside-" + old + ".json", "realm.new.db", "realm.new.db-wal",
				} {
					put(name)
				}
				must(t, os.MkdirAll(filepath.Join(r.dir, "map.aside-"+old+".json", "inside"), 0o700))
				e := world.Erasure{ErasureID: "e1", Conversations: []string{"chat"}, Reason: reason, Who: "test", At: r.at}
				var receipt world.Receipt
				if cut { // once the files are removed and before the receipt is kept
					must(t, r.o.Journal.IntendErasure(e))
					_, err := r.o.Journal.ScopeErasure(t.Context(), e, nil, false)
					must(t, err)
					r.commit(&world.HistoryErased{ErasureID: "e1", Reason: reason, Conversations: []string{"chat"}})
					asides, err := r.o.Files.Asides(e.AsidesBefore(world.TimeOf(now)))
					must(t, err)
					_, err = r.o.Journal.NoteRemoved(t.Context(), "e1", asides[:2])
					must(t, err)
					_, err = r.o.Files.remove(asides[:2])
					must(t, err)
					r.dir = r.killed()
					r.open()
					kept, err := r.o.Journal.EarlierErasure(t.Context(), e)
					must(t, err)
					if kept == nil {
						t.Fatal("there is no receipt")
					}
					receipt = *kept
				} else {
					receipt = r.eraseAll(e)
				}
				slices.Sort(receipt.Removed)
				if !slices.Equal(receipt.Removed, want) {
					t.Errorf("the receipt names %q, want %q", receipt.Removed, want)
				}
				for _, name := range want {
					if exists(filepath.Join(r.dir, name)) {
						t.Errorf("%s is still there", name)
					}
				}
				left := strings.Join(receipt.Unreached, "\n")
				if !strings.Contains(left, "map.aside-"+old+".json") || strings.Contains(left, "realm.aside-"+late+".db") != (reason == world.ErasedByRetention) {
					t.Errorf("the receipt names as left: %s", left)
				}
				if n := bytesOf(t, r.dir, "qzplanted in the chat"); (n > 0) != (reason == world.ErasedByRetention) {
					t.Errorf("the words are there %d times", n)
				}
			})
		}
	}
}

// Damage that an erasure cannot pass over, here an index that has a conversation under
// another key, is told as such; the next opening mends the journal, loses nothing, and ends
// the erasure with a receipt (S1-19, S3-17).
func TestErasingMeetsDamage(t *testing.T) {
	const rows = 6
	k := plantedRig(t, rows, false)
	k.unindexed(t, "conversations_updated", "UPDATE conversations SET updated_at = updated_at + 1 WHERE conversation_id = 'chat'")
	r := &rig{t: t, dir: k.dir, at: k.r.at}
	r.open()
	e := r.beginErasure("e1", "p1")
	_, err := r.o.Journal.Redact(t.Context(), e.ErasureID)
	mustBe(t, err, world.ErrDamaged)
	r.checkpoint()
	r.close()
	o := mustOpen(t, k.dir)
	receipt, err := o.Journal.EarlierErasure(t.Context(), e)
	must(t, err)
	if receipt == nil || receipt.DoneAt == 0 || len(asideNames(t, k.dir)) > 0 {
		t.Fatalf("the receipt is %+v; set aside %v", receipt, asideNames(t, k.dir))
	}
	must(t, o.Journal.Close())
	erasedWell(t, k.dir, rows)
}
