package forge

import (
	"errors"
	"fmt"
	"strings"

	"agentdungeon/shared/world"
)

// Input is the input of a step. It has a person's words (Text), Buttons or both, or exactly one of the other fields.
type Input struct {
	// Begin opens the conversation before anybody has said anything.
	Begin bool
	Text  string
	// Buttons are the ids of the chosen options of the open question. A person may also type an option's
	// label or number.
	Buttons []string
	Answer  *Answer
	Saved   *Saved
	// Failed is the reason, for people, why the forge cannot continue in its state.
	Failed string
}

// Answer is a model's answer to the request N. If there is no answer, Err is the reason, for people.
type Answer struct {
	N    int
	Text string
	Err  string
}

// Saved is the outcome of a save. If the files are not on disk, Err is the reason, for people.
type Saved struct{ Err string }

// Result is the result of a step. Its context says what the forge waits for: a person (Plan.Asking), a
// model (Plan.Work), the disk (state saving), or nothing (state completed).
type Result struct {
	Context Context
	Moves   []world.ForgeMove
	// Say is the smith's row of the transcript, in Markdown, "" for none. It ends with the text of the
	// question if the step asks one.
	Say string
	// Ignored is the reason, for the sender, why the input changed nothing, "" if it changed something. With a
	// reason, the context is unchanged, and other people see nothing.
	Ignored string
}

// stage has the functions that handle one state of the forge. They never call functions of another state. To leave a
// state, a function sets the forge's new state. Step then calls act of the new state, and repeats this until the forge
// waits.
type stage struct {
	// hear handles a person's words.
	hear func(*step, said)
	// act moves the forge to another state, asks the person, or requests an answer from a model. It is nil for
	// states that the forge leaves within the same step, and for states in which the forge always waits.
	act func(*step)
	// answer handles a model's answer, nil if the state requests none.
	answer func(s *step, text string)
}

var stages = map[State]stage{
	Idle:             {hear: hearPurpose},
	IntentDetection:  {hear: hearPurpose},
	GatheringPurpose: {hear: hearPurpose, act: askPurpose},
	CheckingExisting: {hear: hearExisting, act: offerExisting},
	GatheringDetails: {hear: hearDetail, act: askDetail, answer: inferred},
	ConfirmingSpec:   {hear: hearConfirmation, act: askConfirmation},
	Generating:       {hear: hearInterrupted, act: generate, answer: written},
	Validating:       {hear: hearInterrupted, act: validate},
	FixingErrors:     {hear: hearInterrupted, act: generate, answer: written},
	SelectingStorage: {hear: hearStorage, act: selectStorage},
	Saving:           {hear: hearSaving},
	Error:            {hear: hearError, act: askRetry},
	Completed:        {},
}

// Step handles one input. c.MessageHistory does not contain the words of this input; the history of the result also
// has these words and the smith's answer. If the context or the input is impossible, Step returns an error and
// changes nothing.
func Step(c Context, in Input, env Env) (Result, error) { return take(c, in, env, nil) }

func take(c Context, in Input, env Env, trace func(Context)) (Result, error) {
	if err := c.sound(); err != nil {
		return Result{}, fmt.Errorf("the saved state of the forge is not valid: %w", err)
	}
	if len(env.Layers) == 0 {
		return Result{}, errors.New("the forge has no folder in which it could save the skill")
	}
	s := &step{c: c.clone(), env: env, trace: trace}
	s.handle(in)
	for s.err == nil && s.ignored == "" && !s.c.waits() {
		stages[s.c.State].act(s)
	}
	if s.err != nil {
		return Result{}, s.err
	}
	if s.ignored != "" {
		return Result{Context: c.clone(), Ignored: s.ignored}, nil
	}
	say := strings.Join(s.say, "\n\n")
	if say != "" {
		s.c.MessageHistory = append(s.c.MessageHistory, Line{Role: world.RoleAssistant, Content: say})
	}
	return Result{Context: s.c, Moves: s.moves, Say: say}, nil
}

func (s *step) handle(in Input) {
	switch {
	case s.c.State == Completed:
		s.ignored = "This skill is done; begin another forge for the next one."
	case in.Failed != "":
		s.fail(in.Failed)
	case in.Answer != nil:
		s.answered(*in.Answer)
	case in.Saved != nil && s.c.State != Saving:
		s.ignored = "Nothing is being saved."
	case in.Saved != nil:
		saved(s, *in.Saved)
	case !in.Begin:
		s.words(in)
	case s.c.State != Idle:
		s.ignored = "It has begun already."
	default:
		s.to(IntentDetection, "opened")
		s.to(GatheringPurpose, "nothing was said yet")
	}
}

// answered handles a model's answer to a request. It ignores an answer to an earlier request.
func (s *step) answered(a Answer) {
	take, work := stages[s.c.State].answer, s.c.Plan.Work
	if take == nil || work == nil || work.N != a.N {
		s.ignored = "Nothing waits for this answer."
		return
	}
	s.c.Plan.Work = nil
	switch {
	case a.Err != "":
		s.fail(a.Err)
	case strings.TrimSpace(a.Text) == "":
		s.fail("the model answered nothing")
	default:
		take(s, a.Text)
	}
}

// words handles the words and the chosen buttons of a person.
func (s *step) words(in Input) {
	in.Text = tidy(in.Text, maxWords)
	q := openQuestion(s.c)
	picks, ok := choice(q, in)
	switch {
	case !ok:
		s.ignored = "That choice is not offered any more."
		return
	case in.Text == "" && len(picks) == 0:
		s.ignored = "Say something, or choose a button."
		return
	}
	s.c.MessageHistory = append(s.c.MessageHistory, Line{Role: world.RoleUser, Content: transcribed(in, picks)})
	if len(in.Buttons) == 0 && len(picks) > 0 {
		in.Text = "" // the text only named the chosen option
	}
	heard := said{q, picks, in.Text}
	s.c.Plan.Asking, s.c.Plan.Work = nil, nil
	if aside(s, heard) {
		return
	}
	s.c.Plan.Back = false
	if heard.chose("over") || says(in.Text, overWords) && s.c.State != Saving {
		s.startOver()
		return
	}
	stages[s.c.State].hear(s, heard)
}

// transcribed returns a person's answer as a text: the labels of the buttons, and the words.
func transcribed(in Input, picks []Option) string {
	var lines []string
	if len(in.Buttons) > 0 {
		lines = mapped(picks, func(o Option) string { return o.Label })
	}
	if in.Text != "" {
		lines = append(lines, in.Text)
	}
	return strings.Join(lines, "\n")
}

// startOver clears what was gathered. It keeps the messages and the session.
func (s *step) startOver() {
	fresh := NewContext(s.c.SessionID)
	fresh.State, fresh.MessageHistory, fresh.Plan.Requests = s.c.State, s.c.MessageHistory, s.c.Plan.Requests
	s.c = fresh
	if s.c.State == Idle {
		s.to(IntentDetection, "start over")
	}
	s.to(GatheringPurpose, "start over")
}
