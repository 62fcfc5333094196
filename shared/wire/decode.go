package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentdungeon/shared/pattern"
	"agentdungeon/shared/world"
)

// commandTypes maps the type of each client frame to the struct of the frame.
var commandTypes = func() map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, c := range Commands() {
		m[c.CommandType()] = reflect.TypeOf(c).Elem()
	}
	return m
}()

// codingPattern matches the id of a coding agent: its program, and that program's own id of the session.
var codingPattern = pattern.New(`^[A-Za-z0-9_-]{1,64}:[^\pC\s]+$`)

var idPattern = pattern.New(`^[A-Za-z0-9_-]{1,64}$`)

var colorPattern = pattern.New(`^#[0-9a-fA-F]{6}$`)

// Decode decodes a client frame. If the frame is refused and has a valid requestId, Decode returns the requestId with
// the error, for the error frame. Fields may be at the top level or in the object "payload", the form of document 004.
func Decode(frame []byte) (cmd Command, requestID string, e *Error) {
	trimmed := bytes.TrimLeft(frame, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, "", Errorf(BadJSON, "a frame must be one JSON object")
	}
	var head struct {
		Type      json.RawMessage `json:"type"`
		RequestID json.RawMessage `json:"requestId"`
		Payload   json.RawMessage `json:"payload"`
	}
	if err := json.Unmarshal(frame, &head); err != nil {
		return nil, "", Errorf(BadJSON, "this is not valid JSON")
	}
	lifted := len(head.Payload) > 0 && head.Payload[0] == '{'
	if lifted && len(head.RequestID) == 0 {
		var inner struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if err := json.Unmarshal(head.Payload, &inner); err != nil {
			return nil, "", Errorf(BadJSON, "this is not valid JSON")
		}
		head.RequestID = inner.RequestID
	}
	if len(head.RequestID) > 0 && string(head.RequestID) != "null" {
		var id string
		if json.Unmarshal(head.RequestID, &id) != nil || !ValidID(id) {
			return nil, "", Errorf(BadField, "requestId must be 1 to 64 characters of A-Z a-z 0-9 _ -")
		}
		requestID = id
	}
	var name string
	if json.Unmarshal(head.Type, &name) != nil {
		return nil, requestID, Errorf(BadField, "type must be a string")
	}
	commandType, ok := commandTypes[name]
	if !ok {
		return nil, requestID, Errorf(UnknownType, "this server does not know the message type %q", world.Clip(name, 64))
	}
	cmd = reflect.New(commandType).Interface().(Command)
	if err := json.Unmarshal(frame, cmd); err != nil {
		return nil, requestID, fieldError(err)
	}
	if lifted {
		if err := json.Unmarshal(head.Payload, cmd); err != nil {
			return nil, requestID, fieldError(err)
		}
	}
	if e := cmd.check(); e != nil {
		return nil, requestID, e
	}
	return cmd, requestID, nil
}

func fieldError(err error) *Error {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		return Errorf(BadField, "%s must be %s", te.Field, jsonName(te.Type))
	}
	return Errorf(BadField, "a field has the wrong form")
}

func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	default:
		return "an object"
	}
}

// ValidID reports whether s is 1 to 64 characters of A-Za-z0-9_-.
func ValidID(s string) bool { return idPattern.MatchString(s) }

// ValidTenant reports whether s is a valid name of a tenant (S1-08): 1 to 64 characters of a-z, 0-9,
// - and _. It allows no capitals, because two tenants could share a folder on a file system that
// ignores case.
func ValidTenant(s string) bool { return ValidID(s) && s == strings.ToLower(s) }

// ValidColor reports whether s is #rrggbb.
func ValidColor(s string) bool { return colorPattern.MatchString(s) }

// ValidName reports whether s is a valid name: 1 to 40 characters, not blank, without control characters and without
// characters that change the direction of text.
func ValidName(s string) bool {
	if n := utf8.RuneCountInString(s); n < 1 || n > MaxName || strings.TrimSpace(s) == "" || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || (r >= '\u202a' && r <= '\u202e') ||
			(r >= '\u2066' && r <= '\u2069') {
			return false
		}
	}
	return true
}

// text checks a text of at most limit bytes. It may contain line breaks and tabs, but no other
// control characters.
func text(field, s string, limit int, required bool) *Error {
	switch {
	case len(s) > limit:
		return Errorf(TooLarge, "%s is %d bytes long, at most %d are allowed", field, len(s), limit)
	case required && strings.TrimSpace(s) == "":
		return Errorf(BadField, "%s is empty", field)
	}
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return Errorf(BadField, "%s holds a control character", field)
		}
	}
	return nil
}

func id(field, s string) *Error {
	if !ValidID(s) {
		return Errorf(BadField, "%s must be 1 to 64 characters of A-Z a-z 0-9 _ -", field)
	}
	return nil
}

func optionalID(field, s string) *Error {
	if s == "" {
		return nil
	}
	return id(field, s)
}

// member checks the id of a member, which can be a coding agent (P1.7).
func member(field, s string) *Error {
	if len(s) <= MaxAgentID && codingPattern.MatchString(s) {
		return nil
	}
	return id(field, s)
}

func optionalMember(field, s string) *Error {
	if s == "" {
		return nil
	}
	return member(field, s)
}

func path(field, s string, required bool) *Error {
	if e := text(field, s, MaxPath, required); e != nil {
		return e
	}
	if strings.ContainsAny(s, "\n\r\t") {
		return Errorf(BadField, "%s holds a control character", field)
	}
	return nil
}

func first(es ...*Error) *Error {
	for _, e := range es {
		if e != nil {
			return e
		}
	}
	return nil
}

// Check checks a command that was not decoded by Decode, which checks the commands that it returns.
func Check(c Command) *Error { return c.check() }

func (c *Hello) check() *Error {
	if c.RealmID != nil {
		if e := optionalID("realmId", *c.RealmID); e != nil {
			return e
		}
	}
	if c.Epoch != nil && len(*c.Epoch) > MaxID {
		return Errorf(BadField, "epoch is too long")
	}
	return nil
}

func (c *Register) check() *Error {
	if !ValidName(c.Name) {
		return Errorf(BadField, "name must be 1 to 40 characters without control characters")
	}
	if !ValidColor(c.Color) {
		return Errorf(BadField, "color must be #rrggbb")
	}
	if len(c.Seat) > 512 {
		return Errorf(BadField, "seat is too long")
	}
	return optionalID("tab", c.Tab)
}

func (c *ListRealms) check() *Error  { return nil }
func (c *LinkRepo) check() *Error    { return path("path", c.Path, true) }
func (c *ResumeRealm) check() *Error { return id("realmId", c.RealmID) }
func (c *RemoveRealm) check() *Error { return id("realmId", c.RealmID) }

func (c *StartProcess) check() *Error {
	e := first(text("problem", c.Problem, 16<<10, true), path("path", c.Path, false),
		optionalID("templateId", c.TemplateID))
	if e == nil && c.Bare && c.Path != "" {
		e = Errorf(BadField, "bare is for a process without a folder; leave out path")
	}
	return e
}

func (c *TakeRole) check() *Error { return id("roleId", c.RoleID) }

func (c *PlayerCommand) check() *Error {
	return first(text("text", c.Text, MaxText, true), optionalMember("agentId", c.AgentID))
}

func (c *UpdateSettings) check() *Error {
	if len(c.Settings) == 0 {
		return Errorf(BadField, "settings is empty")
	}
	if len(c.Settings) > 64 {
		return Errorf(TooLarge, "settings has too many entries")
	}
	return nil
}

func (c *DismissAgent) check() *Error    { return member("agentId", c.AgentID) }
func (c *GetAgentDetails) check() *Error { return member("agentId", c.AgentID) }
func (c *SpectatorSay) check() *Error    { return text("text", c.Text, MaxText, true) }

func (c *ChatSend) check() *Error {
	e := first(id("conversationId", c.ConversationID), text("content", c.Content, MaxText, len(c.Choices) == 0))
	if e == nil && len(c.Choices) > MaxChoices {
		e = Errorf(BadField, "choices names at most %d options", MaxChoices)
	}
	for _, choice := range c.Choices {
		e = first(e, id("choices", choice))
	}
	e = first(e, optionalID("memberId", c.MemberID))
	if e == nil && c.SeenSeq < 0 {
		e = Errorf(BadField, "seenSeq must be 0 or more")
	}
	return e
}

func (c *ChatCancel) check() *Error {
	return first(id("conversationId", c.ConversationID), id("requestId", c.RequestID))
}

// startRule says which fields of conversation.start are allowed for one kind.
type startRule struct {
	members int  // maximum number of memberIds; 0 if the sender does not choose the members
	task    bool // the kind takes maxTurns and taskPrompt; taskPrompt is required
	stage   bool // the kind takes stageId
	team    bool // the kind takes teamId, which is required
}

// startRules maps each kind that conversation.start can begin to its rule.
var startRules = map[string]startRule{
	world.KindCouncil: {members: MaxMembers, task: true},
	world.KindChat:    {members: 1, stage: true},
	world.KindParty:   {team: true},
	world.KindForge:   {},
}

func (c *ConversationStart) check() *Error {
	rule, known := startRules[c.Kind]
	chosen, n := rule.members > 0, len(c.MemberIDs)
	switch {
	case !known:
		return Errorf(BadField, "kind must be council, chat, party or forge; player:start-process begins a process")
	case !chosen && (c.MaxTurns != 0 || c.TemplateID != "" || c.StageID != "" || c.TaskPrompt != ""):
		return Errorf(BadField, "the only fields of a %s are the title and, for a party, the teamId", c.Kind)
	case !rule.team && c.TeamID != "":
		return Errorf(BadField, "teamId is for a party")
	case !chosen && n > MaxMembers:
		return Errorf(BadField, "memberIds names at most %d members", MaxMembers)
	case chosen && (n == 0 || n > rule.members):
		return Errorf(BadField, "memberIds names 1 to %d members for a council, 1 agent for a chat", MaxMembers)
	}
	var e *Error
	if rule.team {
		e = id("teamId", c.TeamID)
	}
	e = first(e, c.checkMembers(), text("taskPrompt", c.TaskPrompt, MaxTaskPrompt, rule.task), title(c.Title, false))
	switch {
	case e != nil:
		return e
	case !rule.task && (c.TaskPrompt != "" || c.MaxTurns != 0):
		return Errorf(BadField, "a chat takes no taskPrompt and no maxTurns; send the words with chat.send")
	case !rule.stage && c.StageID != "":
		return Errorf(BadField, "stageId is for a chat")
	case c.MaxTurns < 0 || c.MaxTurns > MaxCouncil:
		return Errorf(BadField, "maxTurns must be 1 to %d", MaxCouncil)
	}
	return first(optionalID("templateId", c.TemplateID), optionalID("stageId", c.StageID))
}

func (c *ConversationStart) checkMembers() *Error {
	seen := map[string]bool{}
	for _, m := range c.MemberIDs {
		if e := id("memberIds", m); e != nil {
			return e
		}
		if seen[m] {
			return Errorf(BadField, "memberIds names %s twice", m)
		}
		seen[m] = true
	}
	return nil
}

func (c *TeamList) check() *Error { return nil }

func (c *TeamSet) check() *Error {
	return first(id("teamId", c.TeamID), optionalID("resumeSessionId", c.ResumeSessionID))
}

func (c *TeamTakeMember) check() *Error { return optionalID("memberId", c.MemberID) }

func (c *SkillOpen) check() *Error { return id("name", c.Name) }
func (c *SkillGive) check() *Error { return first(id("name", c.Name), member("agentId", c.AgentID)) }

func (c *HistoryErase) check() *Error {
	switch {
	case (c.ConversationID == "") == (c.SpectatorID == ""):
		return Errorf(BadField, "set either conversationId or spectatorId")
	case c.ConversationID != "":
		return id("conversationId", c.ConversationID)
	}
	return id("spectatorId", c.SpectatorID)
}

func (*SessionList) check() *Error { return nil }

func (c *AgentTell) check() *Error {
	return first(text("agentId", c.AgentID, MaxAgentID, true), text("text", c.Text, MaxText, true))
}

func (c *AgentStop) check() *Error { return text("agentId", c.AgentID, MaxAgentID, true) }

func (c *DoorAnswer) check() *Error {
	if len(c.Answers) > MaxAnswers {
		return Errorf(BadField, "answers has at most %d texts", MaxAnswers)
	}
	for _, a := range c.Answers {
		if e := text("answers", a, MaxText, true); e != nil {
			return e
		}
	}
	return first(id("doorId", c.DoorID), id("choice", c.Choice))
}

func (c *ConversationOpen) check() *Error {
	e := first(id("conversationId", c.ConversationID), optionalID("stageId", c.StageID))
	switch {
	case e != nil:
		return e
	case c.Before.Seq < 0, c.Before.MessageID != "" && !ValidID(c.Before.MessageID):
		return Errorf(BadField, "before must be a row's seq or its messageId")
	case c.Limit != nil && (*c.Limit < 0 || *c.Limit > MaxOpened):
		return Errorf(BadField, "limit must be 0 to %d", MaxOpened)
	}
	return nil
}

func (c *ConversationList) check() *Error {
	switch {
	case c.Kind != "" && !slices.Contains(world.Kinds, c.Kind):
		return Errorf(BadField, "kind must be one of %s", strings.Join(world.Kinds, ", "))
	case c.Limit < 0 || c.Limit > MaxListed:
		return Errorf(BadField, "limit must be 0 to %d", MaxListed)
	case c.BeforeID != "" && c.Before == 0:
		return Errorf(BadField, "beforeId needs before")
	}
	return optionalID("beforeId", c.BeforeID)
}

func (c *ConversationAbort) check() *Error  { return id("conversationId", c.ConversationID) }
func (c *ConversationResume) check() *Error { return id("conversationId", c.ConversationID) }
func (c *ConversationPause) check() *Error  { return id("conversationId", c.ConversationID) }
func (c *ConversationClose) check() *Error  { return id("conversationId", c.ConversationID) }
func (c *ConversationRename) check() *Error {
	return first(id("conversationId", c.ConversationID), title(c.Title, true))
}

// title checks a title: a text of at most MaxTitle bytes on one line.
func title(s string, required bool) *Error {
	e := text("title", s, MaxTitle, required)
	if e == nil && strings.ContainsAny(s, "\n\r\t") {
		e = Errorf(BadField, "title must be one line")
	}
	return e
}

func (c *MapRoom) check() *Error       { return page(c.Path, c.Page) }
func (c *NavigateEnter) check() *Error { return page(c.Path, c.Page) }
func (c *NavigateBack) check() *Error  { return nil }

func (c *FileOpen) check() *Error {
	if c.Line < 0 || c.Line > MaxLine {
		return Errorf(BadField, "line must be 0 to %d", MaxLine)
	}
	return path("path", c.Path, false)
}

func page(of string, n int) *Error {
	if n < 0 {
		return Errorf(BadField, "page must be 0 or more")
	}
	return path("path", of, false)
}
