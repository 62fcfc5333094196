package world

import "strings"

// ProcessState is the state of the staged process: document 003's fields, then what the plan
// needs after a restart.
type ProcessState struct {
	Status             string              `json:"status"`
	CurrentStageIndex  int                 `json:"currentStageIndex"`
	CollectedArtifacts map[string][]string `json:"collectedArtifacts"` // artifact name -> ids in World.Artifacts
	ProblemStatement   string              `json:"problemStatement"`
	TemplateID         string              `json:"templateId"`
	StageTurnCounts    map[string]int      `json:"stageTurnCounts"` // stage id -> turns
	AgentTurnCounts    map[string]int      `json:"agentTurnCounts"` // "stageId:memberId" -> turns
	StageStartedAt     Time                `json:"stageStartedAt"`
	// Skips counts slots that a person skipped, by "stageId:roleId"; no run fills them.
	Skips map[string]int `json:"skips"`

	// Template is the template with which this process began; a later change of its file does
	// not affect it.
	Template       *Template `json:"template"`
	ConversationID string    `json:"conversationId"`
	// StageAttempt is 1 for the first attempt of a stage and grows with /restart; runs of
	// earlier attempts fill no slot.
	StageAttempt int       `json:"stageAttempt"`
	Cast         []Casting `json:"cast"`
	// Pausing: /pause was given and turns are still under way.
	Pausing bool `json:"pausing,omitempty"`
	// Reason explains a pause that nobody asked for.
	Reason string `json:"reason,omitempty"`
	// Approved is the gate that a person opened, in the modes supervised and manual; see
	// process.Next.
	Approved string `json:"approved,omitempty"`
	// ResumedSeq is the seq of the last /resume; failures before it no longer count.
	ResumedSeq int64 `json:"resumedSeq,omitempty"`
	// Sealed is the explicit signal for the current stage, nil where none was given.
	Sealed  *Seal    `json:"sealed"`
	Waiting *Waiting `json:"waiting"`
}

// Statuses of a process.
const (
	StatusIdle      = "idle"
	StatusRunning   = "running"
	StatusPaused    = "paused"
	StatusCompleted = "completed"
)

// Casting says who holds a role.
type Casting struct {
	RoleID      string `json:"roleId"`
	MemberID    string `json:"memberId"`
	Kind        string `json:"kind"` // KindHuman, KindAgent, KindOpen
	Name        string `json:"name,omitempty"`
	SpectatorID string `json:"spectatorId,omitempty"`
}

// Seal is an explicit signal that a stage is done.
type Seal struct {
	RoleID  string `json:"roleId"`
	Summary string `json:"summary,omitempty"`
}

// Waiting says what the process waits for and what a person can do about it.
type Waiting struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	RoleIDs []string `json:"roleIds"`
	Since   Time     `json:"since"`
}

// Codes of Waiting.
const (
	WaitRoleOpen   = "role_open"   // somebody must take a role, or /skip it
	WaitApproval   = "approval"    // the mode asks for /resume before going on
	WaitTurnFailed = "turn_failed" // a turn failed too often: /resume, /skip or /restart
)

// Template is a process as data: what a template file holds.
type Template struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Roles       []Role  `json:"roles"`
	Stages      []Stage `json:"stages"`
}

// Role of a template. Its id is also the member id of who holds it.
type Role struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Color   string `json:"color"`
	Persona string `json:"persona,omitempty"`
}

// Stage of a template.
type Stage struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Goal  string   `json:"goal"`
	Roles []string `json:"roles"`
	// Structure: StructSequential (in the order of Roles, round by round),
	// StructParallel (all at once, isolated until the stage ends), StructSingle
	// (the first of Roles alone).
	Structure string `json:"structure"`
	// Completion: CompleteTurns (each acting role Turns times) or CompleteSignal.
	Completion string `json:"completion"`
	Turns      int    `json:"turns,omitempty"`
	// Movement is where heroes go when the stage begins: MoveOutward to their forts, MoveInward
	// to the keep. Empty means outward in parallel stages, inward in others.
	Movement  string         `json:"movement,omitempty"`
	Artifacts []ArtifactSpec `json:"artifacts"`
}

// Values of Stage.Structure and Stage.Completion.
const (
	StructSequential = "sequential"
	StructParallel   = "parallel"
	StructSingle     = "single"
	CompleteTurns    = "turn_count"
	CompleteSignal   = "explicit_signal"
)

// Values of Stage.Movement.
const (
	MoveOutward = "outward"
	MoveInward  = "inward"
)

// Moves returns where the stage's heroes go when it begins.
func (s *Stage) Moves() string {
	switch {
	case s.Movement != "":
		return s.Movement
	case s.Structure == StructParallel:
		return MoveOutward
	}
	return MoveInward
}

// ArtifactSpec names an artifact of a stage and the role that makes it; an empty Producer means
// all acting roles together.
type ArtifactSpec struct {
	Name     string `json:"name"`
	Producer string `json:"producer,omitempty"`
}

// Acting returns the roles that take turns in the stage, in order.
func (s *Stage) Acting() []string {
	if s.Structure == StructSingle && len(s.Roles) > 1 {
		return s.Roles[:1]
	}
	return s.Roles
}

// Stage returns the current stage, nil if no process is running.
func (p *ProcessState) Stage() *Stage {
	if p.Template == nil || p.CurrentStageIndex < 0 || p.CurrentStageIndex >= len(p.Template.Stages) {
		return nil
	}
	return &p.Template.Stages[p.CurrentStageIndex]
}

// Casting finds who holds a role, or nil for a role the template lacks.
func (p *ProcessState) Casting(roleID string) *Casting {
	for i := range p.Cast {
		if p.Cast[i].RoleID == roleID {
			return &p.Cast[i]
		}
	}
	return nil
}

// Role finds a role of the running template, or nil.
func (p *ProcessState) Role(id string) *Role {
	if p.Template == nil {
		return nil
	}
	for i := range p.Template.Roles {
		if p.Template.Roles[i].ID == id {
			return &p.Template.Roles[i]
		}
	}
	return nil
}

func (p *ProcessState) fill() {
	if p.Status == "" {
		p.Status = StatusIdle
	}
	if p.CollectedArtifacts == nil {
		p.CollectedArtifacts = map[string][]string{}
	}
	if p.StageTurnCounts == nil {
		p.StageTurnCounts = map[string]int{}
	}
	if p.AgentTurnCounts == nil {
		p.AgentTurnCounts = map[string]int{}
	}
	if p.Skips == nil {
		p.Skips = map[string]int{}
	}
	p.Cast = notNil(p.Cast)
}

// StandIn returns a head for the current conversation of the process or party if its own head was lost with
// the journal; nil for any other conversation. The conversation continues, and its rows need a head. at is
// the time of the world.
func (w *World) StandIn(conversationID string, at Time) *Conversation {
	p := &w.ProcessState
	switch {
	case conversationID == "":
		return nil
	case conversationID == w.Party.ConversationID:
		return &Conversation{ConversationID: conversationID, Kind: KindParty, Status: ConversationPaused}
	case conversationID != p.ConversationID || p.Template == nil:
		return nil
	}
	line, _, _ := strings.Cut(strings.TrimSpace(p.ProblemStatement), "\n")
	line, _ = Cut(line, MaxTitle/2)
	c := &Conversation{
		ConversationID: conversationID, Kind: KindProcess, Status: ConversationActive,
		Title: p.Template.Name + ": " + line, TaskPrompt: p.ProblemStatement,
		CreatedAt: p.StageStartedAt, UpdatedAt: at,
		Team: Team{ID: p.TemplateID, Name: p.Template.Name, Members: []Member{}},
	}
	switch p.Status {
	case StatusPaused:
		c.Status = ConversationPaused
	case StatusCompleted:
		c.Status, c.EndedAt = ConversationCompleted, at
	}
	for i, role := range p.Template.Roles {
		m := Member{
			ID: role.ID, Name: role.Name, DisplayName: role.Name, Role: role.ID, Color: role.Color, Order: i, Type: KindHuman,
		}
		if cast := p.Casting(role.ID); cast != nil && cast.Kind == KindAgent {
			m.Type = KindAgent
		} else if cast != nil && cast.Name != "" {
			m.DisplayName = cast.Name
		}
		c.Team.Members = append(c.Team.Members, m)
	}
	return c
}
