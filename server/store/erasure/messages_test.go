package erasure_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// A damaged row costs that row only: an erasure finds it whichever of its columns is damaged, keeps the rows of others,
// and counts in the receipt the rows that it could not read (S1-19, S3-17).
func TestErasingDamagedRows(t *testing.T) {
	const rows, long = 12, "L"
	random := rand.New(rand.NewPCG(1, 2))
	var noise strings.Builder
	for range 1500 {
		fmt.Fprintf(&noise, "%d ", random.IntN(1000))
	}
	r := storetest.NewRig(t)
	planted(r, rows)
	r.Commit(&world.MessageAdded{ConversationID: "council", Message: world.Message{
		MessageID: long, ConversationID: "council", Role: world.RoleAssistant, MemberID: "sage", Name: "Sage",
		Content: "I heard: qzplanted in the council number 0 " + noise.String(), Status: world.MessageDone, At: r.At,
	}})
	r.Checkpoint()
	r.Close()
	whole := &storetest.KilledRig{Dir: r.Dir, R: r}
	chat := world.Erasure{Conversations: []string{"chat"}, Reason: world.ErasedOnRequest}
	pruned := world.Erasure{Conversations: []string{"chat"}, Reason: world.ErasedByRetention}
	person := world.Erasure{SpectatorID: "p1", Reason: world.ErasedOnRequest}
	set := func(what, id string) func(*testing.T, *storetest.KilledRig) {
		return func(t *testing.T, k *storetest.KilledRig) {
			k.SQL(t, "UPDATE messages SET "+what+" WHERE message_id = '"+id+"'")
		}
	}
	behind := func(index, what, id string) func(*testing.T, *storetest.KilledRig) {
		return func(t *testing.T, k *storetest.KilledRig) {
			k.Unindexed(t, index, "UPDATE messages SET "+what+" WHERE message_id = '"+id+"'")
		}
	}
	for name, c := range map[string]struct {
		damage     func(*testing.T, *storetest.KilledRig)
		erasures   []world.Erasure
		unreadable int    // rows that lose their words because nobody can read them
		stays      string // a row that stays as it is
	}{
		"its text":                       {set("content = 'x' || content", "chat5p1"), []world.Erasure{chat, pruned, person}, 0, "council5p2"},
		"its name":                       {set("name = 'Qnbme of p1'", "chat5p1"), []world.Erasure{chat, pruned, person}, 0, "council5p2"},
		"its conversation":               {set("conversation_id = 'chbt'", "chat5p1"), []world.Erasure{chat, pruned, person}, 0, "council5p2"},
		"its id":                         {set("message_id = 'chbt5p1'", "chat5p1"), []world.Erasure{chat, pruned, person}, 0, "council5p2"},
		"whose it is":                    {set("spectator_id = 'q1'", "council5p1"), []world.Erasure{person}, 0, "council5p2"},
		"whose it is, and its name":      {set("spectator_id = 'q1', name = 'nobody'", "council5p1"), []world.Erasure{person}, 1, "council5p2"},
		"where it is, and its name":      {set("conversation_id = 'chbt', name = 'nobody'", "chat5p1"), []world.Erasure{chat}, 1, "council5p2"},
		"a packed text that quotes":      {set("packed = CAST(substr(packed, 1, length(packed) - 10) AS BLOB)", long), []world.Erasure{person}, 1, "council5p2"},
		"the name of another":            {set("name = 'Qname of p3'", "council5p2"), []world.Erasure{chat, pruned, person}, 0, "council5p2"},
		"its conversation, and an index": {behind("messages_conversation", "conversation_id = 'chbt'", "chat5p1"), []world.Erasure{chat, pruned, person}, 0, "council5p2"},
		"its request, and an index":      {behind("messages_run", "request_id = 'x'", "chat5p1"), []world.Erasure{chat, pruned, person}, 0, "council5p2"},
		"its place in an index":          {behind("messages_conversation", "conversation_id = 'chat'", "chat5p1"), []world.Erasure{chat}, 0, "council5p2"},
	} {
		for _, e := range c.erasures {
			t.Run(name+", "+e.Reason+" "+e.SpectatorID, func(t *testing.T) {
				t.Parallel()
				k := whole.Copy(t)
				c.damage(t, k)
				r := &storetest.Rig{T: t, Dir: k.Dir, At: whole.R.At}
				r.Open()
				if aside := storetest.AsideNames(t, k.Dir); len(aside) > 0 {
					t.Fatalf("set aside before anything is erased: %v", aside)
				}
				was := storetest.TranscriptOf(t, r.O.Journal, "council")
				e.ErasureID, e.Who, e.At = "e1", "test", r.At
				receipt := r.EraseAll(e)
				if n := receipt.Changed[world.UnreadableRows]; n != c.unreadable {
					t.Errorf("the receipt counts %d unreadable rows, want %d: %+v", n, c.unreadable, receipt)
				}
				is := storetest.TranscriptOf(t, r.O.Journal, "council")
				if is[c.stays].Content != was[c.stays].Content || is[c.stays].Content == "" || is[c.stays].Damaged != was[c.stays].Damaged {
					t.Errorf("%s is %+v, was %+v", c.stays, is[c.stays], was[c.stays])
				}
				r.Close()
				o := storetest.MustOpen(t, k.Dir)
				words := []string{"qzplanted in the chat", "qzplbnted"}
				if e.SpectatorID != "" && name == "whose it is, and its name" { // a row that quotes this one quotes an unknown person
					words = append(words, "qzplanted in the council number 5 again again again again again \"")
				} else if e.SpectatorID != "" {
					words = append(words, "qzplanted", "Qname of p1", "Qnbme", "Vpassing")
				}
				for _, word := range words {
					if n := storetest.BytesOf(t, k.Dir, word) + storetest.UnpackedOf(t, o.Journal, word); n > 0 {
						t.Errorf("%q is still there, %d times", word, n)
					}
				}
				for _, m := range storetest.TranscriptOf(t, o.Journal, "chat") { // a row that could not be deleted must be empty
					if m.Content != "" || m.Name != world.ErasedName || m.Tool != nil {
						t.Errorf("the next opening has %+v", m)
					}
				}
				if aside := storetest.AsideNames(t, k.Dir); len(aside) > 0 {
					t.Errorf("the next opening set aside %v", aside)
				}
			})
		}
	}
}
