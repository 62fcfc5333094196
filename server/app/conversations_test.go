package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// marked has n conversations in the order of the list, all with the same time of change, because one pass of
// retention marks many conversations at once.
type marked struct {
	realm.Transcripts
	n int
}

func (m marked) Conversations(_ context.Context, q world.ConversationQuery) (page []world.ConversationInfo, more bool, err error) {
	for i := range m.n {
		id := fmt.Sprintf("c%04d", i)
		if q.Before == 0 || q.Before == 7 && q.BeforeID != "" && id > q.BeforeID {
			page = append(page, world.ConversationInfo{Conversation: world.Conversation{ConversationID: id, Kind: world.KindForge, Status: world.ConversationAbandoned, UpdatedAt: 7}})
		}
	}
	return page[:min(q.Limit, len(page))], len(page) > q.Limit, nil
}

// A list has each conversation once, however many of them changed in the same millisecond (S1-25).
func TestListingIsWhole_S1_25(t *testing.T) {
	for _, l := range []Listing{{}, {JSON: true}} {
		var out bytes.Buffer
		if err := l.write(t.Context(), &out, marked{n: 3*pageSize + 1}); err != nil {
			t.Fatal(err)
		}
		for i := range 3*pageSize + 1 {
			if n := strings.Count(out.String(), fmt.Sprintf("c%04d", i)); n != 1 {
				t.Fatalf("%+v: conversation %d is listed %d times", l, i, n)
			}
		}
	}
}

// An unknown status is an error, not an empty list (S1-B11). Control characters in titles and rows are made
// visible, so that they have no effect in a terminal.
func TestListingForPeople_S1_B11(t *testing.T) {
	var e *wire.Error
	if err := (Listing{Status: "done"}).write(t.Context(), new(bytes.Buffer), marked{n: 1}); !errors.As(err, &e) || e.Code != wire.BadField || !strings.Contains(e.Message, "abandoned") {
		t.Errorf("%v", err)
	}
	if got := indented("a\x1b[31m\u202eb\r\nc\td\x07"); got != "    a\\u001b[31m\\u202eb\n    c\td\\u0007" {
		t.Errorf("%q", got)
	}
	if got := line("a\x1b]0;x\x07\nb"); got != "a\\u001b]0;x\\u0007 b" {
		t.Errorf("%q", got)
	}
}
