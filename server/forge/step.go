package forge

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/hints"
	"agentdungeon/shared/world"
)

// Limits of the conversation.
const (
	// MaxTries is the number of validations before the person is asked (S1-B3).
	MaxTries = 3
	// MaxInferences is the number of requests to a model to work out what is missing (S1-B4).
	MaxInferences = 2
)

// Input is the input of a step: a person's words, buttons or both, or exactly one of the other fields.
type Input struct {
	// Begin opens the conversation before anybody has said anything.
	Begin bool
	Text  string
	// Buttons are the ids of the chosen options of the open question. A person may also type an option's
	// label or number.
	Buttons []string
	Answer  *Answer
	Saved   *Saved
	// Failed says why the caller could not do what a step requested, for people.
	Failed string
}

// Answer is a model's answer to the request N. Err says why there is none, for people.
type Answer struct {
	N    int
	Text string
	Err  string
}

// Saved is the outcome of Result.Save. Err says why the files are not on disk, for people; "" means that
// they are.
type Saved struct{ Err string }

// Env is what a step knows about the realm and the server.
type Env struct {
	Skills []Existing // of this realm and tenant
	Hints  hints.Hints
	Layers []Layer // where a skill can be kept, at least one
	Model  bool    // a model plays the smith
	Window int     // how many lines of history a request holds at most, 0 for all (S1-18)
}

// Layer is a place in which skills are kept.
type Layer struct{ ID, Name string }

// Question is a question to the person.
type Question struct {
	Topic   string   `json:"topic"`
	Text    string   `json:"text"`
	Options []Option `json:"options,omitempty"` // at most maxOptions
	Many    bool     `json:"many,omitempty"`    // several options may be chosen
	Words   bool     `json:"words,omitempty"`   // it can also be answered in one's own words
}

// Option is a button.
type Option struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	// Value is what choosing the option says, if that is more than the label.
	Value string `json:"value,omitempty"`
}

const maxOptions = 12

// choices returns options of alternating ids and labels.
func choices(pairs ...string) []Option {
	var out []Option
	for pair := range slices.Chunk(pairs, 2) {
		out = append(out, Option{ID: pair[0], Label: pair[1]})
	}
	return out
}

// Save is a request to write SKILL.md and its files into the folder Name of a layer. It is idempotent: if
// the same bytes are there already, it succeeds. It replaces another skill of that name only if Replace is
// set; else it fails.
type Save struct {
	Layer   string
	Name    string
	Files   map[string]string // by path, skill.File among them
	Replace bool
}

// Result is the result of a step.
type Result struct {
	Context Context
	Moves   []Move
	// Say is the smith's row of the transcript, in Markdown, "" for none. It ends with the text of the
	// question if the step asks one.
	Say string
	// Request is a request to a model, Save one to the disk. At most one of the two is set.
	Request *Request
	Save    *Save
	// Use is the existing skill that the person chose instead of a new one.
	Use string
	// Ignored tells the sender why the input changed nothing: the context is unchanged and nothing is said
	// to others.
	Ignored string
}

// Waiting returns the question that a restored context waits for: its own, or a button to continue if a
// model's answer or a save was interrupted. It returns nil if the forge has not begun or is completed.
func Waiting(c Context) *Question {
	if c.Plan.Asking != nil || c.State == Completed || c.State == Idle {
		return c.Plan.Asking
	}
	text := "This was cut off. Go on?"
	switch c.State {
	case Generating, FixingErrors:
		text = "Writing " + nameOr(c.SkillName, "the skill") + " was cut off. Go on?"
	case Saving:
		text = "Saving " + nameOr(c.SkillName, "the skill") + " was cut off. Go on?"
	}
	return &Question{Topic: topicGoOn, Text: text, Options: choices("go_on", "Go on"), Words: true}
}

func nameOr(name, other string) string {
	if name == "" {
		return other
	}
	return code(name)
}

// step is the step under way.
type step struct {
	c   Context
	env Env
	out Result
	say []string
	err error
	// mute prevents a request to the model to infer: nobody has said anything since the last one.
	mute bool
	// halt keeps the forge in gathering_details after an error, even if all is known.
	halt bool
	// trace receives the context after each move; tests interrupt a forge there.
	trace func(Context)
}

// Each of these types has the rules of one stage. All share the step under way.
type (
	gathering  struct{ *step } // asks what the skill is to be, topic by topic
	questions  struct{ *step } // words the questions, with proposals from the repository
	asides     struct{ *step } // handles what is said instead of an answer
	confirming struct{ *step } // asks for the person's yes
	making     struct{ *step } // writes, validates and saves the skill
	requests   struct{ *step } // sends requests to a model and handles answers
)

// said is what a person said. q is the question that was open, nil for none; picks are the chosen options;
// text is what was typed besides.
type said struct {
	q     *Question
	picks []Option
	text  string
}

// stages has the function that handles a person's words in each state. A request under way would be lost,
// so the caller takes no words meanwhile.
var stages map[State]func(*step, said)

func init() { // in init, because a stage may lead to any other
	stages = map[State]func(*step, said){
		Idle:             (*step).first,
		IntentDetection:  (*step).first,
		GatheringPurpose: func(s *step, in said) { gathering{s}.wanted(in) },
		CheckingExisting: func(s *step, in said) { gathering{s}.existing(in.q, in.picks, in.text) },
		GatheringDetails: func(s *step, in said) { gathering{s}.details(in.q, in.picks, in.text) },
		ConfirmingSpec:   func(s *step, in said) { confirming{s}.confirmation(in.picks, in.text) },
		SelectingStorage: func(s *step, in said) { making{s}.place(in) },
		Generating:       func(s *step, in said) { s.onward(in.text, making{s}.generate) },
		FixingErrors:     func(s *step, in said) { s.onward(in.text, making{s}.fix) },
		Validating:       func(s *step, in said) { s.onward(in.text, making{s}.validate) },
		Saving:           func(s *step, in said) { making{s}.resave(in.text) },
		Error:            func(s *step, in said) { making{s}.afterError(in.picks, in.text) },
	}
}

// Step handles one input. c.MessageHistory ends before the words of this input; the result's history
// includes them and what the smith says. Step returns an error and changes nothing if the context or the
// input is impossible.
func Step(c Context, in Input, env Env) (Result, error) { return take(c, in, env, nil) }

func take(c Context, in Input, env Env, trace func(Context)) (Result, error) {
	if err := c.sound(); err != nil {
		return Result{}, fmt.Errorf("the forge cannot continue from its context: %w", err)
	}
	if len(env.Layers) == 0 {
		return Result{}, errors.New("the forge has no place for its skill")
	}
	s := &step{c: c.clone(), env: env, trace: trace}
	switch {
	case in.Failed != "":
		s.failed(in.Failed)
	case in.Answer != nil:
		requests{s}.answer(*in.Answer)
	case in.Saved != nil:
		making{s}.saved(*in.Saved)
	case in.Begin:
		s.begin()
	default:
		s.words(in)
	}
	if s.err != nil {
		return Result{}, s.err
	}
	if s.out.Ignored != "" {
		return Result{Context: c.clone(), Ignored: s.out.Ignored}, nil
	}
	if s.out.Say = strings.Join(s.say, "\n\n"); s.out.Say != "" {
		s.c.MessageHistory = append(s.c.MessageHistory, Line{Role: world.RoleAssistant, Content: s.out.Say})
	}
	s.out.Context = s.c
	return s.out, nil
}

func (s *step) to(state State, why string) {
	if s.c.State == state || s.err != nil {
		return
	}
	if !May(s.c.State, state) {
		s.err = fmt.Errorf("a forge cannot move from state %s to %s", s.c.State, state)
		return
	}
	s.out.Moves = append(s.out.Moves, Move{s.c.State, state, why})
	s.c.State = state
	if s.trace != nil {
		s.trace(s.c.clone())
	}
}

func (s *step) tell(format string, args ...any) { s.say = append(s.say, fmt.Sprintf(format, args...)) }

func (s *step) ignore(format string, args ...any) { s.out.Ignored = fmt.Sprintf(format, args...) }

// menu asks for a choice that belongs to a state. It may be asked again, because its subject has changed or
// the person asked for it.
func (s *step) menu(q Question) {
	if len(q.Options) > maxOptions {
		q.Options = q.Options[:maxOptions]
	}
	s.c.Plan.Asking = &q
	s.tell("%s", q.Text)
}

// ask asks a question of gathering and reports true, unless the question was asked before (S1-B4).
func (s *step) ask(q Question) bool {
	if slices.Contains(s.c.AskedQuestions, q.Text) || len(s.c.AskedQuestions) >= maxAsked {
		return false
	}
	s.c.AskedQuestions = append(s.c.AskedQuestions, q.Text)
	s.menu(q)
	return true
}

// chosen returns the options of the open question that an input names by button, label or number. bad
// reports that a button belongs to another question.
func chosen(q *Question, in Input) (picks []Option, bad bool) {
	if q == nil {
		return nil, len(in.Buttons) > 0
	}
	for _, id := range in.Buttons {
		i := slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == id })
		if i < 0 {
			return nil, true
		}
		picks = append(picks, q.Options[i])
	}
	if len(picks) > 1 && !q.Many {
		return nil, true
	}
	if len(picks) > 0 {
		return picks, false
	}
	for _, o := range q.Options {
		if exact(in.Text) == exact(o.Label) || exact(in.Text) == strings.ReplaceAll(exact(o.Label), "`", "") {
			return []Option{o}, false
		}
	}
	parts := strings.FieldsFunc(in.Text, func(r rune) bool { return r == ',' || r == ' ' })
	if !q.Many && len(parts) != 1 {
		return nil, false
	}
	for _, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > len(q.Options) {
			return nil, false
		}
		picks = append(picks, q.Options[n-1])
	}
	return picks, false
}

// words handles what a person says.
func (s *step) words(in Input) {
	in.Text = tidy(in.Text, maxWords)
	q := s.c.Plan.Asking
	if q == nil {
		q = Waiting(s.c)
	}
	picks, bad := chosen(q, in)
	switch {
	case s.c.State == Completed:
		s.ignore("This skill is done; begin another forge for the next one.")
		return
	case bad:
		s.ignore("That choice is not offered any more.")
		return
	case in.Text == "" && len(picks) == 0:
		s.ignore("Say something, or choose a button.")
		return
	}
	if s.hear(in, picks); len(in.Buttons) == 0 && len(picks) > 0 {
		in.Text = "" // the text named the choice
	}
	if len(picks) == 0 && (asides{s}).aside(q, in.Text) {
		return
	}
	s.c.Plan.Back, s.c.Plan.Asking, s.c.Plan.Work = false, nil, nil
	over := slices.ContainsFunc(picks, func(o Option) bool { return o.ID == "over" })
	if over || says(in.Text, overWord) && s.c.State != Saving {
		s.startOver()
		return
	}
	stages[s.c.State](s, said{q, picks, in.Text})
}

// hear adds what a person said to the history: the labels of the buttons, and the words.
func (s *step) hear(in Input, picks []Option) {
	var lines []string
	if len(in.Buttons) > 0 {
		for _, p := range picks {
			lines = append(lines, p.Label)
		}
	}
	if in.Text != "" || len(lines) == 0 {
		lines = append(lines, in.Text)
	}
	s.c.MessageHistory = append(s.c.MessageHistory, Line{Role: world.RoleUser, Content: strings.Join(lines, "\n")})
}

// first handles the first words, which say what the skill is to do.
func (s *step) first(in said) {
	s.to(IntentDetection, "first words")
	gathering{s}.purpose(intent(in.text))
}

func (o Option) value() string {
	if o.Value != "" {
		return o.Value
	}
	return o.Label
}

// begin asks what the skill is to be. Nothing was said yet.
func (s *step) begin() {
	if s.c.State != Idle {
		s.ignore("It has begun already.")
		return
	}
	s.to(IntentDetection, "opened")
	s.to(GatheringPurpose, "nothing was said yet")
	gathering{s}.askPurpose()
}

// onward continues what was interrupted. Words that add something get a topic first, unless a model reads
// them in the history.
func (s *step) onward(text string, next func()) {
	if nudges(text) || s.modelWrites() && (s.c.State == Generating || s.c.State == FixingErrors) {
		next()
		return
	}
	s.to(GatheringDetails, "the person has more to say")
	gathering{s}.where(text)
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
	gathering{s}.askPurpose()
}

// failed handles every error of a step (S1-B2).
func (s *step) failed(why string) {
	why = short(why)
	s.c.Plan.Work = nil
	switch s.c.State {
	case Completed:
		s.ignore("This skill is done.")
	case Saving:
		making{s}.saved(Saved{Err: why})
	default:
		s.to(GatheringDetails, "an error: "+why)
		s.mute, s.halt = true, true
		s.tell("That did not work: %s. Nothing of what you said is lost.", why)
		s.afterFailure()
	}
}

// afterFailure asks how to continue: with what is missing or, if everything was confirmed, with another
// try.
func (s *step) afterFailure() {
	switch {
	case s.c.SkillPurpose == "":
		s.menu(Question{Topic: topicPurpose, Text: "What should the skill do?", Words: true})
		return
	case !s.c.Plan.Confirmed:
		gathering{s}.next()
		return
	}
	q := Question{Topic: topicAgain, Text: "Say what should be different, or try again.", Words: true,
		Options: choices("again", "Try again")}
	if s.env.Model {
		q.Options = append(q.Options, Option{ID: "plain", Label: "Write it without the model"})
	}
	s.menu(q)
}
