package world

import (
	"fmt"
	"testing"
)

// S0-07: the instance numbers of a member increase, whoever else plays meanwhile. If there are more members than are
// kept, the member that played longest ago is forgotten. P9.10a.
func TestInstancesCountOn_S0_07(t *testing.T) {
	w := New(Realm{})
	play := func(member string) {
		seq := w.Tick + 1
		Apply(w, Event{Seq: seq, At: Time(seq), V: 1, Body: &ChatStarted{
			ConversationID: "c", RequestID: fmt.Sprint("r", seq), MemberID: member, Instance: w.NextInstance(member), Status: RunRunning,
		}})
	}
	for n := range MaxInstances {
		play(fmt.Sprint("m", n))
	}
	play("m0")
	if got := w.NextInstance("m0"); got != "m0#3" {
		t.Errorf("the next of m0 is %s", got)
	}
	play("new") // m1 played longest ago
	if len(w.Instances) != MaxInstances || w.NextInstance("m1") != "m1#1" || w.NextInstance("m2") != "m2#2" || w.NextInstance("m0") != "m0#3" {
		t.Errorf("%d are kept; next %s, %s, %s", len(w.Instances), w.NextInstance("m1"), w.NextInstance("m2"), w.NextInstance("m0"))
	}
	if err := w.Validate(); err != nil {
		t.Error(err)
	}
	if got := (Instance{"a", "b#2"}).Number() + (Instance{"a", "a#x"}).Number() + (Instance{"a", ""}).Number(); got != 0 {
		t.Errorf("what is no instance counts %d", got)
	}
}
