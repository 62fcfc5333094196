package process

import (
	"testing"

	"agentdungeon/shared/world"
)

// A finding names its process and an artifact its attempt. Their times decide only for those of older versions, which
// lack these fields, because the clock may have been set back since (P4.1).
func TestWhatIsOfNowWhereTheClockWasSetBack(t *testing.T) {
	const then, now = world.Time(9e12), world.Time(8e12)
	w := world.New(world.Realm{})
	w.ProcessState = world.ProcessState{ConversationID: "second", StageAttempt: 2, StageStartedAt: now}
	w.Findings = []world.Finding{
		{ID: "first", ProcessID: "first", At: then}, {ID: "second", ProcessID: "second", At: now},
		{ID: "older", At: now - 1}, {ID: "newer", At: now + 1}, // of an older version that ordered them by time only
	}
	ids := func(list []world.Finding) (out string) {
		for _, f := range list {
			out += f.ID + " "
		}
		return out
	}
	if got := ids(KnownFindings(w, world.Turn{}, now)); got != "second newer " {
		t.Errorf("findings of this process: %s", got)
	}
	if got := ids(EarlierFindings(w, now)); got != "first older " {
		t.Errorf("findings of processes before: %s", got)
	}
	for _, c := range []struct {
		a    world.Artifact
		want bool
	}{
		{world.Artifact{Attempt: 1, At: then}, true}, {world.Artifact{Attempt: 2, At: now - 5}, false},
		{world.Artifact{At: now - 1}, true}, {world.Artifact{At: now}, false},
	} {
		if got := earlier(&w.ProcessState, &c.a); got != c.want {
			t.Errorf("%+v is of an earlier attempt: %v", c.a, got)
		}
	}
}
