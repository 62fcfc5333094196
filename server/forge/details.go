package forge

import (
	"slices"
	"strings"

	"agentdungeon/server/skill"
)

// hearDetail handles the answer to a question of the state gathering_details.
func hearDetail(s *step, in said) {
	topic, changing := strings.CutPrefix(in.question.Topic, topicEdit)
	none := len(in.picks) == 1 && in.chose("none") || in.typed(noWords...)
	switch {
	case topic == topicPurpose && !changing:
		setPurpose(s, in.text)
	case topic == topicTaken && in.chose("replace"):
		s.c.Plan.Replace = true
	case topic == topicTaken && len(in.picks) > 0:
		s.c.SkillName = in.picks[0].value()
	case topic == topicTaken:
		s.tell("%s", s.c.setName(in.text))
	case topic == topicChange && len(in.picks) > 0:
		change(s, in.picks[0].ID, "")
	case topic == topicChange:
		s.c.Plan.Held = in.text
	case topic == topicWhere:
		hearWhere(s, in)
	case topic == topicAgain:
		hearAgain(s, in)
	case topic == topicGoOn, topic == topicOpen:
		if !in.nudges() && !none && !canInfer(s) { // if a model can infer, it reads these words in the history
			s.c.Plan.Held = in.text
		}
	case none:
		s.c.Plan.markAnswered(topic)
		s.c.Plan.markPassed(topic)
		if about, ok := strings.CutPrefix(topic, topicReference); ok { // its button is "Leave it out"
			s.c.ReferencesTopics = slices.DeleteFunc(s.c.ReferencesTopics, func(t string) bool { return t == about })
		} else if changing {
			s.set(topic, nil, "")
		}
	case in.nudges() && changing: // the old answer stays
		s.c.Plan.markAnswered(topic)
	case in.nudges() && topic != topicName:
		hearVague(s, in)
	default:
		if bad := s.set(topic, valuesOf(in.picks), in.text); bad != "" {
			again := *in.question
			again.Text, again.Words = bad, true
			if changing {
				s.menu(again)
				return
			}
			if s.ask(again) {
				return
			}
			s.c.Plan.markPassed(topic)
		}
		s.c.Plan.markAnswered(topic)
	}
}

// hearVague handles the answer "yes" or "go on" to a question that asks for content. If the answer is a yes and the
// question has only one proposal, hearVague takes that proposal; otherwise it asks the question once more.
func hearVague(s *step, in said) {
	q := in.question
	proposals := slices.DeleteFunc(slices.Clone(q.Options), func(o Option) bool { return o.ID == "none" })
	if len(proposals) == 1 && says(in.text, yesWords) {
		hearDetail(s, said{q, proposals, ""})
		return
	}
	const unclear = " tells me nothing for this yet; say `none` if there is nothing. "
	again := *q
	again.Text = quote(in.text) + unclear + q.Text
	if strings.Contains(q.Text, unclear) || !s.ask(again) {
		s.c.Plan.markPassed(q.Topic)
	}
}

// askDetail asks about the first topic that still needs an answer. If no topic does, it asks the person to confirm the
// skill.
func askDetail(s *step) {
	c := &s.c
	switch {
	case s.failure != "" && c.SkillPurpose == "":
		s.menu(Question{Topic: topicPurpose, Text: "What should the skill do?", Words: true})
		return
	case s.failure != "" && c.Plan.Confirmed:
		q := Question{Topic: topicAgain, Text: "Say what should be different, or try again.", Words: true,
			Options: choices("again", "Try again")}
		if s.env.Model {
			q.Options = append(q.Options, optionPlain)
		}
		s.menu(q)
		return
	case c.Plan.Held != "":
		sortHeld(s)
		return
	case canInfer(s):
		c.InferenceAttempts++
		c.Plan.request(workInfer)
		return
	case askTopic(s):
		return
	case s.failure != "":
		s.menu(Question{Topic: topicAgain, Text: "Say what should be different, or go on.", Words: true,
			Options: choices("again", "Go on")})
		return
	}
	if q := c.settleName(s.env.Skills); q != nil {
		s.menu(*q)
		return
	}
	c.settleDescription()
	s.to(ConfirmingSpec, "enough is known")
}

// optionPlain is the button to write the skill without the model after the model has failed.
var optionPlain = Option{ID: "plain", Label: "Write it without the model"}

// askTopic asks the first open question, in the order of the topics. It returns false if no question is open.
func askTopic(s *step) bool {
	topics := slices.Clone(order)
	if !s.env.Model { // if a model plays the smith, it writes the references from what was said
		for _, about := range s.c.ReferencesTopics {
			topics = append(topics, topicReference+about)
		}
	}
	for _, topic := range topics {
		if filled(&s.c, s.env, topic) || s.c.Plan.passed(topic) {
			continue
		}
		if q := question(topic, &s.c, s.env.Hints); q != nil && s.ask(*q) {
			return true
		}
		s.c.Plan.markPassed(topic)
	}
	return false
}

// canInfer reports whether a model can be asked to infer what is missing.
func canInfer(s *step) bool {
	return s.env.Model && !s.noInference && s.c.InferenceAttempts < maxInferences && missing(&s.c, s.env)
}

// missing reports whether there is something that a model could infer.
func missing(c *Context, env Env) bool {
	return slices.ContainsFunc([]string{topicSteps, topicTriggers, topicExamples}, func(t string) bool {
		return !filled(c, env, t) && !c.Plan.passed(t)
	})
}

// filled reports whether the forge need not ask about a topic.
func filled(c *Context, env Env, topic string) bool {
	if l, ok := lists[topic]; ok && len(*l.of(c)) > 0 {
		return true
	}
	switch topic {
	case topicLimits:
		return env.modelWrites(c) // a model writes the limits from what was said
	case topicTools:
		return len(c.AllowedTools) > 0
	case topicName:
		return c.name() != ""
	}
	about, ok := strings.CutPrefix(topic, topicReference)
	return ok && (c.Plan.Notes[about] != "" || slices.Contains(env.Hints.Docs, about))
}

// inferred fills empty fields with what the model inferred and keeps what the person said. The forge asks a
// question that the model proposes before its own questions.
func inferred(s *step, text string) {
	s.noInference = true
	got, ok := parseInference(text)
	if !ok {
		return // InferenceAttempts includes this answer, although it cannot be parsed
	}
	c := &s.c
	for topic, texts := range map[string][]string{
		topicSteps: got.Steps, topicTriggers: got.Triggers, topicLimits: got.Limits, topicExamples: got.Examples,
		topicReferences: got.References, topicScripts: got.Scripts,
	} {
		l := lists[topic]
		switch {
		case len(*l.of(c)) > 0 || s.c.Plan.passed(topic):
		case topic == topicExamples: // an example without empty lines stays one block
			l.set(c, nil, strings.Join(mapped(texts, func(example string) string {
				return emptyLines.ReplaceAllString(strings.TrimSpace(example), "\n")
			}), "\n\n"))
		default:
			*l.of(c) = distinct(texts, l.most, l.size)
		}
	}
	if len(c.AllowedTools) == 0 && !s.c.Plan.passed(topicTools) {
		s.set(topicTools, got.Tools, "")
	}
	if c.SkillName == "" {
		c.SkillName = kebab(got.Name, skill.MaxName)
	}
	if d := line(got.Description, 4*skill.MaxDescription); !c.Plan.Described && skill.DescriptionProblem(d) == nil {
		c.SkillDescription = d
	}
	if q := line(got.Question, 400); q != "" && missing(&s.c, s.env) {
		s.ask(Question{Topic: topicOpen, Text: q, Words: true})
	}
}
