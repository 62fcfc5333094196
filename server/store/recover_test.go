package store

import (
	"slices"
	"testing"

	"agentdungeon/shared/world"
)

func TestFirstOpeningAndCleanRestart(t *testing.T) { // S3-12
	r := newRig(t)
	if r.o.Saved.Restored != nil || r.o.Saved.Head != 0 || r.o.Journal.Floor() != 1 || len(r.o.Saved.Lines) != 1 {
		t.Fatalf("a new realm: %+v, floor %d", r.o.Saved, r.o.Journal.Floor())
	}
	r.tell()
	r.checkpoint()
	head, epoch := r.w.Tick, r.o.Saved.Epoch
	r.close()
	o := mustOpen(t, r.dir)
	s := o.Saved
	sameJSON(t, "world", s.World, r.w)
	if s.Head != head || s.LastAt != r.at || len(s.Lines) != 2 || s.Lines[0].Epoch != epoch || s.Lines[1].FromSeq != head+1 || s.Lines[1].Epoch != s.Epoch || s.Epoch == epoch {
		t.Fatalf("head %d, last at %d, lines %+v", s.Head, s.LastAt, s.Lines)
	}
	if res := s.Restored; res == nil || res.Source != world.RestoredFromCheckpoint || res.RestoredTo != head || res.TranscriptsLost || len(res.SetAside) > 0 || res.StageTurnCounts != nil || res.AgentTurnCounts != nil {
		t.Fatalf("restored %+v", res)
	}
	if got := readAll(t, o.Journal, 0); !slices.EqualFunc(got, r.frames, slices.Equal) {
		t.Fatal("the frames differ")
	}
	if len(s.Conversations) != 1 {
		t.Fatalf("%d conversations", len(s.Conversations))
	}
	c := s.Conversations[0]
	if len(c.Messages) != 4 || c.HasMore || c.Messages[3].Status != world.MessageOpen || c.Messages[3].Content != "" {
		t.Fatalf("messages %+v", c.Messages)
	}
	if len(c.Runs) != 3 || c.Runs[0].RequestID != "t1" || c.Runs[2].Status != world.RunRunning || c.Runs[2].Turn.N != 2 {
		t.Fatalf("runs %+v", c.Runs)
	}
	if len(c.StageRows) != 2 || c.StageRows[0].MessageID != "m1" || c.StageRows[1].MessageID != "m2" || c.LastTurnAt == 0 {
		t.Fatalf("stage rows %+v, last turn at %d", c.StageRows, c.LastTurnAt)
	}
}
