package review

import (
	"fmt"

	"agentdungeon/server/inspect"
)

// Patterns of the questions that people ask first. Such a question is about the whole repository unless it names a
// file or a folder.
var (
	greets = inspect.Pattern(`(?i)^\W*(hi|hello|hey|hallo|hiya|howdy|greetings|welcome|` +
		`good (morning|day|afternoon|evening))\b[^?]{0,40}$`)
	thanks    = inspect.Pattern(`(?i)^\W*(many )?(thanks|thank you|thx|cheers|great|perfect)\b[^?]{0,30}$`)
	asksPlace = inspect.Pattern(`(?i)\bwhat('?s| is| are| does| do)?\b.*\b(this|here|the) ` +
		`(place|repo|repository|project|program|code|code ?base|folder|app|application|tool|thing|software|realm)\b|` +
		`^\W*what('?s| is| does) (this|it|here)\b|\bwhere am i\b|\bwhat am i (looking at|seeing)\b|` +
		`^\W*(please )?(describe|explain|summari[sz]e|introduce|tell me (something )?about|show me) ` +
		`(this|it|the (project|repo|repository|code ?base|program|code))\b|` +
		`\b(give me )?an? (overview|introduction|summary|tour)\b|^\W*(overview|summary|tour)\W*$`)
	asksFirst = inspect.Pattern(`(?i)\bwhat\b.*\b(should|shall|can|could|must|do|would) (i|we|you|one)\b.*` +
		`\b(do|take|mend|fix|tackle|improve|work on)\b|\bwhat('?s| is)? (to do|next)\b|\bwhat now\b|` +
		`\bwhat needs (doing|work|fixing|attention)\b|\b(most|more) (important|urgent)\b.*\b(task|thing|problem|work)\b|` +
		`\bhow can i help\b|\bwhere do we go\b`)
	asksRead = inspect.Pattern(`(?i)\bwhere\b.*\b(do|should|shall|can|could|would|to|must)\b.*\b(begin|start)\b|` +
		`\bwh(at|ich)\b.*\b(read|look at|open)\b|\b(read|reading|start|begin) (first|order)\b|` +
		`\bhow (do|can|should) (i|we|one) (get (started|into)|find my way|learn|understand|approach)\b|` +
		`\b(entry|starting) points?\b|\b(main|important|key|central|core) (files?|parts?|folders?|modules?|packages?)\b`)
	asksRisk = inspect.Pattern(`(?i)\b(risk|risks|risky|riskiest|dangers?|dangerous|` +
		`fragile|brittle|unsafe|insecure)\b|` +
		`\bwhat\b.*\b(could|can|might|may|will) (break|fail|go wrong)\b|\b(weak|sore|trouble) ?(spots?|points?)\b|` +
		`\bwhat worries\b|\b(careful|watch out|afraid)\b|\bworst (part|thing|file|problem|code)s?\b`)
	asksKnows = inspect.Pattern(`(?i)\bwho\b.*` +
		`\b(knows?|owns?|maintains?|wrote most|develops?|works?|worked|made|built|created)\b|` +
		`\bwho (are|is|'?s) (the|behind|responsible)\b|\bwhom?\b.*\b(ask|talk to|turn to)\b|` +
		`\b(authors?|maintainers?|experts?|contributors?|owners?)\b`)
	asksRecent = inspect.Pattern(`(?i)\bwhat\b.*\b(changed?|changes|happened|was (edited|touched))\b.*` +
		`\b(last|recently|lately|latest)\b|\b(last|latest|newest|most recent|recent) (changes?|commits?|edits?)\b|` +
		`\bwhat('?s| is) new\b`)
	asksWrote = inspect.Pattern(`(?i)^\W*who (wrote|writes|has written|authored|programmed|coded)\b`)
)

// guide answers the questions that people ask first.
type guide struct{ *speaker }

// answer returns the answer to one of the questions that people ask first, nil for another question.
func (t guide) answer(question string, s subject) *answer {
	free, asked := !s.placed() && s.name == "", s.apart(question)
	for _, r := range []struct {
		when bool
		answer
	}{
		{greets.MatchString(question), answer{"greeting", func() (string, bool, error) { return t.greeting(), true, nil }}},
		{thanks.MatchString(question), answer{"greeting", func() (string, bool, error) {
			return "You are welcome.", true, nil
		}}},
		{free && asksDecided.MatchString(question), answer{"decided", func() (string, bool, error) {
			text, err := results{&t.view}.text(question)
			return text, true, err
		}}},
		{!free && asksBreak.MatchString(asked), answer{"imports", func() (string, bool, error) {
			return t.whatImports(question, s)
		}}},
		{asksKnows.MatchString(asked), answer{"knows", func() (string, bool, error) { return t.knows(s) }}},
		{asksRisk.MatchString(asked), answer{"risk", func() (string, bool, error) { return t.risk(s) }}},
		{free && asksFirst.MatchString(question), answer{"first", t.first}},
		{free && asksWrote.MatchString(question), answer{"knows", func() (string, bool, error) { return t.knows(s) }}},
		{free && asksHowTest.MatchString(question), answer{"how tests", t.howTests}},
		{asksRecent.MatchString(asked), answer{"changed", func() (string, bool, error) { return t.changed(s) }}},
		{free && asksHow.MatchString(question), answer{"how", t.usage}},
		{free && asksRead.MatchString(question), answer{"read", t.read}},
		{free && asksPlace.MatchString(question), answer{"about", func() (string, bool, error) {
			return t.place(), true, t.ctx.Err()
		}}},
	} {
		if r.when {
			return &r.answer
		}
	}
	return nil
}

// greeting answers a greeting in one sentence.
func (t guide) greeting() string {
	return fmt.Sprintf("Hello, I am %s: ask me what this repository is, where to begin to read, what is risky here, "+
		"what to do first, or who knows this code.", name(t.turn.Role.ID))
}

// beyond says, in one sentence, that the question cannot be answered by a measurement, and who could answer it.
func (t guide) beyond(question string) string {
	also := ""
	switch near := own(t).near(question); len(near) {
	case 0:
	case 1:
		also = near[0] + " looks at what is nearest to it, and "
	default:
		also = list(near) + " look at what is nearest to it, and "
	}
	return "That is beyond me, since I only tell what I can measure here: " + also +
		"a person could answer it, or a language model, for which the server is started with `-model-url`."
}
