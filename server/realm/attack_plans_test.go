package realm

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func TestAttackResumeGoesOverTheLimit(t *testing.T) {
	hostileStage(t, hostileWaits, func(b *bench) {
		c := b.tab()
		c.send(ada, "s", &wire.UpdateSettings{Settings: raw(`{"maxConcurrentConversations":1}`)})
		var ids []string
		for _, n := range []string{"1", "2", "3", "4"} {
			id := begun(t, c.send(ada, "n"+n, councilOf("we", 5, "sage", "bard")))
			c.send(ada, "p"+n, &wire.ConversationPause{ConversationID: id})
			ids = append(ids, id)
		}
		active := 0
		for i, id := range ids {
			c.send(ada, "r"+string(rune('0'+i)), &wire.ConversationResume{ConversationID: id})
		}
		for _, id := range ids {
			if b.head(id).Status == world.ConversationActive {
				active++
			}
		}
		if active > 1 {
			t.Errorf("%d councils are active, 1 may be", active)
		}
	})
}

// A chat is about a stage of one process. Its prompt still has the results of that process when the next process has
// run the same template.
func TestAttackAboutAnotherProcess(t *testing.T) {
	var last string
	play := cast(func(ctx context.Context, q TurnRequest, emit func(Chunk) error) error {
		if q.Kind == world.KindChat {
			last = q.Prompt
			return emit(Chunk{Text: "ok"})
		}
		if err := emit(Chunk{Artifact: &NamedText{Name: "notes", Text: "work on " + q.Problem}}); err != nil {
			return err
		}
		return emit(Chunk{Text: "work on " + q.Problem})
	})
	hostileStage(t, play, func(b *bench) {
		tpl := actors()
		tpl.ID = "arts"
		tpl.Stages[0].Artifacts = []world.ArtifactSpec{{Name: "notes"}}
		b.extra = append(b.extra, tpl)
		b.stop()
		b.start(false)
		c := b.tab()
		c.send(ada, "s", &wire.StartProcess{Problem: "FIRST", TemplateID: "arts"})
		id := begun(t, c.send(ada, "n", &wire.ConversationStart{Kind: world.KindChat, MemberIDs: []string{"sage"}, TemplateID: "arts", StageID: "one"}))
		time.Sleep(time.Minute)
		synctest.Wait()
		c.send(ada, "s2", &wire.StartProcess{Problem: "SECOND", TemplateID: "arts"})
		c.send(ada, "q", &wire.ChatSend{ConversationID: id, Content: "what came of it?"})
		if strings.Contains(last, "work on SECOND") || !strings.Contains(last, "work on FIRST") {
			t.Errorf("a chat about the first process: told of the first %v, of the second %v", strings.Contains(last, "work on FIRST"), strings.Contains(last, "work on SECOND"))
		}
	})
}
