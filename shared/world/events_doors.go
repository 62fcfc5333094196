package world

import "slices"

// AgentDoor is a question of a coding agent that a person answers: whether a tool may run. It is open until Outcome is set.
type AgentDoor struct {
	DoorID         string `json:"doorId"`
	AgentID        string `json:"agentId"`
	ConversationID string `json:"conversationId"`
	Tool           string `json:"tool"`
	Summary        string `json:"summary"`          // the call in a few words, such as "touch x" or "main.go"
	Detail         string `json:"detail,omitempty"` // the whole input of the call, as far as MaxToolInput
	// Choices are the answers that a person can give: values of Choice. Without any the question is answered in the
	// agent's own terminal.
	Choices []string `json:"choices"`
	At      Time     `json:"at"`
	Outcome string   `json:"outcome,omitempty"` // one of DoorAllowed and so on; "" while the door is open
	By      string   `json:"by,omitempty"`      // SpectatorID of the person who answered, "" for nobody here
}

// Open reports whether nobody has answered yet.
func (d *AgentDoor) Open() bool { return d.Outcome == "" }

// Choices of a door.
const (
	ChoiceAllow  = "allow"
	ChoiceAlways = "always" // allow it, and what the agent itself suggests to allow from now on
	ChoiceDeny   = "deny"
)

// Outcomes of a door.
const (
	DoorAllowed  = "allowed"
	DoorAlways   = "always"
	DoorDenied   = "denied"
	DoorTerminal = "terminal" // decided in the agent's own terminal, or the agent has moved on
	DoorEnded    = "ended"    // the session is over
)

// Bounds of the doors of a world. With MaxDoors open ones no other opens, and the agent's own terminal asks. Of closed
// doors the world keeps the newest MaxClosedDoors.
const (
	MaxDoors       = 64
	MaxClosedDoors = 16
)

// Door returns a door, or nil.
func (w *World) Door(id string) *AgentDoor {
	return find(w.Doors, func(d *AgentDoor) bool { return d.DoorID == id })
}

// DoorOpened adds a door, or replaces the one with the same id.
type DoorOpened struct {
	AgentDoor
}

// DoorClosed closes a door. A later one corrects an earlier one: the agent's own record can show that its terminal was
// faster.
type DoorClosed struct {
	DoorID         string `json:"doorId"`
	ConversationID string `json:"conversationId"`
	Outcome        string `json:"outcome"`
	By             string `json:"by,omitempty"`
}

func (*DoorOpened) EventType() string { return "door:opened" }
func (*DoorClosed) EventType() string { return "door:closed" }

var (
	_ = register(facts[DoorOpened]{
		conversation: func(b *DoorOpened) string { return b.ConversationID },
		personal: rule([]string{"summary", "detail"}, nil, func(r *Redactor, b *DoorOpened, _ *Event) {
			if r.conversations[b.ConversationID] {
				r.clear(&b.Summary)
				r.clear(&b.Detail)
			}
		}),
	})
	_ = register(facts[DoorClosed]{
		conversation: func(b *DoorClosed) string { return b.ConversationID },
		audit: func(b *DoorClosed) AuditNote {
			return AuditNote{ConversationID: b.ConversationID, Note: "door " + b.Outcome}
		},
		personal: none("ids and an outcome"),
	})
)

func (b *DoorOpened) apply(w *World, _ *Event) {
	if d := w.Door(b.DoorID); d != nil {
		*d = b.AgentDoor
		return
	}
	w.Doors = append(w.Doors, b.AgentDoor)
}

func (b *DoorClosed) apply(w *World, _ *Event) {
	d := w.Door(b.DoorID)
	if d == nil {
		return
	}
	d.Outcome, d.By = b.Outcome, b.By
	closed := 0
	for i := range w.Doors {
		if !w.Doors[i].Open() {
			closed++
		}
	}
	w.Doors = slices.DeleteFunc(w.Doors, func(d AgentDoor) bool {
		if d.Open() || closed <= MaxClosedDoors {
			return false
		}
		closed--
		return true
	})
}

// eraseDoors removes the doors of conversations that were erased.
func (w *World) eraseDoors(conversations []string) {
	w.Doors = slices.DeleteFunc(w.Doors, func(d AgentDoor) bool { return slices.Contains(conversations, d.ConversationID) })
}
