package world

import (
	"strings"
	"testing"

	"agentdungeon/shared/frame"
)

// The field conversationField of a frame, from which InSight reads the conversation without decoding the event, has
// the id of the event's conversation. InSight decodes the frame of an event without this field (P17.5).
func TestTheFieldOfTheConversation(t *testing.T) {
	for _, b := range Bodies() {
		b := filled(b)
		rec, err := Event{Seq: 1, At: 5, V: 1, Body: b}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		in, want := frame.Field(rec.Frame, conversationField), ConversationOf(b)
		if _, nested := b.(*ConversationStarted); nested {
			want = ""
		}
		if FactsOf(b.EventType()).conversation != nil && in != want {
			t.Errorf("%s is in the conversation %q, its frame in %q", b.EventType(), want, in)
		}
	}
}

// BenchmarkInSight measures what an event of 1 KB of a conversation costs for one spectator who gets it from the
// journal. An event that is sent when it happens costs nothing: see ForAll.
func BenchmarkInSight(b *testing.B) {
	ev := Event{Seq: 7, At: 5, Body: &MessageAdded{ConversationID: "c1", Message: Message{
		MessageID: "m1", ConversationID: "c1", Role: RoleUser, Name: "Ada", Content: strings.Repeat("word ", 200),
	}}}
	rec, err := ev.Encode()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := InSight(SightPublic, ev.Body.EventType(), rec.Frame); err != nil {
			b.Fatal(err)
		}
	}
}
