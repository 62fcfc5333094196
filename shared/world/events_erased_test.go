package world

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The world remembers the ids of people who were erased on request, however many conversations retention erases after
// that (S1-19). P16.7.
func TestRetentionForgetsNoErasedPerson(t *testing.T) {
	w := New(Realm{ID: "r1"})
	apply := func(b *HistoryErased) { Apply(w, Event{Seq: w.Tick + 1, V: 1, Body: b}) }
	apply(&HistoryErased{ErasureID: "e", SpectatorID: "p1", Reason: ErasedOnRequest})
	for pass := range 2*MaxErased/MaxErasedConversations + 1 {
		ids := []string{}
		for i := range MaxErasedConversations {
			ids = append(ids, fmt.Sprintf("c%d-%d", pass, i))
		}
		apply(&HistoryErased{ErasureID: "e", Conversations: ids, Reason: ErasedByRetention})
	}
	if len(w.Erased) != MaxErased || !w.IsErased("p1") {
		t.Errorf("%d are remembered, the person %v", len(w.Erased), slices.Contains(w.Erased, "p1"))
	}
}

// The receipt names the skills that the erased conversations have made, also if a person's forges were erased with the
// person (S1-19).
func TestReceiptNamesSkills(t *testing.T) {
	w := &World{Realm: Realm{ID: "r1", Path: "/srv"}, Skills: []Skill{{Name: "sharpen", ConversationID: "c1"}, {Name: "other", ConversationID: "c2"}, {Name: "found"}}}
	got := NewReceipt(Erasure{ErasureID: "e", SpectatorID: "p1"}, []string{"c1"}, w, nil, nil, nil).Unreached
	said := func(s string) bool {
		return slices.ContainsFunc(got, func(line string) bool { return strings.Contains(line, s) })
	}
	if !said("skills/sharpen.") || said("skills/other") || said("skills/found") {
		t.Errorf("%q", got)
	}
}
