package world

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// A new or changed event type must decide about each of its facts: a golden file lists them. The flag -update writes
// the file.
func TestEveryEventDeclaresItsFacts(t *testing.T) {
	var got bytes.Buffer
	for _, b := range Bodies() {
		b := filled(b)
		f := FactsOf(b.EventType())
		fmt.Fprintf(&got, "%s", b.EventType())
		if talk := ConversationOf(b); talk != "" {
			fmt.Fprint(&got, " conversation")
		}
		for range Named(b)[:min(1, len(Named(b)))] {
			fmt.Fprint(&got, " names")
		}
		if notes := AuditNotes(b); len(notes) > 0 {
			fmt.Fprint(&got, " audited")
		}
		if f.Between {
			fmt.Fprint(&got, " between-rows")
		}
		ev := Event{Seq: 1, At: 5, V: 1, Body: b}
		bounds := false
		for _, c := range ev.Changes() {
			fmt.Fprintf(&got, " %T", c)
			switch c.(type) {
			case Began, RunBegan, RunEnded:
				bounds = true
			}
		}
		if f.Bounds != bounds {
			t.Errorf("%s begins or ends something and does not say so, or the other way round", b.EventType())
		}
		fmt.Fprintln(&got)
		if (len(ev.Changes()) > 0) != (ConversationOf(b) != "") {
			t.Errorf("%s changes a conversation and says not which, or the other way round", b.EventType())
		}
		if _, ofRun := b.(runBody); ofRun && len(ev.Changes()) == 0 {
			t.Errorf("%s is about a run and changes none", b.EventType())
		}
	}
	golden := "testdata/facts.txt"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(want, got.Bytes()) {
		t.Errorf("other facts than %s has (%v); they are\n%s", golden, err, got.String())
	}
}
