package journal_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentdungeon/server/forge"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/storetest"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// fill fills a value of any type that a forge's context has with random content.
func fill(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Repeat([]string{"x", "\"", "日", "\n", "' OR 1=1; --", "\u2028"}[r.IntN(6)], 1+r.IntN(9)))
	case reflect.Int:
		v.SetInt(int64(r.IntN(1000)))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 4))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(r, k)
		fill(r, e)
		v.SetMapIndex(k, e)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i))
		}
	}
}

// Every field of a forge's context is loaded from the disk, however the conversation is opened; the words are loaded
// from the rows (S1-02, S1-03, S1-06, S1-20).
func TestEveryFieldOfAForgeSurvives_S1_06(t *testing.T) {
	r := storetest.NewRig(t)
	rng := rand.New(rand.NewPCG(1, 6))
	r.Commit(talk("f", world.KindForge, world.ConversationActive))
	for i := range 30 {
		var want forge.Context
		fill(rng, reflect.ValueOf(&want).Elem())
		want.SessionID, want.State, want.Plan.Schema = "f", forge.GatheringDetails, 1
		want.MessageHistory = nil
		blob, err := want.Save()
		storetest.Must(t, err)
		said := fmt.Sprint("word ", i)
		r.Commit(
			&world.ChatStarted{ConversationID: "f", RequestID: fmt.Sprint("q", i), MemberID: "smith", Status: world.RunRunning, Message: &world.Message{
				MessageID: fmt.Sprint("u", i), ConversationID: "f", Role: world.RoleUser, Content: said, Status: world.MessageDone, At: 1}},
			&world.ForgeStepped{ConversationID: "f", Forge: forge.Shown(want, ""), Moves: []world.ForgeMove{}, Context: blob},
			&world.ChatDone{ConversationID: "f", RequestID: fmt.Sprint("q", i)},
		)
		if i%3 == 1 {
			r.Close()
			r.Open()
		}
		saved, err := r.O.Journal.Conversation(t.Context(), "f")
		storetest.Must(t, err)
		if i%3 == 1 && !reflect.DeepEqual(saved.ForgeContext, r.O.Saved.Conversations[0].ForgeContext) {
			t.Fatal("an opening gives another context than a look")
		}
		got, err := forge.Load(saved.ForgeContext, forge.History(saved.Messages))
		storetest.Must(t, err)
		if n := len(got.MessageHistory); n != i+1 || got.MessageHistory[i].Content != said {
			t.Fatalf("%d lines after %d words", n, i+1)
		}
		got.MessageHistory = nil
		a, b := reflect.ValueOf(want), reflect.ValueOf(got)
		for f := range a.NumField() {
			if !reflect.DeepEqual(a.Field(f).Interface(), b.Field(f).Interface()) {
				t.Errorf("%s: %#v became %#v", a.Type().Field(f).Name, a.Field(f), b.Field(f))
			}
		}
		if want := forge.Shown(want, ""); saved.Forge == nil || !reflect.DeepEqual(*saved.Forge, want) {
			t.Errorf("shown is %+v, want %+v", saved.Forge, want)
		}
	}
}

// A forge's context is written in one transaction with the rows that led to it: a reader never sees one without the
// others (S1-07).
func TestAForgeIsWrittenWithItsRows_S1_07(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(talk("f", world.KindForge, world.ConversationActive))
	done := make(chan error, 1)
	stop := make(chan struct{})
	j := r.O.Journal
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			c, err := j.Conversation(t.Context(), "f")
			if err != nil {
				done <- err
				return
			}
			if rows := len(c.Messages); rows > 0 && string(c.ForgeContext) != c.Messages[rows-1].Content || rows == 0 && c.ForgeContext != nil {
				done <- fmt.Errorf("%d rows and context %q", rows, c.ForgeContext)
				return
			}
		}
	}()
	for i := range 200 {
		text := fmt.Sprintf(`{"n":%d,"x":%q}`, i, strings.Repeat("y", i*50))
		r.Commit(&world.MessageAdded{ConversationID: "f", Message: world.Message{MessageID: fmt.Sprint("m", i), ConversationID: "f", Role: world.RoleUser, Content: text, Status: world.MessageDone}},
			&world.ForgeStepped{ConversationID: "f", Context: []byte(text)})
	}
	close(stop)
	storetest.Must(t, <-done)
}

// A damaged context of a forge is kept beside the one that replaces it (S1-B10). The part that clients see can be
// damaged too.
func TestDamagedForgesStayBeside_S1_B10(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(talk("f", world.KindForge, world.ConversationActive), &world.ForgeStepped{ConversationID: "f", Forge: world.Forge{State: "idle"}, Context: []byte("new"), Damaged: []byte("damaged")})
	storetest.Must(t, r.O.Journal.Writer().Run(`UPDATE forges SET shown = '{"state":' WHERE conversation_id = 'f'`))
	c, err := r.O.Journal.Conversation(t.Context(), "f")
	storetest.Must(t, err)
	if c.Forge != nil || string(c.ForgeContext) != "new" {
		t.Errorf("%+v, %q", c.Forge, c.ForgeContext)
	}
	var aside []byte
	storetest.Must(t, sqlite.One(t.Context(), r.O.Journal.Writer(), []any{&aside}, "SELECT context FROM forges WHERE conversation_id = 'f/2'"))
	if string(aside) != "damaged" {
		t.Errorf("beside it lies %q", aside)
	}
}

// A long forge, as the bench measures it (make bench, forge-restore), is loaded whole: a thousand messages and
// five hundred written lines (S1-04).
func TestALongForgeComesBackWhole_S1_04(t *testing.T) {
	r := storetest.NewRig(t)
	c := forge.NewContext("f")
	c.State, c.GeneratedContent = forge.GatheringDetails, strings.Repeat("Count the next of them, and write its number down.\n", 500)
	blob, err := c.Save()
	storetest.Must(t, err)
	bodies := []world.Body{talk("f", world.KindForge, world.ConversationActive)}
	for i := range 1000 {
		role := world.RoleUser
		if i%2 == 1 {
			role = world.RoleAssistant
		}
		bodies = append(bodies, &world.MessageAdded{ConversationID: "f", Message: world.Message{MessageID: fmt.Sprint("m", i), ConversationID: "f", Role: role, Content: fmt.Sprint("line ", i), Status: world.MessageDone}})
	}
	r.Commit(append(bodies, &world.ForgeStepped{ConversationID: "f", Forge: forge.Shown(c, ""), Context: blob})...)
	r.Close()
	r.Open()
	saved := r.O.Saved.Conversations[0]
	got, err := forge.Load(saved.ForgeContext, forge.History(saved.Said))
	storetest.Must(t, err)
	if got.GeneratedContent != c.GeneratedContent || len(got.MessageHistory) != 1000 || got.MessageHistory[0].Content != "line 0" || got.MessageHistory[999].Content != "line 999" {
		t.Errorf("%d lines of history, %d bytes written", len(got.MessageHistory), len(got.GeneratedContent))
	}
}

// The content of a forge is stored packed and is loaded whole; a damaged one is loaded as it is stored, so that
// it can be set aside (S1-13).
func TestContextsArePacked_S1_13(t *testing.T) {
	r := storetest.NewRig(t)
	c := forge.NewContext("f")
	for i := range 500 {
		c.GeneratedContent += fmt.Sprintf("%d. Read file %d of the folder, compare it with what the %d. step found, and note in `notes.md` what differs from it.\n", i+1, i*7%93, i*i%41)
	}
	c.GeneratedResources["references/whole.md"] = strings.Repeat(c.GeneratedContent, 1<<20/len(c.GeneratedContent)+1)
	blob, err := c.Save()
	storetest.Must(t, err)
	r.Commit(talk("f", world.KindForge, world.ConversationActive), &world.ForgeStepped{ConversationID: "f", Forge: forge.Shown(c, ""), Context: blob})
	stored := func() (b []byte) {
		t.Helper()
		storetest.Must(t, sqlite.One(t.Context(), r.O.Journal.Writer(), []any{&b}, "SELECT context FROM forges WHERE conversation_id = 'f'"))
		return b
	}
	t.Logf("%d bytes of context, %d stored", len(blob), len(stored()))
	if len(blob) < 1<<20 || len(stored()) > len(blob)/4 {
		t.Errorf("%d bytes of context are stored in %d", len(blob), len(stored()))
	}
	r.Close()
	r.Open()
	if got := r.O.Saved.Conversations[0].ForgeContext; !bytes.Equal(got, blob) {
		t.Errorf("%d bytes come back of %d", len(got), len(blob))
	}
	bad := stored()
	bad[len(bad)/2] ^= 0x10
	storetest.Must(t, r.O.Journal.Writer().Run("UPDATE forges SET context = x'"+hex.EncodeToString(bad)+"' WHERE conversation_id = 'f'"))
	saved, err := r.O.Journal.Conversation(t.Context(), "f")
	storetest.Must(t, err)
	if _, err := forge.Load(saved.ForgeContext, nil); !bytes.Equal(saved.ForgeContext, bad) || !errors.Is(err, forge.ErrCorrupt) {
		t.Errorf("a damaged one comes back as %d bytes of %d: %v", len(saved.ForgeContext), len(bad), err)
	}
	raw := []byte(`{"session_id":"f","examples":["` + strings.Repeat("x", tables.PackFrom) + `"]}`) // as it was written before it was packed
	storetest.Must(t, r.O.Journal.Writer().Run("UPDATE forges SET context = x'"+hex.EncodeToString(raw)+"' WHERE conversation_id = 'f'"))
	if saved, err := r.O.Journal.Conversation(t.Context(), "f"); err != nil || !bytes.Equal(saved.ForgeContext, raw) {
		t.Errorf("%v: %.100s", err, saved.ForgeContext)
	}
}

// The audit has each change of a forge's state with the state before and after and the time, in order, and
// without the words that led to it (S1-19).
func TestForgeMovesAreAudited_S1_19(t *testing.T) {
	r := storetest.NewRig(t)
	r.Commit(talk("f", world.KindForge, world.ConversationActive), &world.ForgeStepped{ConversationID: "f", Context: []byte("{}"), Moves: []world.ForgeMove{
		{From: "idle", To: "intent_detection", Why: "opened"}, {From: "intent_detection", To: "gathering_purpose", Why: "planted words"}}})
	r.Commit(&world.ForgeStepped{ConversationID: "f", Context: []byte("{}"), Moves: []world.ForgeMove{{From: "gathering_purpose", To: "checking_existing", Why: "an error: planted words"}}})
	r.Commit(&world.ForgeStepped{ConversationID: "f", Context: []byte("{}")}) // nothing moved
	r.Close()
	r.Open()
	rows, err := r.O.Journal.Audit(t.Context(), 0, 0, 0)
	storetest.Must(t, err)
	var got []string
	for i, row := range rows {
		if row.Action != "forge:stepped" {
			continue
		}
		got = append(got, row.Before+" "+row.After)
		if row.At == 0 || i > 0 && row.At < rows[i-1].At || row.ConversationID != "f" || row.Seq == 0 || row.Who == "" || row.Note != "" {
			t.Errorf("%+v", row)
		}
	}
	if want := []string{"idle intent_detection", "intent_detection gathering_purpose", "gathering_purpose checking_existing"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
