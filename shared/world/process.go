package world

import (
	"cmp"
	"slices"
	"strings"
)

// ProcessState is the state of the staged process. Document 003 does not define the fields from Template on; the
// plan needs them to continue after a restart.
type ProcessState struct {
	Status             string              `json:"status"`
	CurrentStageIndex  int                 `json:"currentStageIndex"`
	CollectedArtifacts map[string][]string `json:"collectedArtifacts"` // artifact name -> ids in World.Artifacts
	ProblemStatement   string              `json:"problemStatement"`
	TemplateID         string              `json:"templateId"`
	StageTurnCounts    map[string]int      `json:"stageTurnCounts"` // stage id -> turns
	AgentTurnCounts    map[string]int      `json:"agentTurnCounts"` // "stageId:memberId" -> turns
	StageStartedAt     Time                `json:"stageStartedAt"`
	// Skips counts the turns that a person skipped, by "stageId:roleId".
	Skips map[string]int `json:"skips"`

	// Template is a copy from the start of the process. Later changes of the template's file do
	// not affect the process.
	Template       *Template `json:"template"`
	ConversationID string    `json:"conversationId"`
	// StageAttempt is 1 for the first attempt of a stage and grows with /restart. Runs of
	// earlier attempts do not count as turns.
	StageAttempt int       `json:"stageAttempt"`
	Cast         []Casting `json:"cast"`
	// Pausing is set after /pause until the current turns have ended.
	Pausing bool `json:"pausing,omitempty"`
	// PausedBy is the person who asked for the pause that is requested or has begun; nil for none. It is never changed
	// in place.
	PausedBy *Author `json:"pausedBy,omitempty"`
	// Early is set if a person ended the process before its last stage had ended. The reason of its conversation says who.
	Early bool `json:"early,omitempty"`
	// Reason explains a pause that no person requested.
	Reason string `json:"reason,omitempty"`
	// Approved identifies the stage or the turn that a person has approved, in the modes supervised and manual; see
	// process.Next.
	Approved string `json:"approved,omitempty"`
	// ResumedSeq is the seq of the last /resume. Failures before it no longer count.
	ResumedSeq int64 `json:"resumedSeq,omitempty"`
	// Sealed is the explicit signal that ends the current stage, nil if no role has given it.
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

// Casting assigns a role of the template to a person or a driver.
type Casting struct {
	RoleID      string `json:"roleId"`
	MemberID    string `json:"memberId"`
	Kind        string `json:"kind"` // KindHuman, KindAgent, KindOpen
	Name        string `json:"name,omitempty"`
	SpectatorID string `json:"spectatorId,omitempty"`
}

// Seal is the explicit signal of a role that the current stage is done.
type Seal struct {
	RoleID  string `json:"roleId"`
	Summary string `json:"summary,omitempty"`
}

// Waiting explains to people what the process waits for and what they can do.
type Waiting struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	RoleIDs []string `json:"roleIds"`
	Since   Time     `json:"since"`
}

// Codes of Waiting.
const (
	WaitRoleOpen   = "role_open"   // a person must take a role, or /skip it
	WaitApproval   = "approval"    // the autonomy mode requires a person's /resume
	WaitTurnFailed = "turn_failed" // a turn failed too often: a person must /resume, /skip or /restart
)

// Template defines a staged process. It is the content of a template file.
type Template struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Roles       []Role  `json:"roles"`
	Stages      []Stage `json:"stages"`
}

// Role of a template. Its id is also the member id of the person or driver that holds it.
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
	// Structure is StructSequential (in the order of Roles, round by round), StructParallel (all
	// at once; no role sees another's answers before the stage ends) or StructSingle (the first
	// of Roles alone).
	Structure string `json:"structure"`
	// Completion is CompleteTurns (the stage ends after Turns turns of each acting role) or CompleteSignal (it ends
	// after the explicit signal).
	Completion string `json:"completion"`
	Turns      int    `json:"turns,omitempty"`
	// Movement is where heroes go when the stage begins: MoveOutward (to their forts) or
	// MoveInward (to the keep). "" means outward in parallel stages, inward in others.
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

// Moves returns where heroes go when the stage begins: Movement or, if that is "", its default.
func (s *Stage) Moves() string {
	switch {
	case s.Movement != "":
		return s.Movement
	case s.Structure == StructParallel:
		return MoveOutward
	}
	return MoveInward
}

// ArtifactSpec names an artifact of a stage and the role that produces it. An empty Producer
// means all acting roles together.
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

// Stage returns the current stage, or nil without a process.
func (p *ProcessState) Stage() *Stage {
	if p.Template == nil || p.CurrentStageIndex < 0 || p.CurrentStageIndex >= len(p.Template.Stages) {
		return nil
	}
	return &p.Template.Stages[p.CurrentStageIndex]
}

// Casting returns the casting of a role, or nil for a role that the template lacks.
func (p *ProcessState) Casting(roleID string) *Casting {
	return find(p.Cast, func(c *Casting) bool { return c.RoleID == roleID })
}

// HeldBy reports whether a person holds a role of a process that is not completed.
func (p *ProcessState) HeldBy(spectatorID string) bool {
	return p.Status != StatusCompleted &&
		slices.ContainsFunc(p.Cast, func(c Casting) bool { return c.Kind == KindHuman && c.SpectatorID == spectatorID })
}

// Role returns a role of the running template, or nil.
func (p *ProcessState) Role(id string) *Role {
	if p.Template == nil {
		return nil
	}
	return find(p.Template.Roles, func(r *Role) bool { return r.ID == id })
}

func (p *ProcessState) fill() {
	p.Status = cmp.Or(p.Status, StatusIdle)
	p.CollectedArtifacts = notNilMap(p.CollectedArtifacts)
	p.StageTurnCounts = notNilMap(p.StageTurnCounts)
	p.AgentTurnCounts = notNilMap(p.AgentTurnCounts)
	p.Skips = notNilMap(p.Skips)
	p.Cast = NotNil(p.Cast)
}

// StandIn returns a substitute for the head of a conversation that was lost with the journal. Only the current
// process or party gets one, because its conversation continues and the new rows need a head. For any other
// conversation, StandIn returns nil. at is the time of the world.
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
