package world

import (
	"slices"
	"strconv"
	"strings"
)

// Instance is the name MemberID#n of the newest driver that plays a member. n counts the drivers of the member from
// 1, across restarts of the server (S0-07).
type Instance struct {
	MemberID string `json:"memberId"`
	Instance string `json:"instance"`
}

// MaxInstances is the maximum number of instances in a world. If there are more, the world drops the one that
// played longest ago; the next driver of that member has the number 1 again.
const MaxInstances = 256

// NextInstance returns the name MemberID#n of a member's next driver.
func (w *World) NextInstance(memberID string) string {
	return memberID + "#" + strconv.Itoa(w.InstanceNumber(memberID)+1)
}

// InstanceNumber returns the number of a member's newest driver, 0 for none.
func (w *World) InstanceNumber(memberID string) int {
	if i := find(w.Instances, func(i *Instance) bool { return i.MemberID == memberID }); i != nil {
		return i.Number()
	}
	return 0
}

// Number returns n of MemberID#n, 0 for any other form.
func (i Instance) Number() int {
	nth, ok := strings.CutPrefix(i.Instance, i.MemberID+"#")
	n, err := strconv.Atoi(nth)
	if !ok || err != nil {
		return 0
	}
	return n
}

// setInstance sets a member's newest instance and puts it last.
func (w *World) setInstance(memberID, instance string) {
	w.Instances = append(slices.DeleteFunc(w.Instances, func(i Instance) bool { return i.MemberID == memberID }),
		Instance{memberID, instance})
	if over := len(w.Instances) - MaxInstances; over > 0 {
		w.Instances = slices.Clone(w.Instances[over:])
	}
}
