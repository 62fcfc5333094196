package forge

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/hints"
	"agentdungeon/shared/world"
)

// Limits of the conversation.
const (
	// maxTries is the maximum number of validations before the person decides how to continue (S1-B3).
	maxTries = 3
	// maxInferences is how often a forge asks a model to infer what is missing (S1-B4).
	maxInferences = 2
	// maxOptions is the maximum number of suggestions below a question.
	maxOptions = 12
)

// Env has the facts about the realm and the server that a step uses.
type Env struct {
	Skills []Existing // skills of this realm and tenant
	Hints  hints.Hints
	Layers []Layer // where a skill can be kept, at least one
	Model  bool    // a model plays the smith
	Window int     // maximum number of lines of history in a request, 0 for all (S1-18)
}

// modelWrites reports whether a model writes the skill of a context.
func (env Env) modelWrites(c *Context) bool { return env.Model && !c.Plan.ByHand }

// Layer is a place where the forge can save skills.
type Layer struct{ ID, Name string }

// Question is a question that the forge asks the person.
type Question struct {
	Topic   string   `json:"topic"`
	Text    string   `json:"text"`
	Options []Option `json:"options,omitempty"` // at most maxOptions
	Many    bool     `json:"many,omitempty"`    // the person can choose more than one option
	Words   bool     `json:"words,omitempty"`   // the person can also answer in words
}

// Option is a button.
type Option struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	// Value is the answer that the option stands for. If it is "", the answer is Label.
	Value string `json:"value,omitempty"`
}

func (o Option) value() string {
	return cmp.Or(o.Value, o.Label)
}

// choices makes options from pairs, in which ids and labels alternate.
func choices(pairs ...string) []Option {
	var out []Option
	for pair := range slices.Chunk(pairs, 2) {
		out = append(out, Option{ID: pair[0], Label: pair[1]})
	}
	return out
}

// openQuestion returns the question that a saved context waits for. If a model's answer or a save was interrupted,
// it returns a question with a button to go on. It returns nil if the forge has not begun or is completed.
func openQuestion(c Context) *Question {
	if c.Plan.Asking != nil || c.State == Completed || c.State == Idle {
		return c.Plan.Asking
	}
	name := cmp.Or(code(c.SkillName), "the skill")
	text := "This was cut off. Go on?"
	switch c.State {
	case Generating, FixingErrors:
		text = "Writing " + name + " was cut off. Go on?"
	case Saving:
		text = "Saving " + name + " was cut off. Go on?"
	}
	return &Question{Topic: topicGoOn, Text: text, Options: choices("go_on", "Go on"), Words: true}
}

// said holds a person's input.
type said struct {
	question *Question // the open question, nil if the forge has not begun
	picks    []Option  // the chosen options
	text     string    // the typed words, "" if the words named an option
}

// chose reports whether the person chose the option with that id, alone or with other options.
func (in said) chose(id string) bool {
	return slices.ContainsFunc(in.picks, func(o Option) bool { return o.ID == id })
}

// typed reports whether the person chose no option and typed one of the given words.
func (in said) typed(words ...string) bool { return len(in.picks) == 0 && says(in.text, words) }

// nudges reports whether the person wants to go on and added nothing.
func (in said) nudges() bool { return len(in.picks) == 0 && nudges(in.text) }

// choice returns the options of a question that an input chooses, by button, by label or by number. ok is false if a
// button does not belong to the question, or if several buttons answer a question that allows one.
func choice(q *Question, in Input) (picks []Option, ok bool) {
	if q == nil {
		return nil, len(in.Buttons) == 0
	}
	for _, id := range in.Buttons {
		i := slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == id })
		if i < 0 {
			return nil, false
		}
		picks = append(picks, q.Options[i])
	}
	if len(picks) > 0 {
		return picks, len(picks) == 1 || q.Many
	}
	for _, o := range q.Options {
		if exact(in.Text) == exact(o.Label) || exact(in.Text) == strings.ReplaceAll(exact(o.Label), "`", "") {
			return []Option{o}, true
		}
	}
	numbers := strings.FieldsFunc(in.Text, func(r rune) bool { return r == ',' || r == ' ' })
	if !q.Many && len(numbers) != 1 {
		return nil, true
	}
	for _, number := range numbers {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > len(q.Options) {
			return nil, true
		}
		picks = append(picks, q.Options[n-1])
	}
	return picks, true
}

// step is the state of Step while it handles one input. The functions of the states modify the context c, and add
// the moves and the paragraphs that the smith says.
type step struct {
	c       Context
	env     Env
	moves   []world.ForgeMove
	say     []string
	ignored string
	err     error
	// noInference prevents another request to the model to infer what is missing, because the person has added nothing
	// since the last request.
	noInference bool
	// failure is the reason, for people, of an error in this step, "" for none.
	failure string
	// trace receives the context after each move; tests interrupt a forge there.
	trace func(Context)
}

// to moves the forge to a state. The step fails if there is no such move.
func (s *step) to(state State, why string) {
	if s.c.State == state || s.err != nil {
		return
	}
	if !May(s.c.State, state) {
		s.err = fmt.Errorf("a forge cannot move from state %s to %s", s.c.State, state)
		return
	}
	s.moves = append(s.moves, world.ForgeMove{From: string(s.c.State), To: string(state), Why: why})
	s.c.State = state
	if s.trace != nil {
		s.trace(s.c.clone())
	}
}

// fail handles an error: an error of saving moves the forge to the state error, every other one to
// gathering_details (S1-B2). In these states the forge asks how to continue.
func (s *step) fail(why string) {
	s.failure, s.noInference = short(why), true
	s.c.Plan.Asking, s.c.Plan.Work = nil, nil
	if s.c.State == Saving {
		s.to(Error, "saving failed")
		return
	}
	s.to(GatheringDetails, "an error: "+s.failure)
	s.tell("That did not work: %s. Nothing of what you said is lost.", s.failure)
}

// tell adds a paragraph to the smith's answer, unless the paragraph is empty.
func (s *step) tell(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); text != "" {
		s.say = append(s.say, text)
	}
}

// menu asks a question even if the forge has asked it before.
func (s *step) menu(q Question) {
	q.Options = q.Options[:min(len(q.Options), maxOptions)]
	s.c.Plan.Asking = &q
	s.tell("%s", q.Text)
}

// ask asks a question and reports true. If it has asked the question before, or has asked maxAsked questions, it does
// nothing and reports false (S1-B4).
func (s *step) ask(q Question) bool {
	if slices.Contains(s.c.AskedQuestions, q.Text) || len(s.c.AskedQuestions) >= maxAsked {
		return false
	}
	s.c.AskedQuestions = append(s.c.AskedQuestions, q.Text)
	s.menu(q)
	return true
}
