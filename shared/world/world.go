package world

// Schema is the version of World on disk. A file with a higher version is not touched; one with
// a lower version is read with defaults for missing fields (S3-18).
const Schema = 1

// World is the state of one realm: a fold over its durable events. It holds neither transcripts
// nor anything of the linked folder: see Land. Lists keep the order of events.
type World struct {
	Realm           Realm           `json:"realm"`
	Agents          []Agent         `json:"agents"`
	Objects         []Object        `json:"objects"` // by ID, at most MaxObjects
	Quests          []Quest         `json:"quests"`
	Findings        []Finding       `json:"findings"`
	Artifacts       []Artifact      `json:"artifacts"`
	Tick            int64           `json:"tick"`
	ProcessState    ProcessState    `json:"processState"`
	NavigationState NavigationState `json:"navigationState"`
	Settings        Settings        `json:"settings"`
	// Fog and Paths are layers of the overworld: which tiles were explored, and which were
	// walked on.
	Fog   []Grid `json:"fog"`
	Forts []Fort `json:"forts"`
	Paths []Grid `json:"paths"`
	// Explored are the folders whose rooms a hero has entered, at most MaxExplored.
	Explored []string `json:"explored"`
	// Focus lists to whom people speak, the oldest choice first, at most MaxFocus.
	Focus []Focus `json:"focus"`
	Party Party   `json:"party"`
	// Skills are the known skills of the realm's skills folder, at most MaxSkills.
	Skills []Skill `json:"skills"`
	// Erased are the ids of erased conversations and people, the newest last, at most MaxErased.
	// None of them may act again.
	Erased []string `json:"erased"`
	// Instances are the newest drivers of members, the one that played longest ago first, at
	// most MaxInstances.
	Instances []Instance `json:"instances"`
	Salvage   *Salvage   `json:"salvage,omitempty"`
}

// Realm identifies a realm. Path is the linked folder, absolute on the server's machine, or
// empty where none is linked.
type Realm struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Path   string `json:"path,omitempty"`
	Tenant string `json:"tenant"`
}

// DefaultTenant is the tenant of a realm without another one.
const DefaultTenant = "default"

// RoleOracle is the role of the member that joins when a person opens a realm without a process.
// It stands at the keep.
const RoleOracle = "oracle"

// Agent is a member on the map: a driver's hero, or a person in a role. ID is the member id (in
// a process the role id) and survives restarts; the instance is kept elsewhere.
type Agent struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Kind        string `json:"kind"` // KindHuman, KindAgent
	Role        string `json:"role"`
	Color       string `json:"color"`
	Status      string `json:"status"`
	Activity    string `json:"activity,omitempty"`
	// X, Y is the tile of the agent: on a page of the room of Folder if Inside, else on
	// the overworld, where Folder is "". Until Walk ends the agent is on its way there.
	X           int    `json:"x"`
	Y           int    `json:"y"`
	Folder      string `json:"realm"`
	Inside      bool   `json:"inside,omitempty"`
	Page        int    `json:"page,omitempty"`
	Walk        *Walk  `json:"walk,omitempty"`
	SpectatorID string `json:"spectatorId,omitempty"`
}

// Kinds of members.
const (
	KindHuman = "human"
	KindAgent = "agent"
	// KindOpen marks a role that nobody holds.
	KindOpen = "open"
)

// Quest is a task that a person may take. AgentID found it; SpectatorID and Owner are the person
// who has taken it, empty while it is open. Note says why its finding was withdrawn, which ends
// a quest without an owner.
type Quest struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Status      string `json:"status"`
	Priority    string `json:"priority"`
	AgentID     string `json:"agentId,omitempty"`
	Path        string `json:"path,omitempty"`
	Line        int    `json:"line,omitempty"`
	FindingID   string `json:"findingId,omitempty"`
	SpectatorID string `json:"spectatorId,omitempty"`
	Owner       string `json:"owner,omitempty"`
	Note        string `json:"note,omitempty"` // at most MaxQuestNote bytes
}

// States of a quest. Done is final.
const (
	QuestOpen     = "open"
	QuestAssigned = "assigned"
	QuestProgress = "in_progress"
	QuestDone     = "done"
)

// Finding is something that an agent or a person found. Posting the same ID replaces it.
type Finding struct {
	ID       string `json:"id"`
	AgentID  string `json:"agentId"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
	Text     string `json:"text"`
	Path     string `json:"path"`
	Line     int    `json:"line,omitempty"`
	StageID  string `json:"stageId,omitempty"`
	At       Time   `json:"at"`
	// Check is the rule that found it, Evidence the line at that time, Why the harm, Advice what
	// to do. Text says the same for clients that know only Text. Empty if not given.
	Check    string `json:"check,omitempty"`
	Evidence string `json:"evidence,omitempty"`
	Why      string `json:"why,omitempty"`
	Advice   string `json:"advice,omitempty"`
	// Withdrawn is the reason of the withdrawal, Into the finding that reports the same.
	Withdrawn string `json:"withdrawn,omitempty"`
	Into      string `json:"into,omitempty"`
	// ProcessID is the conversation of the process that was running; "" for none, and in
	// findings of older versions.
	ProcessID string `json:"processId,omitempty"`
}

// Severities, least first.
var Severities = []string{"info", "low", "medium", "high", "critical"}

// Artifact is a named text that a stage produces; prompts of later stages include it. Text holds
// at most MaxArtifactText bytes; Cut reports that the transcript has a longer text.
type Artifact struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	StageID string `json:"stageId"`
	AgentID string `json:"agentId"`
	Text    string `json:"text"`
	Cut     bool   `json:"cut,omitempty"`
	At      Time   `json:"at"`
	// Attempt is the stage's attempt in which it was made; 0 in older versions.
	Attempt int `json:"attempt,omitempty"`
}

// NavigationState holds, for each person by spectatorId and each hero by member id, the current
// room and the rooms that lead back, the nearest last (S3-03, B29). A hero on the overworld is
// in neither map. A person has at most MaxNavStack rooms, a hero MaxHeroStack.
type NavigationState struct {
	AgentNavStacks   map[string][]string `json:"agentNavStacks"`
	AgentCurrentPath map[string]string   `json:"agentCurrentPath"`
	// Walkers are the people in these maps, the one who walked least recently first.
	Walkers []string `json:"walkers"`
}

// enter sets the room of a person or hero.
func (n *NavigationState) enter(id, path string, stack []string) {
	n.AgentNavStacks[id] = notNil(stack)
	n.AgentCurrentPath[id] = path
}

// leave removes the room of a person or hero.
func (n *NavigationState) leave(id string) {
	delete(n.AgentNavStacks, id)
	delete(n.AgentCurrentPath, id)
}

// Focus is the member to whom a person's words go until they choose another (B21). If the member
// is not on the map, the words go to everybody.
type Focus struct {
	SpectatorID string `json:"spectatorId"`
	AgentID     string `json:"agentId"`
}

// Settings of a realm, from the wire contract's table.
type Settings struct {
	MaxAgents                  int    `json:"maxAgents"`
	Pace                       string `json:"pace"`
	AutonomyMode               string `json:"autonomyMode"`
	TurnTimeoutSeconds         int    `json:"turnTimeoutSeconds"`
	TaskMaxTurns               int    `json:"taskMaxTurns"`
	MaxConcurrentConversations int    `json:"maxConcurrentConversations"`
	ContextWindowMessages      int    `json:"contextWindowMessages"`
	// AgentChats is whether agents may begin conversations with each other, which are councils
	// of more than one agent (S0-B12). Tasks of one agent and chats with people are always
	// allowed. Realms of older versions have none, which means On.
	AgentChats string `json:"agentChats,omitempty"`
}

// Values of Settings.Pace, Settings.AutonomyMode and Settings.AgentChats.
const (
	PaceWatchable  = "watchable"
	PaceInstant    = "instant"
	ModeAutonomous = "autonomous"
	ModeSupervised = "supervised"
	ModeManual     = "manual"
	On             = "on"
	Off            = "off"
)

// DefaultSettings are the settings of a new realm where settings.json sets none.
func DefaultSettings() Settings {
	return Settings{
		MaxAgents: 12, Pace: PaceWatchable, AutonomyMode: ModeAutonomous,
		TurnTimeoutSeconds: 120, TaskMaxTurns: 6,
		MaxConcurrentConversations: 3, ContextWindowMessages: 50, AgentChats: On,
	}
}

// Bounds of a world, which keep it below about 10 MB. A command that would exceed one is refused
// with an error; Validate checks them.
const (
	MaxFindings     = 10_000
	MaxFindingText  = 4_000 // bytes
	MaxQuests       = 500
	MaxTitle        = 200 // bytes
	MaxQuestNote    = 400 // bytes
	MaxFocus        = 1_000
	MaxArtifacts    = 1_000
	MaxArtifactText = 64 << 10 // bytes
	MaxProblem      = 16 << 10 // bytes
	MaxAgentsEver   = 64
	MaxMessageText  = 4 << 20 // bytes of a message; a longer answer ends with chat.error "limit"
)

// New returns the empty world of a realm with default settings.
func New(realm Realm) *World {
	w := &World{Realm: realm, Settings: DefaultSettings()}
	w.Fill()
	return w
}

// Fill gives each field that an older file lacks its default, so that no list or map is null
// (S3-18).
func (w *World) Fill() {
	if w.Realm.Tenant == "" {
		w.Realm.Tenant = DefaultTenant
	}
	w.Agents = notNil(w.Agents)
	w.Quests = notNil(w.Quests)
	w.Findings = notNil(w.Findings)
	w.Artifacts = notNil(w.Artifacts)
	w.Fog = notNil(w.Fog)
	w.Forts = notNil(w.Forts)
	w.Paths = notNil(w.Paths)
	w.Explored = notNil(w.Explored)
	w.Focus = notNil(w.Focus)
	w.Party.fill()
	w.Skills = notNil(w.Skills)
	w.Erased = notNil(w.Erased)
	w.Instances = notNil(w.Instances)
	if w.NavigationState.AgentNavStacks == nil {
		w.NavigationState.AgentNavStacks = map[string][]string{}
	}
	if w.NavigationState.AgentCurrentPath == nil {
		w.NavigationState.AgentCurrentPath = map[string]string{}
	}
	w.NavigationState.Walkers = notNil(w.NavigationState.Walkers)
	for i := range w.Agents { // in worlds without ways of heroes, each hero is where it stands
		if a := &w.Agents[i]; a.Inside {
			if _, known := w.NavigationState.AgentCurrentPath[a.ID]; !known {
				w.NavigationState.enter(a.ID, a.Folder, nil)
			}
		}
	}
	w.ProcessState.fill()
	w.Settings.fill()
	if len(w.Objects) == 0 {
		w.settleAll() // objects follow from the rest; worlds of older versions have none
	}
}

func (s *Settings) fill() {
	d := DefaultSettings()
	s.MaxAgents = orDefault(s.MaxAgents, d.MaxAgents)
	s.Pace = orDefault(s.Pace, d.Pace)
	s.AutonomyMode = orDefault(s.AutonomyMode, d.AutonomyMode)
	s.TurnTimeoutSeconds = orDefault(s.TurnTimeoutSeconds, d.TurnTimeoutSeconds)
	s.TaskMaxTurns = orDefault(s.TaskMaxTurns, d.TaskMaxTurns)
	s.MaxConcurrentConversations = orDefault(s.MaxConcurrentConversations, d.MaxConcurrentConversations)
	s.ContextWindowMessages = orDefault(s.ContextWindowMessages, d.ContextWindowMessages)
	s.AgentChats = orDefault(s.AgentChats, d.AgentChats)
}

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func orDefault[T comparable](v, d T) T {
	var zero T
	if v == zero {
		return d
	}
	return v
}

// FocusOf returns the member to whom a person's words go, "" for everybody.
func (w *World) FocusOf(spectatorID string) string {
	for _, f := range w.Focus {
		if f.SpectatorID == spectatorID {
			return f.AgentID
		}
	}
	return ""
}

// Fort returns a member's fort, nil where it has none.
func (w *World) Fort(agentID string) *Fort {
	for i := range w.Forts {
		if w.Forts[i].AgentID == agentID {
			return &w.Forts[i]
		}
	}
	return nil
}

// Agent returns the agent with that id, or nil.
func (w *World) Agent(id string) *Agent {
	for i := range w.Agents {
		if w.Agents[i].ID == id {
			return &w.Agents[i]
		}
	}
	return nil
}
