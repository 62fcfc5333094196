package forge

import (
	"slices"
	"strings"
)

// change sets a part of the skill to value. If value is "" or invalid, it asks the person for a new value.
func change(s *step, topic, value string) {
	s.to(GatheringDetails, "something is to change")
	if value != "" {
		bad := s.set(topic, nil, value)
		if bad == "" {
			return
		}
		s.tell("%s", bad)
	}
	q := question(topic, &s.c, s.env.Hints)
	if q == nil {
		q = &Question{Words: true, Options: choices("none", "None"), Text: "Which should there be? One a line."}
	}
	if now := s.c.part(topic); now != "" {
		q.Text = "Now it is:\n\n" + now + "\n\nWhat should it be instead?"
	}
	switch topic {
	case topicDescribe, topicName, topicPurpose:
		q.Options = nil
	}
	q.Topic = topicEdit + topic
	s.menu(*q)
}

// changeQuestion asks which part of the skill to change.
func changeQuestion() Question {
	q := Question{Topic: topicChange, Text: "What should change?", Words: true}
	for _, p := range parts {
		q.Options = append(q.Options, Option{ID: p.topic, Label: p.label})
	}
	return q
}

// sortHeld assigns the person's words in Plan.Held, whose topic is not known yet, to a part of the skill. If the
// words name the part ("name: x"), it sets that part; otherwise it asks the person to which part they belong.
func sortHeld(s *step) {
	held := tidy(s.c.Plan.Held, maxWords)
	s.c.Plan.Held = ""
	if topic, value := assignment(held); topic != "" {
		s.tell("%s", s.set(topic, nil, value))
		return
	}
	if says(held, noWords) {
		return
	}
	s.c.Plan.Held = held
	s.menu(Question{
		Topic: topicWhere, Text: "Where does " + quote(held) + " belong?", Options: choices(
			topicSteps, "Another step", topicTriggers, "When to use it", topicExamples, "An example",
			topicLimits, "What it is not for", topicPurpose, "The purpose", topicReferences, "A reference",
			"drop", "Leave it out",
		),
	})
}

// hearWhere handles the answer to the question to which part the words in Plan.Held belong. If the person chose a
// part, hearWhere adds the held words to it. If the person typed words, hearWhere appends them to the held words.
// If the typed words name a part ("name: x") or decline, they replace the held words.
func hearWhere(s *step, in said) {
	c, held := &s.c, s.c.Plan.Held
	c.Plan.Held = ""
	if len(in.picks) == 0 {
		if topic, _ := assignment(in.text); topic == "" && !says(in.text, noWords) {
			in.text = held + "\n" + in.text
		}
		c.Plan.Held = in.text
		return
	}
	switch topic := in.picks[0].ID; topic {
	case topicSteps, topicTriggers, topicExamples, topicLimits:
		lists[topic].add(c, held)
	case topicPurpose:
		c.SkillPurpose = tidy(c.SkillPurpose+"\n"+held, maxPurpose)
	case topicReferences:
		about := line(firstSentence(held), 80)
		if !slices.Contains(c.ReferencesTopics, about) && len(c.ReferencesTopics) < maxReferences {
			c.ReferencesTopics = append(c.ReferencesTopics, about)
		}
		s.set(topicReference+about, nil, held)
	}
}

// hearAgain handles the person's answer after validation has found problems or a step has failed. If the skill was
// confirmed, and the person adds nothing or a model reads what the person adds, the forge writes the skill once more.
// Otherwise the forge first finds out to which part of the skill the words belong (Plan.Held).
func hearAgain(s *step, in said) {
	s.c.ValidationAttempts = 0
	s.c.Plan.ByHand = s.c.Plan.ByHand || in.chose(optionPlain.ID)
	again := len(in.picks) > 0 || nudges(in.text)
	switch {
	case s.c.Plan.Confirmed && (again || s.env.modelWrites(&s.c)):
		s.c.SkillName = s.c.name()
		if s.c.SkillDescription == "" {
			s.c.SkillDescription = describe(&s.c)
		}
		s.to(Generating, "confirmed")
	case !again:
		s.c.Plan.Held = in.text
	}
}

// assignment parses a text such as "name: x". The topic is "" if the text has another form.
func assignment(text string) (topic, value string) {
	name, value, _ := strings.Cut(text, ":")
	if value = strings.TrimSpace(value); value == "" {
		return "", ""
	}
	return partNames[exact(name)], value
}
