package run

import (
	"errors"
	"strings"

	"agentdungeon/server/driver"
	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Hear returns the steps that follow from a chunk. It ignores a chunk of a run that has ended.
func (s *Runs) Hear(r *kind.Realm, m Made) Steps {
	l := s.live[m.run]
	switch {
	case l == nil:
		return none
	case l.answer != nil:
		return s.collect(l, m)
	case m.end:
		return s.returned(r, l, m.err)
	case m.chunk.Read != nil:
		return one(Step{Reads: &Reading{l.member, m.chunk.Read.Path}})
	}
	c, left := l.erased.Chunk(l.member, m.chunk)
	switch {
	case !left:
	case c.Text != "":
		return s.say(r, l, c.Text)
	case c.Pass:
		l.passed = true
	case c.Thought != "":
		text, _ := world.Cut(strings.ToValidUTF8(c.Thought, "\uFFFD"), world.MaxFindingText)
		return one(Step{Frame: &wire.AgentThought{AgentID: l.member, Text: text}})
	case c.Progress != nil:
		return one(Step{Frame: &wire.ProcessProgress{
			ConversationID: l.Talk, Read: c.Progress.Read, Total: c.Progress.Total,
		}})
	case c.Activity != nil:
		return decide(&world.AgentActivity{
			AgentID: l.member, Activity: kind.Clip(c.Activity.Activity, 64), Tool: kind.Clip(c.Activity.Tool, 64),
			ConversationID: l.Talk,
		})
	case c.Insight != nil:
		return decide(&world.KnowledgeUpdated{
			AgentID: l.member, Area: kind.Clip(c.Insight.Area, world.MaxTitle),
			Text: kind.Clip(c.Insight.Text, world.MaxFindingText), Review: c.Insight.Review,
		})
	case c.Tool != nil:
		return s.toolStart(r, l, *c.Tool, m.durable)
	case c.ToolOutput != nil:
		l.toolOutput(*c.ToolOutput, r.Clock.Now)
	case c.ToolEnd != nil:
		return s.toolEnd(l, *c.ToolEnd)
	default:
		return l.handOver(r, c)
	}
	return none
}

// returned ends the run of a driver that has returned err. If err is nil but the driver has neither said words nor
// passed its turn, the run fails (B5).
func (s *Runs) returned(r *kind.Realm, l *live, err error) Steps {
	silent := (l.segment == nil || l.segment.Blank()) && !l.spoke
	var te *driver.TurnError
	switch {
	case errors.As(err, &te):
		s.log.Warn().Str("run", l.Request).Str("member", l.member).Str("code", te.Code).Msg("a turn failed")
		return s.Fail(r, l.Key, kind.Clip(te.Code, 64), kind.Clip(te.Message, 500))
	case err != nil:
		s.log.Warn().Err(err).Str("run", l.Request).Str("member", l.member).Msg("a turn failed")
		return s.Fail(r, l.Key, world.ChatModel, "The driver failed; see the server's log.")
	case silent && !l.passed:
		return s.Fail(r, l.Key, world.ChatEmpty, "The turn ended without a word.")
	}
	bodies := s.closing(r, l.Key, world.ClosedByDone, world.MessageDone)
	talk, run := r.Talks[l.Talk], r.Running(l.Talk, l.Request)
	ended := kind.Ended{Run: *run, Passed: silent}
	return decide(append(bodies, r.Kinds.Of(talk.Head.Kind).Done(r, talk, ended)...)...)
}

var errNoTools = errors.New("a turn that makes a hidden answer cannot use tools")

// collect adds a chunk's words to a hidden answer. It yields the answer when the driver has returned or the answer
// exceeds its limit. It refuses tool calls, and ignores all other chunks without words.
func (s *Runs) collect(l *live, m Made) Steps {
	h := Heard{Key: l.Key, N: l.answer.n}
	var te *driver.TurnError
	switch {
	case m.chunk.Tool != nil:
		m.durable <- errNoTools // never blocks, because the channel has room for one value
		return none
	case m.chunk.Text != "" && l.answer.text.Len()+len(m.chunk.Text) > l.answer.most:
		h.Code = world.ChatLimit // Why stays empty: the kind writes its own reason for an answer that is too long
	case m.chunk.Text != "":
		l.answer.text.WriteString(m.chunk.Text)
		return none
	case !m.end:
		return none
	case errors.As(m.err, &te):
		s.log.Warn().Str("run", l.Request).Str("member", l.member).Str("code", te.Code).Msg("a hidden answer failed")
		h.Code, h.Why = kind.Clip(te.Code, 64), te.Message
	case m.err != nil:
		s.log.Warn().Err(m.err).Str("run", l.Request).Str("member", l.member).Msg("a hidden answer failed")
		h.Code, h.Why = world.ChatModel, "the driver failed; the server's log has the error"
	default:
		h.Text = l.erased.Text(strings.ToValidUTF8(l.answer.text.String(), "\uFFFD"))
	}
	return one(Step{Heard: &h})
}
