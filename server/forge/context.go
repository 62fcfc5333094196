package forge

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentdungeon/shared/world"
)

// Context is ConversationContext of document 001: 21 fields with the document's names (S1-06),
// and Plan. Lists and maps are never nil after NewContext and Load.
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
	// ValidationAttempts counts the validations since a person last decided about the problems of the skill, at most
	// maxTries. ValidationProgress has "errors", the number of problems that the last validation found, and "tries",
	// the number of all validations.
	ValidationAttempts int            `json:"validation_attempts"`
	ValidationErrors   []string       `json:"validation_errors"`
	ValidationProgress map[string]int `json:"validation_progress"`
	// MessageHistory has the messages, oldest first. Save omits them, and Load takes them from the
	// transcript's rows.
	MessageHistory []Line `json:"message_history,omitempty"`
	// AskedQuestions holds the texts of the questions that step.ask has asked, at most maxAsked. It asks none of them
	// again (S1-B4).
	AskedQuestions []string `json:"asked_questions"`
	// InferenceAttempts counts how often a model was asked to infer what is missing, at most
	// maxInferences.
	InferenceAttempts int `json:"inference_attempts"`

	Plan Plan `json:"plan"`
}

// Capabilities says what an agent can do with a skill's tools.
type Capabilities struct {
	ReadsFiles  bool     `json:"reads_files,omitempty"`
	WritesFiles bool     `json:"writes_files,omitempty"`
	Network     bool     `json:"network,omitempty"`
	Commands    []string `json:"commands,omitempty"` // the commands that the skill runs
}

// Line is one utterance. Role is world.RoleUser or world.RoleAssistant.
type Line struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Plan is the part of the forge's state that document 001 does not define.
type Plan struct {
	Schema int `json:"schema"` // version of the format of a saved context; this program writes schemaNow
	// Asking is the open question, nil for none.
	Asking *Question `json:"asking,omitempty"`
	// Work is the pending request to a model, nil for none. Requests is the number of requests so far; the forge
	// compares it with the number in an answer to recognize a late answer to an earlier request.
	Work     *Work `json:"work,omitempty"`
	Requests int   `json:"requests,omitempty"`
	// Passed holds the topics for which the person said that there is nothing to add.
	Passed []string `json:"passed,omitempty"`
	// Notes has, by topic, texts of the person that become reference files of the skill.
	Notes map[string]string `json:"notes,omitempty"`
	// Held has words of the person for which the forge has not found a topic yet.
	Held string `json:"held,omitempty"`
	// Limits are tasks for which the skill is not meant, and actions that it forbids.
	Limits []string `json:"limits,omitempty"`
	// Trail lists the answered topics, the newest last, so that the person can go back to them.
	Trail []string `json:"trail,omitempty"`
	// Back is set if the forge asks the open question again because the person went back to it.
	Back bool `json:"back,omitempty"`
	// Anew is set if the person has seen similar skills and wants a new one instead.
	Anew bool `json:"anew,omitempty"`
	// Named is set if the person chose the name. Replace is set if the person permits that the skill replaces
	// another skill with the same name.
	Named   bool `json:"named,omitempty"`
	Replace bool `json:"replace,omitempty"`
	// Described is set if the person wrote the description.
	Described bool `json:"described,omitempty"`
	// Confirmed is set if the person has confirmed the skill.
	Confirmed bool `json:"confirmed,omitempty"`
	// ByHand is set if the forge writes the skill without the model.
	ByHand bool `json:"byHand,omitempty"`
}

// Work is a pending request to a model.
type Work struct {
	Kind string `json:"kind"`
	N    int    `json:"n"`
}

const (
	schemaNow = 1
	// maxBlob is the maximum size of a saved context in bytes. The largest skill with every character escaped, together
	// with all answers that led to the skill, is smaller.
	maxBlob = 8 << 20
)

// Errors of Load. After ErrCorrupt, the caller keeps the damaged blob elsewhere, begins the forge anew and tells
// the person (S1-B10). After ErrNewer, the caller does not touch the blob.
var (
	ErrCorrupt = errors.New("the saved context is damaged")
	ErrNewer   = errors.New("the saved context was written by a newer version")
)

// NewContext returns the context of a new forge.
func NewContext(sessionID string) Context {
	c := Context{SessionID: sessionID}
	c.fill()
	return c
}

// lists returns pointers to the fields of document 001 that are lists.
func (c *Context) lists() []*[]string {
	return []*[]string{
		&c.Examples, &c.WorkflowSteps, &c.Triggers, &c.ReferencesTopics, &c.ScriptsNeeded, &c.AllowedTools,
		&c.ValidationErrors, &c.AskedQuestions,
	}
}

// fill sets missing fields to their defaults.
func (c *Context) fill() {
	if c.State == "" {
		c.State = Idle
	}
	for _, list := range c.lists() {
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

// Save encodes the context as one blob (S1-07). The blob does not include MessageHistory.
func (c Context) Save() ([]byte, error) {
	c.MessageHistory = nil
	c.Plan.Schema = schemaNow
	blob, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode the context of a forge: %w", err)
	}
	if len(blob) > maxBlob {
		return nil, fmt.Errorf("the context of a forge has %d bytes, over the limit of %d", len(blob), maxBlob)
	}
	return blob, nil
}

// Load decodes a blob. It sets MessageHistory to said, the messages of the transcript (see History). If said is empty,
// it keeps the history that a blob in the form of document 001 includes. Fields that an earlier version did not write
// get defaults.
func Load(blob []byte, said []Line) (Context, error) {
	if len(blob) > maxBlob {
		return Context{}, fmt.Errorf("%w: %d bytes, over the limit of %d", ErrCorrupt, len(blob), maxBlob)
	}
	var c Context
	err := json.Unmarshal(blob, &c) // Unmarshal skips a field of a wrong type
	switch {
	case c.Plan.Schema > schemaNow:
		return Context{}, fmt.Errorf("%w: its schema is %d, this version knows up to %d",
			ErrNewer, c.Plan.Schema, schemaNow)
	case err != nil:
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

// sound returns an error if the context has values with which the forge cannot continue.
func (c *Context) sound() error {
	switch {
	case c.SessionID == "":
		return errors.New("the context names no session")
	case !c.State.Known():
		return fmt.Errorf("the context has the unknown state %q", c.State)
	case c.ValidationAttempts < 0 || c.InferenceAttempts < 0 || c.Plan.Requests < 0:
		return errors.New("the context has a counter below zero")
	}
	return nil
}

// waits reports whether the forge waits for a person, a model or the disk, or is completed.
func (c *Context) waits() bool {
	return c.Plan.Asking != nil || c.Plan.Work != nil || c.State == Saving || c.State == Completed
}

// History returns what people and the smith said according to the rows of a transcript, without
// open, empty and system rows.
func History(rows []world.Message) []Line {
	var out []Line
	for _, m := range rows {
		if m.Content == "" || m.Status == world.MessageOpen || m.Role != world.RoleUser &&
			m.Role != world.RoleAssistant {
			continue
		}
		out = append(out, Line{Role: m.Role, Content: m.Content})
	}
	return out
}

// clone copies everything that a step changes.
func (c Context) clone() Context {
	for _, list := range append(c.lists(), &c.Plan.Passed, &c.Plan.Limits, &c.Plan.Trail) {
		*list = slices.Clone(*list)
	}
	c.MessageHistory = slices.Clone(c.MessageHistory)
	c.GeneratedResources = maps.Clone(c.GeneratedResources)
	c.ValidationProgress = maps.Clone(c.ValidationProgress)
	c.Plan.Notes = maps.Clone(c.Plan.Notes)
	c.fill()
	return c
}

// markAnswered notes that a topic was answered, so that a person can go back to it.
func (p *Plan) markAnswered(topic string) {
	if !slices.Contains(p.Trail, topic) { // bounded by the number of topics and references
		p.Trail = append(p.Trail, topic)
	}
}

// markPassed notes that the person has nothing to add on a topic.
func (p *Plan) markPassed(topic string) {
	if !p.passed(topic) {
		p.Passed = append(p.Passed, topic)
	}
}

func (p *Plan) passed(topic string) bool { return slices.Contains(p.Passed, topic) }

// request makes the forge wait for a model's answer to a request of this kind (see requestOf).
func (p *Plan) request(kind string) {
	p.Requests++
	p.Work = &Work{Kind: kind, N: p.Requests}
}

// forget removes a question that nobody has answered from AskedQuestions, so that the forge can ask it again.
func (c *Context) forget(q *Question) {
	c.AskedQuestions = slices.DeleteFunc(c.AskedQuestions, func(text string) bool { return text == q.Text })
}
