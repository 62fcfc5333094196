package world

import "maps"

// StageRef names a stage in process:started.
type StageRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ProcessStarted begins a staged process. The process keeps Template to its end. The new
// ProcessState replaces the state of an earlier process; artifacts of that process stay in
// World.Artifacts.
type ProcessStarted struct {
	TemplateID     string     `json:"templateId"`
	Name           string     `json:"name"`
	Problem        string     `json:"problem"`
	Stages         []StageRef `json:"stages"`
	StageIndex     int        `json:"stageIndex"`
	ConversationID string     `json:"conversationId"`
	Template       *Template  `json:"template"`
	Cast           []Casting  `json:"cast"`
}

// Author is the person who caused an event: their id, and the name that they had then. Both are "" if no person caused
// it, and in events of older versions.
type Author struct {
	By   string `json:"by,omitempty"`
	Name string `json:"name,omitempty"`
}

// SetAuthor sets the person who caused the event.
func (a *Author) SetAuthor(by, name string) { a.By, a.Name = by, name }

// orNil returns a copy of a, or nil if nobody is named.
func (a Author) orNil() *Author {
	if a == (Author{}) {
		return nil
	}
	return &a
}

func (a *Author) naming() Naming { return Naming{SpectatorID: a.By, Name: a.Name} }

// author removes the name of an author who is the erased person, or whose process is erased.
func (r *Redactor) author(a *Author) {
	if a.By == r.person && r.person != "" || r.conversations[r.process] {
		r.clear(&a.Name)
	}
}

// ProcessCast sets the holder of a role: a person, a driver or nobody.
type ProcessCast struct {
	Casting Casting `json:"casting"`
	Author          // who freed the role; empty if the role has a holder, who then is in Casting
}

// SetAuthor sets the person who freed the role. It does nothing if the role has a holder.
func (b *ProcessCast) SetAuthor(by, name string) {
	if b.Casting.Kind == KindOpen {
		b.Author.SetAuthor(by, name)
	}
}

// ProcessAdvanced ends a stage and begins the next. It is one event, so that no crash can end the stage without
// beginning the next (S3-22).
type ProcessAdvanced struct {
	FromStageID string `json:"fromStageId"`
	ToStageID   string `json:"toStageId"`
	StageIndex  int    `json:"stageIndex"`
	TotalStages int    `json:"totalStages"`
}

// ProcessStageRestarted restarts the current stage. Counts lists the keys of the turn counts
// that are reset.
type ProcessStageRestarted struct {
	StageID string   `json:"stageId"`
	Attempt int      `json:"attempt"`
	Counts  []string `json:"counts"`
}

// ProcessPausing records that a person has requested a pause while turns are under way. ProcessPaused follows when
// they have ended.
type ProcessPausing struct {
	Author
}

// ProcessPaused pauses the process: no turn runs, and none begins before ProcessResumed. Author is who asked for the
// pause, also if the server had to wait for the end of turns.
type ProcessPaused struct {
	Reason string `json:"reason,omitempty"`
	Author
}

// ProcessResumed continues a process. Approved is the key of the turns that the person allows in
// the modes supervised and manual (a stage, or one turn of it), else "".
type ProcessResumed struct {
	Approved string `json:"approved,omitempty"`
	Author
}

// ProcessSealed records the explicit signal of a role that the current stage is done.
type ProcessSealed struct {
	StageID string `json:"stageId"`
	RoleID  string `json:"roleId"`
	Summary string `json:"summary,omitempty"`
}

// ProcessWaiting sets the reason why the process waits. Waiting is nil if it no longer waits.
type ProcessWaiting struct {
	Waiting *Waiting `json:"waiting"`
}

// ArtifactRef names an artifact without its text.
type ArtifactRef struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	StageID string `json:"stageId"`
	AgentID string `json:"agentId"`
}

// ProcessCompleted ends the process. The cast of the present stage stays on the map. Early is set if a person ended the
// process before its last stage had ended.
type ProcessCompleted struct {
	Artifacts []ArtifactRef `json:"artifacts"`
	Early     bool          `json:"early,omitempty"`
}

// ProcessSkipped skips the current or next turn of each role in RoleIDs, at the request of a person. A skipped turn
// counts as taken, without an answer.
type ProcessSkipped struct {
	StageID string   `json:"stageId"`
	Attempt int      `json:"attempt"`
	RoleIDs []string `json:"roleIds"`
	// Skips has the new total of skipped turns, by "stageId:roleId".
	Skips map[string]int `json:"skips"`
}

// ProcessError reports a failure. Another event has what the process does about it.
type ProcessError struct {
	StageID string `json:"stageId"`
	RoleID  string `json:"roleId,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (*ProcessStarted) EventType() string        { return "process:started" }
func (*ProcessCast) EventType() string           { return "process:cast" }
func (*ProcessAdvanced) EventType() string       { return "process:stage_advanced" }
func (*ProcessStageRestarted) EventType() string { return "process:stage_restarted" }
func (*ProcessPausing) EventType() string        { return "process:pausing" }
func (*ProcessPaused) EventType() string         { return "process:paused" }
func (*ProcessResumed) EventType() string        { return "process:resumed" }
func (*ProcessSealed) EventType() string         { return "process:sealed" }
func (*ProcessWaiting) EventType() string        { return "process:waiting" }
func (*ProcessCompleted) EventType() string      { return "process:completed" }
func (*ProcessSkipped) EventType() string        { return "process:skipped" }
func (*ProcessError) EventType() string          { return "process:error" }

var (
	_ = register(facts[ProcessStarted]{
		names: func(b *ProcessStarted) (out []Naming) {
			for _, c := range b.Cast {
				out = append(out, Naming{SpectatorID: c.SpectatorID, Name: c.Name})
			}
			return out
		},
		audit: func(b *ProcessStarted) AuditNote {
			return AuditNote{ConversationID: b.ConversationID, After: StatusRunning, Note: b.TemplateID}
		},
		between: true,
		personal: rule([]string{"problem", "cast[].name"}, []string{"problem", "cast[].name"},
			func(r *Redactor, b *ProcessStarted, _ *Event) {
				r.process = b.ConversationID
				if r.conversations[b.ConversationID] || r.begun[b.ConversationID] || r.WithoutQuotes(b.Problem) != b.Problem {
					r.replace(&b.Problem, ErasedName)
				}
				for i := range b.Cast {
					r.casting(&b.Cast[i], r.conversations[b.ConversationID])
				}
			}),
	})
	_ = register(facts[ProcessCast]{
		names: func(b *ProcessCast) []Naming {
			return []Naming{{SpectatorID: b.Casting.SpectatorID, Name: b.Casting.Name}, b.naming()}
		},
		between: true,
		personal: rule([]string{"casting.name", "name"}, []string{"casting.name", "name"},
			func(r *Redactor, b *ProcessCast, _ *Event) {
				r.casting(&b.Casting, r.conversations[r.process])
				r.author(&b.Author)
			}),
	})
	_ = register(facts[ProcessAdvanced]{
		personal: none("ids"),
	})
	_ = register(facts[ProcessStageRestarted]{
		between:  true,
		personal: none("ids and counts"),
	})
	_ = register(facts[ProcessPausing]{
		names:   func(b *ProcessPausing) []Naming { return []Naming{b.naming()} },
		between: true,
		personal: rule([]string{"name"}, []string{"name"}, func(r *Redactor, b *ProcessPausing, _ *Event) {
			r.author(&b.Author)
		}),
	})
	_ = register(facts[ProcessPaused]{
		names:   func(b *ProcessPaused) []Naming { return []Naming{b.naming()} },
		audit:   func(b *ProcessPaused) AuditNote { return AuditNote{Who: b.By, After: StatusPaused} },
		between: true,
		personal: rule([]string{"reason", "name"}, []string{"reason", "name"}, func(r *Redactor, b *ProcessPaused,
			_ *Event) {
			r.processText(&b.Reason)
			r.author(&b.Author)
		}),
	})
	_ = register(facts[ProcessResumed]{
		names:   func(b *ProcessResumed) []Naming { return []Naming{b.naming()} },
		audit:   func(*ProcessResumed) AuditNote { return AuditNote{After: StatusRunning} },
		between: true,
		personal: rule([]string{"name"}, []string{"name"}, func(r *Redactor, b *ProcessResumed, _ *Event) {
			r.author(&b.Author)
		}),
	})
	_ = register(facts[ProcessSealed]{
		between: true,
		personal: rule([]string{"summary"}, []string{"summary"}, func(r *Redactor, b *ProcessSealed,
			_ *Event) {
			r.processText(&b.Summary)
		}),
	})
	_ = register(facts[ProcessWaiting]{
		personal: rule([]string{"waiting.message"}, []string{"waiting.message"},
			func(r *Redactor, b *ProcessWaiting, _ *Event) {
				if b.Waiting != nil {
					r.processText(&b.Waiting.Message)
				}
			}),
	})
	_ = register(facts[ProcessCompleted]{
		audit:    func(*ProcessCompleted) AuditNote { return AuditNote{After: StatusCompleted} },
		between:  true,
		personal: none("ids and the names of artifacts, which the template gives"),
	})
	_ = register(facts[ProcessSkipped]{
		between:  true,
		personal: none("ids and counts"),
	})
	_ = register(facts[ProcessError]{
		between: true,
		personal: rule([]string{"message"}, []string{"message"}, func(r *Redactor, b *ProcessError,
			_ *Event) {
			r.processText(&b.Message)
		}),
	})
)

func (b *ProcessStarted) apply(w *World, ev *Event) {
	w.ProcessState = ProcessState{
		Status: StatusRunning, CurrentStageIndex: b.StageIndex, ProblemStatement: b.Problem,
		TemplateID: b.TemplateID, Template: b.Template, ConversationID: b.ConversationID,
		StageAttempt: 1, StageStartedAt: ev.At, Cast: append([]Casting(nil), b.Cast...),
	}
	w.ProcessState.fill()
}

func (b *ProcessCast) apply(w *World, _ *Event) {
	if c := w.ProcessState.Casting(b.Casting.RoleID); c != nil {
		*c = b.Casting
	}
}

func (b *ProcessAdvanced) apply(w *World, ev *Event) {
	p := &w.ProcessState
	p.CurrentStageIndex = b.StageIndex
	p.StageAttempt = 1
	p.StageStartedAt = ev.At
	p.Sealed = nil
	p.Waiting = nil
}

func (b *ProcessStageRestarted) apply(w *World, ev *Event) {
	p := &w.ProcessState
	p.StageAttempt = b.Attempt
	p.StageStartedAt = ev.At
	p.Sealed = nil
	p.Waiting = nil
	for _, key := range b.Counts {
		delete(p.StageTurnCounts, key)
		delete(p.AgentTurnCounts, key)
		delete(p.Skips, key)
	}
}

func (b *ProcessPausing) apply(w *World, _ *Event) {
	w.ProcessState.Pausing = true
	w.ProcessState.PausedBy = b.Author.orNil()
}

func (b *ProcessPaused) apply(w *World, _ *Event) {
	p := &w.ProcessState
	p.Status = StatusPaused
	p.Pausing = false
	p.Reason = b.Reason
	p.PausedBy = b.Author.orNil()
	p.Waiting = nil
}

func (b *ProcessResumed) apply(w *World, ev *Event) {
	p := &w.ProcessState
	p.Status = StatusRunning
	p.Pausing = false
	p.PausedBy = nil
	p.Reason = ""
	p.Waiting = nil
	p.ResumedSeq = ev.Seq
	if b.Approved != "" {
		p.Approved = b.Approved
	}
}

func (b *ProcessSealed) apply(w *World, _ *Event) {
	w.ProcessState.Sealed = &Seal{RoleID: b.RoleID, Summary: b.Summary}
}

func (b *ProcessWaiting) apply(w *World, _ *Event) { w.ProcessState.Waiting = b.Waiting }

func (b *ProcessCompleted) apply(w *World, _ *Event) {
	p := &w.ProcessState
	p.Status = StatusCompleted
	p.Pausing = false
	p.PausedBy = nil
	p.Early = b.Early
	p.Reason = ""
	p.Waiting = nil
}

func (b *ProcessSkipped) apply(w *World, _ *Event) {
	maps.Copy(w.ProcessState.Skips, b.Skips)
	w.ProcessState.Waiting = nil
}

func (b *ProcessError) apply(*World, *Event) {}
