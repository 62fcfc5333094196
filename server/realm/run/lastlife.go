package run

import (
	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// Interrupted are the events that end a run whose driver died with the last life: its open row
// closes empty and says so, because the text that had streamed is gone (P9.4); nobody knows what
// came of its tools, and its plan waits for a person where one of them does more than look.
func (s *Runs) Interrupted(r *kind.Realm, talk *kind.Talk, run world.Run) []world.Body {
	var rows, tools, follow []world.Body
	for _, m := range talk.Messages {
		switch {
		case m.Status != world.MessageOpen || m.RequestID != run.RequestID:
		case m.Role == world.RoleAssistant:
			m.Status = world.MessageInterrupted
			rows = append(rows, &world.SegmentClosed{
				ConversationID: run.ConversationID, RequestID: run.RequestID, Message: m, Reason: world.ClosedByInterrupt,
			})
		case m.Role == world.RoleTool && m.Tool != nil:
			tools = append(tools, &world.ToolEnd{
				ConversationID: run.ConversationID, RequestID: run.RequestID, MessageID: m.MessageID,
				Output: m.Content, Unknown: true,
			})
			if !m.Tool.Reads && follow == nil {
				follow = r.Kinds.Of(talk.Head.Kind).Cut(r, talk, kind.Cut{
					Run: run, Status: world.RunCancelled, Stage: m.StageID, Tool: m.Tool.Name,
				})
			}
		}
	}
	if len(tools) > 1 {
		s.log.Warn().Str("run", run.RequestID).Int("tools", len(tools)).Msg("tools were cut off")
	}
	out := append(append(rows, tools...), &world.ChatCancelled{
		ConversationID: run.ConversationID, RequestID: run.RequestID, MemberID: run.MemberID, Reason: world.CancelInterrupted,
	})
	return append(out, follow...)
}
