package erasure_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// plantedRig returns a closed realm with the rows of planted and a state.json. If packed is set, most events are
// in blocks.
func plantedRig(t testing.TB, rows int, packed bool) *storetest.KilledRig {
	t.Helper()
	r := storetest.NewRig(t)
	planted(r, rows)
	if packed {
		r.PackAll(9, 3)
	}
	r.Checkpoint()
	r.Close()
	return &storetest.KilledRig{Dir: r.Dir, R: r}
}

// seqOf returns the seq of the event that inserted a row.
func seqOf(t testing.TB, k *storetest.KilledRig, messageID string) int64 {
	t.Helper()
	for i, frame := range k.R.Frames {
		if bytes.Contains(frame, []byte(`"messageId":"`+messageID+`"`)) {
			return int64(i + 1)
		}
	}
	t.Fatalf("nobody said %s", messageID)
	return 0
}

// An event that cannot be read costs that event only: all other conversations stay, no byte of the folder has
// the erased words, and the receipt reports the unreadable event (S1-19, S3-17).
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
	k.FlipEvent(t, seqOf(t, k, hit))
	r := &storetest.Rig{T: t, Dir: k.Dir, At: k.R.At}
	r.Open()
	if lost := r.O.Saved.Restored; lost != nil && lost.TranscriptsLost {
		t.Fatalf("it opens without its transcripts: %+v", lost)
	}
	before := map[string]map[string]world.Message{"chat": storetest.TranscriptOf(t, r.O.Journal, "chat"), "council": storetest.TranscriptOf(t, r.O.Journal, "council")}
	if len(before["chat"]) != rows || len(before["council"]) != 3*rows {
		t.Fatalf("it opens with %d and %d rows", len(before["chat"]), len(before["council"]))
	}
	e.ErasureID, e.Who, e.At = "e1", "test", r.At
	var receipt world.Receipt
	if cut { // interrupted after history:erased: the next opening ends the erasure
		storetest.Must(t, r.O.Eraser.IntendErasure(e))
		scope, err := r.O.Eraser.ScopeErasure(t.Context(), e, nil, false)
		storetest.Must(t, err)
		told := &world.HistoryErased{ErasureID: e.ErasureID, SpectatorID: e.SpectatorID, Reason: e.Reason, Conversations: scope.Conversations}
		world.NewRedactor(scope, nil).Outcome(r.W, told)
		r.Commit(told)
		r.Dir = r.Killed()
		r.Open()
	} else {
		receipt = r.EraseAll(e)
		r.Close()
		r.Open()
	}
	if cut || receipt.DoneAt == 0 {
		kept, err := r.O.Eraser.EarlierErasure(t.Context(), e)
		storetest.Must(t, err)
		if kept == nil {
			t.Fatal("there is no receipt")
		}
		receipt = *kept
	}
	if receipt.DoneAt == 0 || receipt.Changed[world.UnreadableEvents] == 0 {
		t.Errorf("the receipt says nothing of what could not be read: %+v", receipt)
	}
	if lost := r.O.Saved.Restored; lost != nil && lost.TranscriptsLost || len(storetest.AsideNames(t, r.Dir)) > 0 {
		t.Errorf("the next opening loses transcripts: %+v, %v", lost, storetest.AsideNames(t, r.Dir))
	}
	stays := map[string]bool{"chat": len(e.Conversations) == 1 && e.Conversations[0] == "council", "council": len(e.Conversations) != 1 || e.Conversations[0] != "council"}
	for id, was := range before {
		is := storetest.TranscriptOf(t, r.O.Journal, id)
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
				want = is[messageID].Content // the search for erased words below checks rows that quote
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
		if n := storetest.BytesOf(t, r.Dir, word) + storetest.UnpackedOf(t, r.O.Journal, word); n > 0 {
			t.Errorf("%q is still there, %d times", word, n)
		}
	}
	storetest.SameJSON(t, "world", r.O.Saved.World.Erased, r.W.Erased)
	storetest.Must(t, r.O.Journal.Close())
	second := storetest.MustOpen(t, r.Dir)
	storetest.SameJSON(t, "a second opening", second.Saved.World.Erased, r.W.Erased)
	if second.Saved.Restored != nil && second.Saved.Restored.TranscriptsLost {
		t.Errorf("a second opening loses transcripts: %+v", second.Saved.Restored)
	}
}

// An interrupted erasure ends with a receipt even if the row with its request and scope, its event history:erased, or
// the team of a conversation is damaged (S1-19, S3-17).
func TestErasingWithADamagedNote(t *testing.T) {
	const rows = 6
	for name, damage := range map[string]func(t *testing.T, k *storetest.KilledRig, told int64){
		"what it is of": func(t *testing.T, k *storetest.KilledRig, _ int64) {
			k.SQL(t, "UPDATE erasures SET receipt = replace(receipt, '\"scope\":{', '\"scope\":[')")
		},
		"a team": func(t *testing.T, k *storetest.KilledRig, _ int64) {
			k.SQL(t, "UPDATE conversations SET team = replace(team, '\"members\":[', '\"members\":{') WHERE conversation_id = 'council'")
		},
		"its event": func(t *testing.T, k *storetest.KilledRig, told int64) {
			k.SQL(t, "UPDATE journal SET frame = CAST(frame || ' ' AS BLOB) WHERE seq = "+storetest.Itoa(told))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := storetest.NewRig(t)
			planted(r, rows)
			r.Commit(&world.ArtifactSaved{Artifact: world.Artifact{ID: "x1", Name: "notes", Text: "qzplanted in the council number 3 " + strings.Repeat("again ", 3), At: r.At}})
			e := r.BeginErasure("e1", "p1")
			told := r.W.Tick
			r.Checkpoint() // after history:erased, so the world has no erased words
			k := &storetest.KilledRig{Dir: r.Killed(), R: r}
			damage(t, k, told)
			o := storetest.MustOpen(t, k.Dir)
			receipt, err := o.Eraser.EarlierErasure(t.Context(), e)
			storetest.Must(t, err)
			if receipt == nil || receipt.DoneAt == 0 {
				t.Fatalf("there is no receipt; %+v, %v", o.Saved.Restored, storetest.AsideNames(t, k.Dir))
			}
			for _, word := range []string{"qzplanted", "Qname of p1", "Vpassing"} {
				if n := storetest.BytesOf(t, k.Dir, word) + storetest.UnpackedOf(t, o.Journal, word); n > 0 {
					t.Errorf("%q is still there, %d times", word, n)
				}
			}
			if kept := storetest.TranscriptOf(t, o.Journal, "council"); kept["council3p2"].Content == "" {
				t.Errorf("what others said is gone: %+v", kept["council3p2"])
			}
			if list, _, err := o.Journal.Conversations(t.Context(), world.ConversationQuery{}); err != nil || len(list) != 1 {
				t.Errorf("%d conversations are listed: %v", len(list), err)
			}
		})
	}
}

// A flipped bit in a conversation's team loses that team; the list of conversations still has all
// of them.
func TestDamagedTeam(t *testing.T) { // S3-17
	k := plantedRig(t, 3, false)
	k.SQL(t, "UPDATE conversations SET team = replace(team, '\"members\":[', '\"members\":{') WHERE conversation_id = 'council'")
	o := storetest.MustOpen(t, k.Dir)
	list, _, err := o.Journal.Conversations(t.Context(), world.ConversationQuery{})
	if err != nil || len(list) != 2 || len(storetest.AsideNames(t, k.Dir)) > 0 {
		t.Fatalf("%d conversations are listed: %v; set aside %v", len(list), err, storetest.AsideNames(t, k.Dir))
	}
	if n := len(storetest.TranscriptOf(t, o.Journal, "council")); n != 9 {
		t.Errorf("%d rows", n)
	}
}

// An erasure removes the files that recovery has set aside and names each of them in the receipt, wherever it
// was interrupted. Retention leaves files that were set aside recently, and both leave folders (S1-19).
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
				r := storetest.NewRig(t)
				planted(r, 3)
				r.At = world.TimeOf(now)
				put := func(name string) {
					t.Helper()
					storetest.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(r.Dir, name)), 0o700))
					storetest.Must(t, os.WriteFile(filepath.Join(r.Dir, name), []byte("qzplanted in the chat"), 0o600))
				}
				for _, name := range []string{
					"knowledge/sage.aside-" + late + ".json", "realm.aside-" + late + ".db", "realm.aside-" + late + ".db-wal", "realm.aside-" + old + "-2.db",
					"sessions/x.aside-" + old + ".json", "state.aside-" + old + ".json", "realm.new.db", "realm.new.db-wal",
				} {
					put(name)
				}
				storetest.Must(t, os.MkdirAll(filepath.Join(r.Dir, "map.aside-"+old+".json", "inside"), 0o700))
				e := world.Erasure{ErasureID: "e1", Conversations: []string{"chat"}, Reason: reason, Who: "test", At: r.At}
				var receipt world.Receipt
				if cut { // after the files were removed and before the receipt was stored
					storetest.Must(t, r.O.Eraser.IntendErasure(e))
					_, err := r.O.Eraser.ScopeErasure(t.Context(), e, nil, false)
					storetest.Must(t, err)
					r.Commit(&world.HistoryErased{ErasureID: "e1", Reason: reason, Conversations: []string{"chat"}})
					asides, err := r.O.Files.Asides(e.AsidesBefore(world.TimeOf(now)))
					storetest.Must(t, err)
					_, err = r.O.Eraser.NoteRemoved(t.Context(), "e1", asides[:2])
					storetest.Must(t, err)
					for _, name := range asides[:2] {
						storetest.Must(t, os.Remove(filepath.Join(r.Dir, name)))
					}
					r.Dir = r.Killed()
					r.Open()
					kept, err := r.O.Eraser.EarlierErasure(t.Context(), e)
					storetest.Must(t, err)
					if kept == nil {
						t.Fatal("there is no receipt")
					}
					receipt = *kept
				} else {
					receipt = r.EraseAll(e)
				}
				slices.Sort(receipt.Removed)
				if !slices.Equal(receipt.Removed, want) {
					t.Errorf("the receipt names %q, want %q", receipt.Removed, want)
				}
				for _, name := range want {
					if disk.Exists(filepath.Join(r.Dir, name)) {
						t.Errorf("%s is still there", name)
					}
				}
				left := strings.Join(receipt.Unreached, "\n")
				if !strings.Contains(left, "map.aside-"+old+".json") || strings.Contains(left, "realm.aside-"+late+".db") != (reason == world.ErasedByRetention) {
					t.Errorf("the receipt names as left: %s", left)
				}
				if n := storetest.BytesOf(t, r.Dir, "qzplanted in the chat"); (n > 0) != (reason == world.ErasedByRetention) {
					t.Errorf("the words are there %d times", n)
				}
			})
		}
	}
}

// Damage that stops an erasure, here an index that has a conversation under another key, is reported as
// ErrDamaged. The next opening rewrites the journal, loses nothing, and ends the erasure with a receipt (S1-19,
// S3-17).
func TestErasingMeetsDamage(t *testing.T) {
	const rows = 6
	k := plantedRig(t, rows, false)
	k.Unindexed(t, "conversations_updated", "UPDATE conversations SET updated_at = updated_at + 1 WHERE conversation_id = 'chat'")
	r := &storetest.Rig{T: t, Dir: k.Dir, At: k.R.At}
	r.Open()
	e := r.BeginErasure("e1", "p1")
	_, err := r.O.Eraser.Redact(t.Context(), e.ErasureID)
	storetest.MustBe(t, err, world.ErrDamaged)
	r.Checkpoint()
	r.Close()
	o := storetest.MustOpen(t, k.Dir)
	receipt, err := o.Eraser.EarlierErasure(t.Context(), e)
	storetest.Must(t, err)
	if receipt == nil || receipt.DoneAt == 0 || len(storetest.AsideNames(t, k.Dir)) > 0 {
		t.Fatalf("the receipt is %+v; set aside %v", receipt, storetest.AsideNames(t, k.Dir))
	}
	storetest.Must(t, o.Journal.Close())
	erasedWell(t, k.Dir, rows)
}
