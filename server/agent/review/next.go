package review

import (
	"strings"

	"agentdungeon/server/dungeon"
)

// nextTitle begins the last paragraph of an answer in a chat: questions to go on with, each on a line "- QUESTION".
// Clients show them as buttons (P9.21).
const nextTitle = "Ask next:"

// Questions that the scouts offer to a person who has asked nothing yet.
const (
	whatIsThis  = "What is this repository?"
	whereToRead = "Where do I begin to read?"
	whatIsRisky = "What is risky here?"
	whatFirst   = "What should I do first?"
	whoKnows    = "Who knows this code?"
	howToRun    = "How do I run it?"
	howToTest   = "How do I run the tests?"
	whatDecided = "What did we decide?"
)

// asks returns the paragraph with three questions that a person may ask after an answer.
func (t guide) asks(key string, s subject) string {
	return nextTitle + "\n- " + strings.Join(t.follow(key, s), "\n- ")
}

// follow returns three questions that the scouts can answer. The question that was just answered, which key names,
// is not among them. If the answer was about a file or a folder, the questions name it.
func (t guide) follow(key string, s subject) []string {
	switch {
	case s.file != nil:
		p := s.file.Path
		return three(key, []offer{
			{"changed", "Who changed " + p + " last?"}, {"imports", "What imports " + p + "?"},
			{"found", "What was found in " + p + "?"}, {"knows", "Who knows " + p + "?"},
		})
	case s.dir != "":
		d := "the folder " + s.dir
		return three(key, []offer{
			{"about", "What does " + d + " do?"}, {"risk", "What is risky in " + d + "?"},
			{"changed", "Who changed " + d + " last?"}, {"knows", "Who knows " + d + "?"},
		})
	}
	var all []offer
	switch key {
	case "read":
		if tops := heaviestOf(count(t.review.repo).tops, 1); len(tops) > 0 {
			all = append(all, offer{"about dir", "What does the folder " + tops[0].name + " do?"})
		}
	case "risk", "first":
		if p := t.topPath(); p != "" {
			all = append(all, offer{"changed", "Who changed " + p + " last?"})
		}
	case "about":
		all = append(all, offer{"how", howToRun})
	case "how":
		all = append(all, offer{"how tests", howToTest})
	case "knows":
		all = append(all, offer{"churn", "Which files change most?"})
	}
	if e := t.turn.Ended; len(e) > 0 && !isReview(&e[len(e)-1]) {
		all = append(all, offer{"decided", whatDecided})
	}
	return three(key, append(all, offer{"about", whatIsThis}, offer{"read", whereToRead},
		offer{"risk", whatIsRisky}, offer{"first", whatFirst}, offer{"knows", whoKnows}))
}

// topPath returns the path of the weightiest finding that is neither withdrawn nor only suspected, "" for none.
func (t guide) topPath() string {
	for _, f := range t.standing(subject{}) {
		if p, err := dungeon.DecodePath(f.Path); err == nil && t.review.repo.File(p) != nil {
			return p
		}
	}
	return ""
}

// offer is a question with the key of the answer that it gets.
type offer struct{ key, question string }

func three(answered string, all []offer) []string {
	var out []string
	for _, o := range all {
		if o.key != answered && len(out) < 3 {
			out = append(out, o.question)
		}
	}
	return out
}
