package forge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentdungeon/shared/world"
)

// Context is ConversationContext of document 001: 21 fields under the document's names
// (S1-06), and Plan, which the document's agent keeps in memory. Lists and maps are
// never nil after New and Load.
type Context struct {
	SessionID         string        `json:"session_id"` // the conversation's id
	State             State         `json:"state"`
	SkillName         string        `json:"skill_name"`
	SkillDescription  string        `json:"skill_description"`
	SkillPurpose      string        `json:"skill_purpose"`
	SkillCapabilities *Capabilities `json:"skill_capabilities"`
	Examples          []string      `json:"examples"`
	WorkflowSteps     []string      `json:"workflow_steps"`
	Triggers          []string      `json:"triggers"`
	ReferencesTopics  []string      `json:"references_topics"`
	ScriptsNeeded     []string      `json:"scripts_needed"`
	AllowedTools      []string      `json:"allowed_tools"`
	StorageLayer      string        `json:"storage_layer"`
	// GeneratedContent is a whole SKILL.md, GeneratedResources its files by path.
	GeneratedContent   string            `json:"generated_content"`
	GeneratedResources map[string]string `json:"generated_resources"`
	// ValidationAttempts counts the tries since a person last spoke to them, at most
	// MaxTries. ValidationProgress has "errors", how many problems the last try had, and
	// "tries", how many tries there were in all.
	ValidationAttempts int            `json:"validation_attempts"`
	ValidationErrors   []string       `json:"validation_errors"`
	ValidationProgress map[string]int `json:"validation_progress"`
	// MessageHistory is what was said, oldest first. Save leaves it out and Load takes it
	// from the transcript's rows: it is stored once.
	MessageHistory []Line `json:"message_history,omitempty"`
	// AskedQuestions are the questions of gathering that were asked, as they were
	// worded: none of them is asked again (S1-B4). At most maxAsked.
	AskedQuestions []string `json:"asked_questions"`
	// InferenceAttempts counts how often a model was asked to work out what is missing,
	// at most MaxInferences.
	InferenceAttempts int `json:"inference_attempts"`

	Plan Plan `json:"plan"`
}

// Capabilities say what a skill does to its surroundings.
type Capabilities struct {
	ReadsFiles  bool     `json:"reads_files,omitempty"`
	WritesFiles bool     `json:"writes_files,omitempty"`
	Network     bool     `json:"network,omitempty"`
	Commands    []string `json:"commands,omitempty"` // that it runs
}

// Line is something that was said: Role is world.RoleUser or world.RoleAssistant.
type Line struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Plan is what the conversation itself has to remember.
type Plan struct {
	Schema int `json:"schema"` // schemaNow
	// Asking is the question that waits for the person, nil for none.
	Asking *Question `json:"asking,omitempty"`
	// Work is what was asked of a model, nil for nothing; Requests counts it, so that the
	// answer to an earlier request is known to be late.
	Work     *Work `json:"work,omitempty"`
	Requests int   `json:"requests,omitempty"`
	// Passed are the topics that the person has nothing to say on.
	Passed []string `json:"passed,omitempty"`
	// Notes is what a reference says, by its topic, in the person's own words.
	Notes map[string]string `json:"notes,omitempty"`
	// Held are words that the person has not yet said the place of.
	Held string `json:"held,omitempty"`
	// Limits say what the skill is not for, and what must not be done.
	Limits []string `json:"limits,omitempty"`
	// Trail are the topics that were answered, the newest last: the way back.
	Trail []string `json:"trail,omitempty"`
	// Back: the question that waits was come back to.
	Back bool `json:"back,omitempty"`
	// Anew: existing skills were looked at and a new one is wanted.
	Anew bool `json:"anew,omitempty"`
	// Named: the person chose the name; Replace: also to take another skill's place.
	Named   bool `json:"named,omitempty"`
	Replace bool `json:"replace,omitempty"`
	// Described: the person wrote the description.
	Described bool `json:"described,omitempty"`
	// Confirmed: the person said that it is to be made.
	Confirmed bool `json:"confirmed,omitempty"`
	// ByHand: it is to be written without the model.
	ByHand bool `json:"byHand,omitempty"`
}

// Work is a request to a model under way.
type Work struct {
	Kind string `json:"kind"`
	N    int    `json:"n"`
}

const (
	schemaNow = 1
	// MaxBlob is the size of a saved context in bytes: the largest skill with every
	// character escaped, and what was gathered for it.
	MaxBlob = 8 << 20
)

// Errors of Load. A corrupt blob is set aside by the caller, who begins a new session
// and says so (S1-B10); a newer one is not touched.
var (
	ErrCorrupt = errors.New("the saved context is damaged")
	ErrNewer   = errors.New("the saved context was written by a newer version")
)

// New is the context of a forge in which nothing was said yet.
func New(sessionID string) Context {
	c := Context{SessionID: sessionID}
	c.fill()
	return c
}

// fill gives what is missing its default.
func (c *Context) fill() {
	if c.State == "" {
		c.State = Idle
	}
	for _, list := range []*[]string{&c.Examples, &c.WorkflowSteps, &c.Triggers, &c.ReferencesTopics, &c.ScriptsNeeded, &c.AllowedTools,
		&c.ValidationErrors, &c.AskedQuestions} {
		if *list == nil {
			*list = []string{}
		}
	}
	if c.GeneratedResources == nil {
		c.GeneratedResources = map[string]string{}
	}
	if c.ValidationProgress == nil {
		c.ValidationProgress = map[string]int{}
	}
	if c.MessageHistory == nil {
		c.MessageHistory = []Line{}
	}
	c.Plan.Schema = schemaNow
}

// Save is the context as one blob (S1-07), without what was said.
func (c Context) Save() ([]byte, error) {
	c.MessageHistory = nil
	c.Plan.Schema = schemaNow
	blob, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode the context of a forge: %w", err)
	}
	if len(blob) > MaxBlob {
		return nil, fmt.Errorf("the context of a forge has %d bytes, over %d", len(blob), MaxBlob)
	}
	return blob, nil
}

// Load reads a blob; said is what the transcript holds (see History). Fields that an
// earlier version did not write get their defaults; a blob that holds the history
// itself, as the document's does, keeps it where said is empty.
func Load(blob []byte, said []Line) (Context, error) {
	if len(blob) > MaxBlob {
		return Context{}, fmt.Errorf("%w: %d bytes", ErrCorrupt, len(blob))
	}
	var head struct {
		Plan struct {
			Schema int `json:"schema"`
		} `json:"plan"`
	}
	if err := json.Unmarshal(blob, &head); err != nil {
		return Context{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if head.Plan.Schema > schemaNow {
		return Context{}, fmt.Errorf("%w: schema %d, this is %d", ErrNewer, head.Plan.Schema, schemaNow)
	}
	var c Context
	if err := json.NewDecoder(bytes.NewReader(blob)).Decode(&c); err != nil {
		return Context{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	c.fill()
	if err := c.sound(); err != nil {
		return Context{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if len(said) > 0 {
		c.MessageHistory = slices.Clone(said)
	}
	return c, nil
}

// sound says what makes a context one that nobody can go on from.
func (c *Context) sound() error {
	switch {
	case c.SessionID == "":
		return errors.New("it names no session")
	case !c.State.Known():
		return fmt.Errorf("it is in a state %q that there is not", c.State)
	case c.ValidationAttempts < 0 || c.InferenceAttempts < 0 || c.Plan.Requests < 0:
		return errors.New("a counter is below zero")
	}
	return nil
}

// History is what was said as the rows of a transcript hold it: of people and of the
// smith, nothing that is open, empty or the server's.
func History(rows []world.Message) []Line {
	var out []Line
	for _, m := range rows {
		if m.Content == "" || m.Status == world.MessageOpen || m.Role != world.RoleUser && m.Role != world.RoleAssistant {
			continue
		}
		out = append(out, Line{Role: m.Role, Content: m.Content})
	}
	return out
}

// clone shares nothing with c that a step changes.
func (c Context) clone() Context {
	for _, list := range []*[]string{&c.Examples, &c.WorkflowSteps, &c.Triggers, &c.ReferencesTopics, &c.ScriptsNeeded, &c.AllowedTools,
		&c.ValidationErrors, &c.AskedQuestions, &c.Plan.Passed, &c.Plan.Limits, &c.Plan.Trail} {
		*list = slices.Clone(*list)
	}
	c.MessageHistory = slices.Clone(c.MessageHistory)
	c.GeneratedResources = maps.Clone(c.GeneratedResources)
	c.ValidationProgress = maps.Clone(c.ValidationProgress)
	c.Plan.Notes = maps.Clone(c.Plan.Notes)
	c.fill()
	return c
}
