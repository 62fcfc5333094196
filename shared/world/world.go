package world

import (
	"cmp"
	"slices"
)

// Schema is the version of World on disk. The server does not touch a file with a higher version.
// It reads one with a lower version and sets missing fields to defaults (S3-18).
const Schema = 1

// World is the state of one realm: the result of applying its durable events. It contains neither transcripts nor
// the linked folder: see Land. Lists are in the order of events unless noted.
type World struct {
	Realm           Realm           `json:"realm"`
	Agents          []Agent         `json:"agents"`
	Objects         []Object        `json:"objects"` // sorted by ID, at most MaxObjects
	Quests          []Quest         `json:"quests"`
	Findings        []Finding       `json:"findings"`
	Artifacts       []Artifact      `json:"artifacts"`
	Tick            int64           `json:"tick"`
	ProcessState    ProcessState    `json:"processState"`
	NavigationState NavigationState `json:"navigationState"`
	Settings        Settings        `json:"settings"`
	// Fog has the layer LayerExplored of the overworld, Paths the layer LayerWorn.
	Fog   []Grid `json:"fog"`
	Forts []Fort `json:"forts"`
	Paths []Grid `json:"paths"`
	// Explored lists the folders whose rooms a hero has entered, at most MaxExplored.
	Explored []string `json:"explored"`
	// Focus lists the members whom people have chosen to address, the oldest choice first, at
	// most MaxFocus.
	Focus []Focus `json:"focus"`
	Party Party   `json:"party"`
	// Skills lists the skills in the realm's skills folder, at most MaxSkills.
	Skills []Skill `json:"skills"`
	// Erased lists the ids of erased conversations and people, the newest last, at most
	// MaxErased. The realm refuses commands that name them.
	Erased []string `json:"erased"`
	// Instances lists the newest numbered driver of each member, at most MaxInstances. The driver that played
	// longest ago comes first.
	Instances []Instance `json:"instances"`
	Salvage   *Salvage   `json:"salvage,omitempty"`
	// Sessions lists the sessions of coding agents that people run, at most MaxSessions. The one that was read longest ago
	// comes first.
	Sessions []Session `json:"sessions,omitempty"`
	// Doors lists the questions of coding agents: at most MaxDoors open ones and MaxClosedDoors others, the oldest first.
	Doors []AgentDoor `json:"doors,omitempty"`
	// Touches is the timeline of files: which coding agent has read or edited which file. It is in the order of Last, and
	// has at most MaxTouches entries.
	Touches []FileTouch `json:"touches,omitempty"`
	// Collisions lists the files at which coding agents are in each other's way: at most MaxCollisions.
	Collisions []Collision `json:"collisions,omitempty"`
	// Usage is the ledger of coding agents, at most MaxUsage rows, the one that changed last at the end.
	Usage []AgentUsage `json:"usage,omitempty"`
}

// Realm identifies a realm. Path is the absolute path of the linked folder on the server, "" if
// none is linked.
type Realm struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Path   string `json:"path,omitempty"`
	Tenant string `json:"tenant"`
}

// DefaultTenant is the tenant of every realm that belongs to no other tenant.
const DefaultTenant = "default"

// RoleOracle is the role of the member that joins, at the keep, when a person opens a realm
// without a process.
const RoleOracle = "oracle"

// Agent is a member on the map, played by a driver or a person. ID is the member id (in a process
// the role id); it stays the same across restarts, unlike the member's Instance.
type Agent struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Kind        string `json:"kind"` // KindHuman, KindAgent
	Role        string `json:"role"`
	Color       string `json:"color"`
	Status      string `json:"status"`
	Activity    string `json:"activity,omitempty"`
	// X, Y is the agent's tile at the end of Walk. If Inside is set, the tile is on the page Page of the room of
	// Folder. Otherwise it is on the overworld, and Folder is "".
	X           int    `json:"x"`
	Y           int    `json:"y"`
	Folder      string `json:"realm"`
	Inside      bool   `json:"inside,omitempty"`
	Page        int    `json:"page,omitempty"`
	Walk        *Walk  `json:"walk,omitempty"`
	SpectatorID string `json:"spectatorId,omitempty"`
	// State is set for a coding agent that a person runs. Events replace the struct and never modify it.
	State *AgentState `json:"state,omitempty"`
}

// Kinds of members.
const (
	KindHuman = "human"
	KindAgent = "agent"
	// KindOpen marks a role that nobody holds.
	KindOpen = "open"
)

// Quest is a task that a person can take. AgentID is the member that found the quest. SpectatorID and Owner name the
// person who has taken the quest; they are empty while the quest is open. Note is the reason why the quest's finding
// was withdrawn; a quest with a note and without an owner is done.
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

// Finding is a problem that an agent or a person has found.
type Finding struct {
	ID       string `json:"id"`
	AgentID  string `json:"agentId"`
	Severity string `json:"severity"`
	// Confidence says how likely it is that the finding is true: one of Confidences, or "" if that is not known.
	Confidence string `json:"confidence,omitempty"`
	Title      string `json:"title"`
	Text       string `json:"text"`
	Path       string `json:"path"`
	Line       int    `json:"line,omitempty"`
	StageID    string `json:"stageId,omitempty"`
	At         Time   `json:"at"`
	// Check is the id of the check that made the finding, Evidence is the line of code at that time, Why describes the
	// harm and Advice the remedy; each may be "". Text combines all of them for older clients.
	Check    string `json:"check,omitempty"`
	Evidence string `json:"evidence,omitempty"`
	Why      string `json:"why,omitempty"`
	Advice   string `json:"advice,omitempty"`
	// CWE has the numbers of the weaknesses that the check finds (cwe.mitre.org), at most MaxCWE.
	CWE []int `json:"cwe,omitempty"`
	// Reach says who runs the code at Path: one of Reaches; "" stands for the first one. ChangedAt is the time of
	// the last commit that changed the file, 0 if it is unknown. The function Worse uses both.
	Reach     string `json:"reach,omitempty"`
	ChangedAt Time   `json:"changedAt,omitempty"`
	// Steps has the places through which a value flows from its source to the place of the finding, at most MaxSteps.
	Steps []Step `json:"steps,omitempty"`
	// Patch is a unified diff that repairs the problem, at most MaxPatch bytes. It is "" if the repair is not mechanical.
	Patch string `json:"patch,omitempty"`
	// Accept is a line for the repository's file .agentdungeon-review. The line accepts the finding once REASON in it is
	// replaced by a reason.
	Accept string `json:"accept,omitempty"`
	// Withdrawn is the reason why the finding was withdrawn, "" if it was not. Into is another finding that reports the
	// same problem, "" for none.
	Withdrawn string `json:"withdrawn,omitempty"`
	Into      string `json:"into,omitempty"`
	// Proof says why a finding of low confidence is true, with quoted lines; "" if nobody has proved it. See State.
	Proof string `json:"proof,omitempty"`
	// ProcessID is the conversation of the process that was running, "" for none. Findings of
	// older versions have none.
	ProcessID string `json:"processId,omitempty"`
}

// Step is one place through which a value flows. Quote is the line of code; Note says what happens there, "" if the
// line shows it. Both have at most MaxStepText bytes.
type Step struct {
	Path  string `json:"path"`
	Line  int    `json:"line"`
	Quote string `json:"quote"`
	Note  string `json:"note,omitempty"`
}

// Words returns all texts of a finding. Any of them may quote what people have said.
func (f *Finding) Words() []string {
	words := []string{f.Title, f.Text, f.Evidence, f.Why, f.Advice, f.Withdrawn, f.Proof, f.Patch, f.Accept}
	for _, s := range f.Steps {
		words = append(words, s.Quote, s.Note)
	}
	return words
}

// Severities lists the severities of findings, the lowest first.
var Severities = []string{"info", "low", "medium", "high", "critical"}

// Confidences lists the confidences of findings, the lowest first.
var Confidences = []string{"low", "medium", "high"}

// Reaches lists who runs the code of a finding: users, the project's own people, its tests, its tests as their data,
// or nobody of the project, because the code is third-party or generated.
var Reaches = []string{"product", "script", "test", "fixture", "foreign"}

// Worse orders findings, the worst first. Those that are only suspected come last. All others are ordered by
// severity, then by confidence, then by who runs the code (Reach), then by the time of the last change (the newest
// first). A finding without a confidence counts as one of medium confidence.
func Worse(a, b *Finding) int {
	sure := func(f *Finding) int {
		if f.Confidence == "" {
			return 1
		}
		return slices.Index(Confidences, f.Confidence)
	}
	last := func(f *Finding) int {
		if f.State() == StateSuspected {
			return 1
		}
		return 0
	}
	reach := func(f *Finding) int { return max(0, slices.Index(Reaches, f.Reach)) }
	return cmp.Or(last(a)-last(b), slices.Index(Severities, b.Severity)-slices.Index(Severities, a.Severity),
		sure(b)-sure(a), reach(a)-reach(b), cmp.Compare(b.ChangedAt, a.ChangedAt))
}

// Artifact is a named text that a stage produces. Prompts of later stages include it. Text holds
// at most MaxArtifactText bytes; if Cut, the transcript has the whole text. Coverage is what a review has read, nil if
// the artifact does not say that.
type Artifact struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	StageID string `json:"stageId"`
	AgentID string `json:"agentId"`
	Text    string `json:"text"`
	Cut     bool   `json:"cut,omitempty"`
	At      Time   `json:"at"`

	Coverage *Coverage `json:"coverage,omitempty"`
	// Attempt is the attempt of the stage that produced the artifact, 0 in worlds of older versions.
	Attempt int `json:"attempt,omitempty"`
	// ProcessID is the conversation of the process that produced the artifact, "" in worlds of older versions.
	ProcessID string `json:"processId,omitempty"`
}

// Coverage says which parts of a repository a review has read, and how. A report shows it first, because no check
// finds anything in a file that was not read. In an artifact it has at most MaxArtifactText bytes of JSON.
type Coverage struct {
	// Languages has the languages of the repository: first programming languages, then the others, each group with the
	// language of the most lines first. Files of no known language are those of the language "".
	Languages []Covered `json:"languages"`
	// General has the kinds of problems that checks look for in names, sizes or text of any language.
	General []string `json:"general"`
	// Limits has sentences about the parts that the review has left out because of a limit.
	Limits []string `json:"limits,omitempty"`
	// Root is the file that stands for the whole repository: a README or a manifest. It is "" if there is no file.
	Root string `json:"root,omitempty"`
}

// Covered says how the files in one language were read. The project's own files are in one of three groups: for
// those in Parsed, the checks in Trees read the syntax trees that they need; for those in Matched, checks read the
// text; those in Unread were not read, because they are too large, a link or not UTF-8, and their lines are not
// counted. Foreign are third-party or generated files, in which no finding is expected.
type Covered struct {
	Lang    string `json:"language"`
	Code    bool   `json:"code"` // set if programs are written in the language
	Parsed  Amount `json:"parsed"`
	Matched Amount `json:"matched"`
	Unread  Amount `json:"unread"`
	Foreign Amount `json:"foreign"`
	// Trees has the kinds of problems that checks look for in the syntax trees of the language, Texts those that they look
	// for in its text.
	Trees []string `json:"trees"`
	Texts []string `json:"texts"`
}

// Amount is a number of files and of their lines.
type Amount struct {
	Files int `json:"files"`
	Lines int `json:"lines,omitempty"`
}

// Own returns the number of the project's own files: those that are neither third-party nor generated.
func (l *Covered) Own() int { return l.Parsed.Files + l.Matched.Files + l.Unread.Files }

// Unknown reports whether nothing is known about the programs in a language, because no check knows the language or
// none of their files was read.
func (l *Covered) Unknown() bool {
	return l.Code && l.Own() > 0 && (len(l.Trees)+len(l.Texts) == 0 || l.Own() == l.Unread.Files)
}

// Unknown returns the languages for which Covered.Unknown is true.
func (c *Coverage) Unknown() (out []string) {
	for i := range c.Languages {
		if l := &c.Languages[i]; l.Unknown() {
			out = append(out, l.Lang)
		}
	}
	return out
}

// NavigationState holds the rooms of people, by spectatorId, and of heroes, by member id (S3-03, B29). AgentCurrentPath
// has the current room. AgentNavStacks has the rooms to go back through, the previous room last: at most MaxNavStack
// for a person and MaxHeroStack for a hero. A hero on the overworld is in neither map.
type NavigationState struct {
	AgentNavStacks   map[string][]string `json:"agentNavStacks"`
	AgentCurrentPath map[string]string   `json:"agentCurrentPath"`
	// Walkers lists the people in AgentCurrentPath, the one who walked least recently first.
	Walkers []string `json:"walkers"`
}

// enter sets the room of a person or hero.
func (n *NavigationState) enter(id, path string, stack []string) {
	n.AgentNavStacks[id] = NotNil(stack)
	n.AgentCurrentPath[id] = path
}

// leave removes the room of a person or hero.
func (n *NavigationState) leave(id string) {
	delete(n.AgentNavStacks, id)
	delete(n.AgentCurrentPath, id)
}

// Focus is the member whom a person has chosen to address (B21). While the member is not on the
// map, the person's words go to everybody.
type Focus struct {
	SpectatorID string `json:"spectatorId"`
	AgentID     string `json:"agentId"`
}

// Settings has the settings of a realm, as the wire contract lists them.
type Settings struct {
	MaxAgents                  int    `json:"maxAgents"`
	Pace                       string `json:"pace"`
	AutonomyMode               string `json:"autonomyMode"`
	TurnTimeoutSeconds         int    `json:"turnTimeoutSeconds"`
	TaskMaxTurns               int    `json:"taskMaxTurns"`
	MaxConcurrentConversations int    `json:"maxConcurrentConversations"`
	ContextWindowMessages      int    `json:"contextWindowMessages"`
	// AgentChats is On if councils of more than one agent are allowed (S0-B12). Tasks of one agent and chats with
	// people are always allowed. Settings of older versions have "", which means On.
	AgentChats string `json:"agentChats,omitempty"`
	// Shadows is Off if the server reads and shows no sessions of coding agents. "" means On, so that worlds
	// written before this setting existed stay as they are.
	Shadows string `json:"shadows,omitempty"`
	// ShadowsFor is Everybody if spectators see private conversations, too (P17.16). "" means Hosts.
	ShadowsFor string `json:"shadowsFor,omitempty"`
	// FilesFor is Everybody if spectators may open files of the linked folder, too (P19.2). "" means Hosts.
	FilesFor string `json:"filesFor,omitempty"`
}

// FilesShared reports whether spectators may open files (P19.2).
func (s *Settings) FilesShared() bool { return s.FilesFor == Everybody }

// Shared reports whether spectators see private conversations (P17.16).
func (s *Settings) Shared() bool { return s.ShadowsFor == Everybody }

// Values of Settings.ShadowsFor and FilesFor.
const (
	Hosts     = "hosts"
	Everybody = "everybody"
)

// Values of Settings.Pace, Settings.AutonomyMode, Settings.AgentChats and Settings.Shadows.
const (
	PaceWatchable  = "watchable"
	PaceInstant    = "instant"
	ModeAutonomous = "autonomous"
	ModeSupervised = "supervised"
	ModeManual     = "manual"
	On             = "on"
	Off            = "off"
)

// DefaultSettings returns the settings of a new realm for everything that settings.json leaves out.
func DefaultSettings() Settings {
	return Settings{
		MaxAgents: 12, Pace: PaceWatchable, AutonomyMode: ModeAutonomous,
		TurnTimeoutSeconds: 120, TaskMaxTurns: 6,
		MaxConcurrentConversations: 3, ContextWindowMessages: 50, AgentChats: On,
	}
}

// Limits of a world, which keep it below about 10 MB. The server refuses a command that would exceed one. Validate
// checks them.
const (
	MaxFindings     = 10_000
	MaxFindingText  = 4_000 // bytes
	MaxCWE          = 4
	MaxSteps        = 12
	MaxStepText     = 200   // bytes
	MaxPatch        = 2_000 // bytes
	MaxQuests       = 500
	MaxTitle        = 200 // bytes
	MaxQuestNote    = 400 // bytes
	MaxFocus        = 1_000
	MaxArtifacts    = 1_000
	MaxArtifactText = 64 << 10 // bytes
	MaxProblem      = 16 << 10 // bytes
	MaxAgentsEver   = 64       // agents on the map, besides coding agents
	MaxCoders       = 48       // coding agents on the map
	MaxMessageText  = 4 << 20  // bytes of a message; a run with a longer answer fails with ChatLimit
)

// New returns the empty world of a realm with default settings.
func New(realm Realm) *World {
	w := &World{Realm: realm, Settings: DefaultSettings()}
	w.Fill()
	return w
}

// Fill sets each field that an older file lacks to its default, so that no list or map is null in
// JSON (S3-18).
func (w *World) Fill() {
	w.Realm.Tenant = cmp.Or(w.Realm.Tenant, DefaultTenant)
	w.Agents = NotNil(w.Agents)
	w.Quests = NotNil(w.Quests)
	w.Findings = NotNil(w.Findings)
	w.Artifacts = NotNil(w.Artifacts)
	w.Fog = NotNil(w.Fog)
	w.Forts = NotNil(w.Forts)
	w.Paths = NotNil(w.Paths)
	w.Explored = NotNil(w.Explored)
	w.Focus = NotNil(w.Focus)
	w.Party.fill()
	w.Skills = NotNil(w.Skills)
	w.Erased = NotNil(w.Erased)
	w.Instances = NotNil(w.Instances)
	n := &w.NavigationState
	n.AgentNavStacks = notNilMap(n.AgentNavStacks)
	n.AgentCurrentPath = notNilMap(n.AgentCurrentPath)
	n.Walkers = NotNil(n.Walkers)
	for i := range w.Agents { // a world of an older version lacks the rooms of heroes
		if a := &w.Agents[i]; a.Inside {
			if _, known := n.AgentCurrentPath[a.ID]; !known {
				n.enter(a.ID, a.Folder, nil)
			}
		}
	}
	w.ProcessState.fill()
	w.Settings.fill()
	if len(w.Objects) == 0 { // a world of an older version lacks objects
		w.rebuildObjects()
	}
}

func (s *Settings) fill() {
	d := DefaultSettings()
	s.MaxAgents = cmp.Or(s.MaxAgents, d.MaxAgents)
	s.Pace = cmp.Or(s.Pace, d.Pace)
	s.AutonomyMode = cmp.Or(s.AutonomyMode, d.AutonomyMode)
	s.TurnTimeoutSeconds = cmp.Or(s.TurnTimeoutSeconds, d.TurnTimeoutSeconds)
	s.TaskMaxTurns = cmp.Or(s.TaskMaxTurns, d.TaskMaxTurns)
	s.MaxConcurrentConversations = cmp.Or(s.MaxConcurrentConversations, d.MaxConcurrentConversations)
	s.ContextWindowMessages = cmp.Or(s.ContextWindowMessages, d.ContextWindowMessages)
	s.AgentChats = cmp.Or(s.AgentChats, d.AgentChats)
}

// upsert replaces the first entry for which match is true, or appends v.
func upsert[T any](s []T, v T, match func(*T) bool) []T {
	if old := find(s, match); old != nil {
		*old = v
		return s
	}
	return append(s, v)
}

// FocusOf returns the member to whom a person's words go, "" for everybody.
func (w *World) FocusOf(spectatorID string) string {
	if f := find(w.Focus, func(f *Focus) bool { return f.SpectatorID == spectatorID }); f != nil {
		return f.AgentID
	}
	return ""
}

// Fort returns a member's fort, or nil.
func (w *World) Fort(agentID string) *Fort {
	return find(w.Forts, func(f *Fort) bool { return f.AgentID == agentID })
}

// AtHand returns the ids of the conversations that belong to the state in the world: the current process and the
// current session of a party. They are loaded whenever the realm is opened.
func (w *World) AtHand() []string {
	return slices.DeleteFunc([]string{w.ProcessState.ConversationID, w.Party.ConversationID},
		func(id string) bool { return id == "" })
}

// Agent returns the agent with that id, or nil.
func (w *World) Agent(id string) *Agent {
	return find(w.Agents, func(a *Agent) bool { return a.ID == id })
}
