package command_test

import (
	"fmt"
	"testing"
	"time"

	"agentdungeon/server/realm/command"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

const day = world.Time(24 * 60 * 60 * 1000)

// An answer is kept for a day, by person and requestId. If there are too many, the oldest are forgotten. P6.2.
func TestAnswersAreKeptForADay(t *testing.T) {
	row := func(person, request string, at world.Time) world.CommandRow {
		return world.CommandRow{SpectatorID: person, RequestID: request, At: at}
	}
	a := command.NewAnswers([]world.CommandRow{row("p1", "r", 1), row("p2", "r", 2)}, 2)
	known := func(person, request string) bool { _, ok := a.To(person, request); return ok }
	if !known("p1", "r") || !known("p2", "r") || known("p3", "r") || known("p1", "s") {
		t.Error("an answer is not the one to its command")
	}
	a.Remember(row("p3", "r", day+2), day+2)
	if known("p1", "r") || !known("p2", "r") {
		t.Error("answers are not kept for a day")
	}
	a.Forget("p2", "r")
	for i := range world.MaxCommandRows {
		a.Remember(row("p4", fmt.Sprint(i), day+2), day+2)
	}
	if known("p2", "r") || known("p3", "r") || !known("p4", "0") {
		t.Error("of too many the oldest do not go")
	}
}

// No remembered answer contains erased words. P16.3.
func TestErasedAnswers(t *testing.T) {
	now := world.TimeOf(time.Now())
	chat := func(person, id string) world.CommandRow {
		reply, err := wire.Encode(&wire.ChatRepeated{ConversationID: id, RequestID: "q"})
		if err != nil {
			t.Fatal(err)
		}
		return world.CommandRow{SpectatorID: person, RequestID: id, Reply: reply, At: now}
	}
	a := command.NewAnswers([]world.CommandRow{chat("p1", "c1"), chat("p2", "c1"), chat("p2", "c2"), chat("p3", "c3")}, now)
	a.Erase(world.Scope{Person: "p3", Conversations: []string{"c1"}})
	for _, gone := range [][2]string{{"p1", "c1"}, {"p2", "c1"}, {"p3", "c3"}} {
		if _, known := a.To(gone[0], gone[1]); known {
			t.Errorf("the answer to %s about %s is there", gone[0], gone[1])
		}
	}
	if _, known := a.To("p2", "c2"); !known {
		t.Error("an answer of somebody else about something else is gone")
	}
}

// Two commands are the same if their types and fields are equal.
func TestTheSameCommand(t *testing.T) {
	say := command.Hash(&wire.SpectatorSay{Text: "hello"})
	if say != command.Hash(&wire.SpectatorSay{Text: "hello"}) || say == command.Hash(&wire.SpectatorSay{Text: "hallo"}) ||
		say == command.Hash(&wire.PlayerCommand{Text: "hello"}) {
		t.Error("a hash is not of the type and the fields")
	}
}
