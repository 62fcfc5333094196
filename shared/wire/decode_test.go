package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func ptr[T any](v T) *T { return &v }

// Decode accepts every command as a client sends it, with and without its optional fields.
func TestDecodeEveryCommand(t *testing.T) {
	cases := []struct {
		frame string
		want  Command
	}{
		{`{"type":"hello","protocol":1}`, &Hello{Protocol: 1}},
		{`{"type":"hello","protocol":1,"realmId":"r-1_A","epoch":"e","lastSeq":9007199254740991}`,
			&Hello{Protocol: 1, RealmID: ptr("r-1_A"), Epoch: ptr("e"), LastSeq: ptr(int64(1<<53 - 1))}},
		{`{"type":"hello","protocol":1,"realmId":"","epoch":"","lastSeq":0}`, &Hello{Protocol: 1, RealmID: ptr(""), Epoch: ptr(""), LastSeq: ptr(int64(0))}},
		{`{"type":"hello","protocol":1,"realmId":null,"epoch":null,"lastSeq":null}`, &Hello{Protocol: 1}},
		{`{"type":"spectator:register","name":"Ada","color":"#AAbb00"}`, &Register{Name: "Ada", Color: "#AAbb00"}},
		{`{"type":"spectator:register","name":"Ada","color":"#aabbcc","seat":"1.p.x","tab":"t"}`, &Register{Name: "Ada", Color: "#aabbcc", Seat: "1.p.x", Tab: "t"}},
		{`{"type":"player:list-realms"}`, &ListRealms{}},
		{`{"type":"player:link-repo","path":"/home/a b/ü/a..b"}`, &LinkRepo{Path: "/home/a b/ü/a..b"}},
		{`{"type":"player:resume-realm","realmId":"r1"}`, &ResumeRealm{RealmID: "r1"}},
		{`{"type":"player:remove-realm","realmId":"r1"}`, &RemoveRealm{RealmID: "r1"}},
		{`{"type":"player:start-process","problem":"a\nb\tc"}`, &StartProcess{Problem: "a\nb\tc"}},
		{`{"type":"player:start-process","problem":"p","templateId":"deep_brainstorm","path":"/x"}`, &StartProcess{Problem: "p", TemplateID: "deep_brainstorm", Path: "/x"}},
		{`{"type":"player:start-process","problem":"p","bare":true}`, &StartProcess{Problem: "p", Bare: true}},
		{`{"type":"process:take-role","roleId":"ideator"}`, &TakeRole{RoleID: "ideator"}},
		{`{"type":"player:command","text":"/help"}`, &PlayerCommand{Text: "/help"}},
		{`{"type":"player:command","text":"hi","agentId":"a1"}`, &PlayerCommand{Text: "hi", AgentID: "a1"}},
		{`{"type":"player:update-settings","settings":{"maxAgents":3}}`, &UpdateSettings{Settings: map[string]json.RawMessage{"maxAgents": json.RawMessage("3")}}},
		{`{"type":"player:dismiss-agent","agentId":"a1"}`, &DismissAgent{AgentID: "a1"}},
		{`{"type":"spectator:command","text":"hi"}`, &SpectatorSay{Text: "hi"}},
		{`{"type":"chat.send","requestId":"q","conversationId":"c1","content":"hi"}`, &ChatSend{ConversationID: "c1", Content: "hi"}},
		{`{"type":"chat.send","requestId":"q","conversationId":"c1","content":"hi","memberId":"m1"}`, &ChatSend{ConversationID: "c1", Content: "hi", MemberID: "m1"}},
		{`{"type":"chat.send","requestId":"q","conversationId":"c1","content":"hi","seenSeq":7}`, &ChatSend{ConversationID: "c1", Content: "hi", SeenSeq: 7}},
		{`{"type":"chat.cancel","conversationId":"c1","requestId":"q1"}`, &ChatCancel{ConversationID: "c1", RequestID: "q1"}},
		{`{"type":"conversation.start","kind":"chat","memberIds":["bard"],"stageId":"one","title":"on it"}`,
			&ConversationStart{Kind: "chat", MemberIDs: []string{"bard"}, StageID: "one", Title: "on it"}},
		{`{"type":"conversation.start","kind":"council","memberIds":["bard","sage"],"taskPrompt":"a\nb","maxTurns":4,"templateId":"t"}`,
			&ConversationStart{Kind: "council", MemberIDs: []string{"bard", "sage"}, TaskPrompt: "a\nb", MaxTurns: 4, TemplateID: "t"}},
		{`{"type":"conversation.open","conversationId":"c1"}`, &ConversationOpen{ConversationID: "c1"}},
		{`{"type":"conversation.open","conversationId":"c1","before":12,"limit":0}`, &ConversationOpen{ConversationID: "c1", Before: RowRef{Seq: 12}, Limit: ptr(0)}},
		{`{"type":"conversation.open","conversationId":"c1","before":"m1","limit":9,"stageId":"s"}`,
			&ConversationOpen{ConversationID: "c1", Before: RowRef{MessageID: "m1"}, Limit: ptr(9), StageID: "s"}},
		{`{"type":"conversation.list"}`, &ConversationList{}},
		{`{"type":"conversation.list","kind":"chat","before":"2026-01-02T03:04:05.006Z","limit":20}`, &ConversationList{Kind: "chat", Before: 1767323045006, Limit: 20}},
		{`{"type":"conversation.list","before":"2026-01-02T03:04:05.006Z","beforeId":"c1"}`, &ConversationList{Before: 1767323045006, BeforeID: "c1"}},
		{`{"type":"conversation.abort","conversationId":"c1"}`, &ConversationAbort{ConversationID: "c1"}},
		{`{"type":"conversation.resume","conversationId":"c1"}`, &ConversationResume{ConversationID: "c1"}},
		{`{"type":"conversation.pause","conversationId":"c1"}`, &ConversationPause{ConversationID: "c1"}},
		{`{"type":"conversation.rename","conversationId":"c1","title":"ü"}`, &ConversationRename{ConversationID: "c1", Title: "ü"}},
		{`{"type":"conversation.close","conversationId":"c1"}`, &ConversationClose{ConversationID: "c1"}},
		{`{"type":"conversation.start","kind":"forge","title":"a skill"}`, &ConversationStart{Kind: "forge", Title: "a skill"}},
		{`{"type":"conversation.start","kind":"party","teamId":"guild"}`, &ConversationStart{Kind: "party", TeamID: "guild"}},
		{`{"type":"conversation.start","kind":"forge","memberIds":[]}`, &ConversationStart{Kind: "forge", MemberIDs: []string{}}},
		{`{"type":"conversation.start","kind":"party","teamId":"guild","memberIds":["host","bard"]}`, &ConversationStart{Kind: "party", TeamID: "guild", MemberIDs: []string{"host", "bard"}}},
		{`{"type":"chat.send","requestId":"q","conversationId":"c1","content":"","choices":["yes","go_on"]}`, &ChatSend{ConversationID: "c1", Choices: []string{"yes", "go_on"}}},
		{`{"type":"team:list"}`, &TeamList{}},
		{`{"type":"team:set","teamId":"guild"}`, &TeamSet{TeamID: "guild"}},
		{`{"type":"team:set","teamId":"guild","resumeSessionId":"c9"}`, &TeamSet{TeamID: "guild", ResumeSessionID: "c9"}},
		{`{"type":"team:take-member"}`, &TeamTakeMember{}},
		{`{"type":"team:take-member","memberId":"ada"}`, &TeamTakeMember{MemberID: "ada"}},
		{`{"type":"skill:open","name":"release-notes"}`, &SkillOpen{Name: "release-notes"}},
		{`{"type":"agent:stop","agentId":"claude:s1"}`, &AgentStop{AgentID: "claude:s1"}},
		{`{"type":"agent:tell","agentId":"claude:s1","text":"Go on."}`, &AgentTell{AgentID: "claude:s1", Text: "Go on."}},
		{`{"type":"session:list"}`, &SessionList{}},
		{`{"type":"door:answer","doorId":"d1","choice":"allow"}`, &DoorAnswer{DoorID: "d1", Choice: "allow"}},
		{`{"type":"door:answer","doorId":"d1","choice":"answer","answers":["SQLite"]}`, &DoorAnswer{DoorID: "d1", Choice: "answer", Answers: []string{"SQLite"}}},
		{`{"type":"skill:give","name":"release-notes","agentId":"bard"}`, &SkillGive{Name: "release-notes", AgentID: "bard"}},
		{`{"type":"skill:give","name":"release-notes","agentId":"bard","taken":true}`, &SkillGive{Name: "release-notes", AgentID: "bard", Taken: true}},
		{`{"type":"history:erase","conversationId":"c1"}`, &HistoryErase{ConversationID: "c1"}},
		{`{"type":"history:erase","spectatorId":"s1"}`, &HistoryErase{SpectatorID: "s1"}},
		{`{"type":"player:get-agent-details","agentId":"scout"}`, &GetAgentDetails{AgentID: "scout"}},
		{`{"type":"map:room"}`, &MapRoom{}},
		{`{"type":"file:open","path":"src/a%25.go","line":12}`, &FileOpen{Path: "src/a%25.go", Line: 12}}, {`{"type":"file:open","path":""}`, &FileOpen{}},
		{`{"type":"map:room","path":"","page":0}`, &MapRoom{}},
		{`{"type":"map:room","path":"src/a..b","page":3}`, &MapRoom{Path: "src/a..b", Page: 3}},
		{`{"type":"player:navigate-enter","path":"src","page":1}`, &NavigateEnter{Path: "src", Page: 1}},
		{`{"type":"player:navigate-back"}`, &NavigateBack{}},
	}
	seen := map[string]bool{}
	for _, c := range cases {
		got, _, e := Decode([]byte(c.frame))
		if e != nil {
			t.Errorf("%s: %v", c.frame, e)
			continue
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.frame, got, c.want)
		}
		seen[got.CommandType()] = true
	}
	for _, cmd := range Commands() {
		if !seen[cmd.CommandType()] {
			t.Errorf("%s has no case here", cmd.CommandType())
		}
	}
}

// In the form of document 004 (S4-09) the fields are in payload; Decode takes them, and a requestId there, like
// fields at the top level. P1.4.
func TestDecodeLiftsPayload(t *testing.T) {
	for frame, request := range map[string]string{
		`{"type":"chat.send","payload":{"requestId":"q1","conversationId":"c1","content":"hi"}}`:                  "q1",
		`{"type":"chat.send","requestId":"q2","payload":{"conversationId":"c1","content":"hi"}}`:                  "q2",
		`{"type":"chat.send","requestId":"q3","payload":{"requestId":"q1","conversationId":"c1","content":"hi"}}`: "q3",
		`{"type":"chat.send","requestId":"q4","conversationId":"c1","payload":{"content":"hi"}}`:                  "q4",
		`{"type":"chat.send","requestId":"q5","conversationId":"c1","content":"hi","payload":null}`:               "q5",
		`{"type":"chat.send","requestId":"q6","conversationId":"c1","content":"hi","payload":"text"}`:             "q6",
	} {
		cmd, id, e := Decode([]byte(frame))
		if e != nil || id != request || !reflect.DeepEqual(cmd, &ChatSend{ConversationID: "c1", Content: "hi"}) {
			t.Errorf("%s: %+v %q %v", frame, cmd, id, e)
		}
	}
	if _, _, e := Decode([]byte(`{"type":"chat.send","payload":{"conversationId":"c1","content":5}}`)); e == nil || e.Code != BadField {
		t.Errorf("a wrong type in payload: %v", e)
	}
	if _, _, e := Decode([]byte(`{"type":"chat.send","payload":{"requestId":"a b","conversationId":"c1","content":"hi"}}`)); e == nil || e.Code != BadField {
		t.Errorf("a bad requestId in payload: %v", e)
	}
}

// P6.1: a command may have a requestId; words without one are accepted too.
func TestWordsWithoutARequestID(t *testing.T) {
	for _, frame := range []string{
		`{"type":"chat.send","conversationId":"c1","content":"hi"}`,
		`{"type":"chat.send","requestId":null,"conversationId":"c1","content":"hi"}`,
		`{"type":"chat.send","payload":{"conversationId":"c1","content":"hi"}}`,
	} {
		cmd, id, e := Decode([]byte(frame))
		if says, ok := cmd.(*ChatSend); e != nil || id != "" || !ok || says.Content != "hi" {
			t.Errorf("%s: %+v, %q, %v", frame, cmd, id, e)
		}
	}
}

// conversation.start, .open and .list are refused with these fields. P9.11.
func TestBadConversationCommands(t *testing.T) {
	for _, frame := range []string{
		`{"type":"conversation.start","kind":"process","memberIds":["a"]}`,
		`{"type":"conversation.start","kind":"chat"}`,
		`{"type":"conversation.start","kind":"chat","memberIds":["a","b"]}`,
		`{"type":"conversation.start","kind":"chat","memberIds":["a"],"taskPrompt":"x"}`,
		`{"type":"conversation.start","kind":"council","memberIds":["a"]}`,
		`{"type":"conversation.start","kind":"council","memberIds":["a","a"],"taskPrompt":"x"}`,
		`{"type":"conversation.start","kind":"council","memberIds":["a"],"taskPrompt":"x","maxTurns":101}`,
		`{"type":"conversation.start","kind":"council","memberIds":["a"],"taskPrompt":"x","maxTurns":-1}`,
		`{"type":"conversation.start","kind":"council","memberIds":["a"],"taskPrompt":"x","stageId":"s"}`,
		`{"type":"conversation.start","kind":"chat","memberIds":["../a"]}`,
		`{"type":"conversation.start","kind":"chat","memberIds":["a"],"title":"a\nb"}`,
		`{"type":"conversation.open","conversationId":"c","before":-1}`,
		`{"type":"conversation.open","conversationId":"c","before":"a b"}`,
		`{"type":"conversation.open","conversationId":"c","limit":201}`,
		`{"type":"conversation.open","conversationId":"c","limit":-1}`,
		`{"type":"conversation.list","kind":"everything"}`,
		`{"type":"conversation.list","limit":1000}`,
		`{"type":"conversation.list","beforeId":"c1"}`,
		`{"type":"conversation.rename","conversationId":"c","title":" "}`,
		`{"type":"chat.send","requestId":"q","conversationId":"c","content":"x","seenSeq":-1}`,
		`{"type":"chat.cancel","conversationId":"c"}`,
	} {
		if _, _, e := Decode([]byte(frame)); e == nil || e.Code != BadField {
			t.Errorf("%s: %v", frame, e)
		}
	}
}

// badIDs has texts that no id may be, among them parts of paths (B9).
var badIDs = []string{"", ".", "..", "a..b", "a.b", "a/b", "../x", "a b", " a", "a\x00", "a\n", "é", "%2e%2e", "\u202ea", strings.Repeat("a", 65)}

// P1.7.
func TestIDs(t *testing.T) {
	frames := map[string]string{
		"realmId":          `{"type":"player:remove-realm","realmId":%s}`,
		"realmId ":         `{"type":"player:resume-realm","realmId":%s}`,
		"roleId":           `{"type":"process:take-role","roleId":%s}`,
		"agentId":          `{"type":"player:dismiss-agent","agentId":%s}`,
		"conversationId":   `{"type":"chat.send","requestId":"q","content":"x","conversationId":%s}`,
		"conversationId ":  `{"type":"conversation.open","conversationId":%s}`,
		"conversationId  ": `{"type":"conversation.resume","conversationId":%s}`,
	}
	optional := map[string]string{ // "" means that there is none
		"realmId":    `{"type":"hello","protocol":1,"realmId":%s}`,
		"templateId": `{"type":"player:start-process","problem":"p","templateId":%s}`,
		"agentId":    `{"type":"player:command","text":"x","agentId":%s}`,
		"memberId":   `{"type":"chat.send","requestId":"q","conversationId":"c","content":"x","memberId":%s}`,
		"tab":        `{"type":"spectator:register","name":"n","color":"#000000","tab":%s}`,
	}
	try := func(frame, id string, ok bool) {
		t.Helper()
		quoted, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		_, _, e := Decode(fmt.Appendf(nil, frame, quoted))
		if ok != (e == nil) || e != nil && e.Code != BadField {
			t.Errorf("%s with %q: %v", frame, id, e)
		}
	}
	for _, frame := range frames {
		for _, id := range badIDs {
			try(frame, id, false)
		}
		try(frame, "a-Z_09", true)
		try(frame, strings.Repeat("a", 64), true)
	}
	for _, frame := range optional {
		for _, id := range badIDs {
			try(frame, id, id == "")
		}
		try(frame, strings.Repeat("a", 64), true)
	}
}

// The commands about a member take the id of a coding agent (P1.7).
func TestIDsOfCodingAgents_P1_7(t *testing.T) {
	long := "claude:" + strings.Repeat("a", MaxAgentID-len("claude:"))
	for _, frame := range []string{
		`{"type":"player:dismiss-agent","agentId":%q}`,
		`{"type":"player:get-agent-details","agentId":%q}`,
		`{"type":"player:command","text":"x","agentId":%q}`,
		`{"type":"skill:give","name":"n","agentId":%q}`,
	} {
		for _, id := range []string{"claude:5d3c1a00-0000/agent-7", "codex:01a2", "open_code:ses_1.2", long} {
			if _, _, e := Decode(fmt.Appendf(nil, frame, id)); e != nil {
				t.Errorf("%s with %s: %v", frame, id, e)
			}
		}
		for _, id := range []string{"claude:", ":s", "a b:s", "../x:s", "claude:a b", "claude:a\u202eb", long + "a"} {
			if _, _, e := Decode(fmt.Appendf(nil, frame, id)); e == nil || e.Code != BadField {
				t.Errorf("%s with %s: %v", frame, id, e)
			}
		}
	}
}

func TestRequestID(t *testing.T) {
	for _, c := range []struct {
		field, id string
		code      Code
	}{
		{`"requestId":"q-1_A",`, "q-1_A", ""},
		{`"requestId":null,`, "", ""},
		{``, "", ""},
		{`"requestId":"",`, "", BadField},
		{`"requestId":"a b",`, "", BadField},
		{`"requestId":5,`, "", BadField},
		{`"requestId":{},`, "", BadField},
		{`"requestId":"` + strings.Repeat("a", 65) + `",`, "", BadField},
	} {
		_, id, e := Decode([]byte(`{` + c.field + `"type":"player:list-realms"}`))
		if id != c.id || e == nil && c.code != "" || e != nil && e.Code != c.code {
			t.Errorf("%s: %q %v", c.field, id, e)
		}
	}
	// The requestId is also in the error about the same frame.
	for _, frame := range []string{
		`{"requestId":"q1","type":"no:such"}`, `{"requestId":"q1"}`, `{"requestId":"q1","type":5}`,
		`{"requestId":"q1","type":"map:room","page":"x"}`, `{"requestId":"q1","type":"map:room","page":-1}`,
	} {
		if _, id, e := Decode([]byte(frame)); id != "q1" || e == nil {
			t.Errorf("%s: %q %v", frame, id, e)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct {
		frame string
		code  Code
	}{
		{"", BadJSON}, {" \r\n\t", BadJSON}, {"null", BadJSON}, {"5", BadJSON}, {`"hello"`, BadJSON}, {`[{"type":"player:list-realms"}]`, BadJSON},
		{"{", BadJSON}, {`{"type":"player:list-realms"`, BadJSON}, {`{"type":"player:list-realms"}}`, BadJSON}, {`{"type":"player:list-realms"} {}`, BadJSON},
		{`{'type':'player:list-realms'}`, BadJSON}, {"\ufeff{}", BadJSON}, {"\x00{}", BadJSON}, {"{\"type\":\"a\nb\"}", BadJSON},
		{strings.Repeat(`{"payload":`, 20_000) + `1` + strings.Repeat(`}`, 20_000), BadJSON},
		{`{}`, BadField}, {`{"type":5}`, BadField}, {`{"type":["hello"]}`, BadField}, {`{"type":{}}`, BadField},
		{`{"type":null}`, UnknownType}, {`{"type":""}`, UnknownType}, {`{"type":"Hello"}`, UnknownType}, {`{"type":"hello "}`, UnknownType},
		{`{"type":"agent:register","agentId":"t"}`, UnknownType}, // a later version's: never a stub
		{`{"type":"` + strings.Repeat("é", 5000) + `"}`, UnknownType},
		{`{"type":"hello","protocol":"1"}`, BadField}, {`{"type":"hello","protocol":1.5}`, BadField}, {`{"type":"hello","protocol":1e400}`, BadField},
		{`{"type":"hello","protocol":1,"lastSeq":1.5}`, BadField}, {`{"type":"hello","protocol":1,"lastSeq":"1"}`, BadField},
		{`{"type":"hello","protocol":1,"lastSeq":9223372036854775808}`, BadField},
		{`{"type":"hello","protocol":1,"epoch":5}`, BadField}, {`{"type":"hello","protocol":1,"epoch":"` + strings.Repeat("e", 65) + `"}`, BadField},
		{`{"type":"hello","protocol":1,"realmId":["r"]}`, BadField},
		{`{"type":"spectator:register","name":"n"}`, BadField}, {`{"type":"spectator:register","color":"#000000"}`, BadField},
		{`{"type":"spectator:register","name":"n","color":"red"}`, BadField}, {`{"type":"spectator:register","name":"n","color":"#0000000"}`, BadField},
		{`{"type":"spectator:register","name":"n","color":"#00000g"}`, BadField}, {"{\"type\":\"spectator:register\",\"name\":\"n\",\"color\":\"#000000\\n\"}", BadField},
		{`{"type":"spectator:register","name":"n","color":"#000000","seat":"` + strings.Repeat("s", 513) + `"}`, BadField},
		{`{"type":"spectator:register","name":5,"color":"#000000"}`, BadField},
		{`{"type":"player:link-repo"}`, BadField}, {`{"type":"player:link-repo","path":" "}`, BadField}, {`{"type":"player:link-repo","path":7}`, BadField},
		{`{"type":"player:link-repo","path":"/a\u0000b"}`, BadField}, {`{"type":"player:link-repo","path":"/a\nb"}`, BadField},
		{`{"type":"player:link-repo","path":"` + strings.Repeat("p", MaxPath+1) + `"}`, TooLarge},
		{`{"type":"player:start-process"}`, BadField}, {`{"type":"player:start-process","problem":""}`, BadField}, // B22: an empty start changes nothing
		{`{"type":"player:start-process","problem":" \n "}`, BadField},
		{`{"type":"player:start-process","problem":"` + strings.Repeat("p", 16<<10+1) + `"}`, TooLarge},
		{`{"type":"player:start-process","problem":"p","path":"a\tb"}`, BadField},
		{`{"type":"player:command"}`, BadField}, {`{"type":"player:command","text":"\u0007"}`, BadField}, {`{"type":"player:command","text":"a\u001b[31m"}`, BadField},
		{`{"type":"player:command","text":"a\u0085b"}`, BadField},
		{`{"type":"player:command","text":"` + strings.Repeat("p", MaxText+1) + `"}`, TooLarge},
		{`{"type":"spectator:command","text":""}`, BadField}, {`{"type":"spectator:command","text":"` + strings.Repeat("p", MaxText+1) + `"}`, TooLarge},
		{`{"type":"player:update-settings"}`, BadField}, {`{"type":"player:update-settings","settings":{}}`, BadField}, {`{"type":"player:update-settings","settings":[]}`, BadField},
		{`{"type":"player:update-settings","settings":{` + manySettings(65) + `}}`, TooLarge},
		{`{"type":"chat.send","requestId":"q","conversationId":"c"}`, BadField}, {`{"type":"chat.send","requestId":"q","conversationId":"c","content":"` + strings.Repeat("p", MaxText+1) + `"}`, TooLarge},
		{`{"type":"chat.send","requestId":"q","conversationId":"c","choices":["a b"]}`, BadField}, {`{"type":"conversation.start","kind":"party"}`, BadField},
		{`{"type":"conversation.start","kind":"forge","memberIds":["a b"]}`, BadField}, {`{"type":"conversation.start","kind":"chat","memberIds":["a"],"teamId":"t"}`, BadField},
		{`{"type":"team:set"}`, BadField}, {`{"type":"team:set","teamId":"a b"}`, BadField}, {`{"type":"team:set","teamId":"a","resumeSessionId":"../b"}`, BadField},
		{`{"type":"team:take-member","memberId":"a b"}`, BadField}, {`{"type":"skill:open","name":"../x"}`, BadField}, {`{"type":"skill:give","name":"x"}`, BadField},
		{`{"type":"history:erase"}`, BadField}, {`{"type":"history:erase","conversationId":"c","spectatorId":"s"}`, BadField}, {`{"type":"history:erase","spectatorId":"a b"}`, BadField},
		{`{"type":"file:open","path":"a","line":-1}`, BadField}, {`{"type":"file:open","path":"a","line":1.5}`, BadField}, {`{"type":"file:open","path":"a\u0000"}`, BadField},
		{`{"type":"file:open","path":"` + strings.Repeat("p", MaxPath+1) + `"}`, TooLarge},
		{`{"type":"map:room","path":"a\u0000"}`, BadField}, {`{"type":"map:room","page":-1}`, BadField}, {`{"type":"map:room","page":1.5}`, BadField},
		{`{"type":"map:room","path":"` + strings.Repeat("p", MaxPath+1) + `"}`, TooLarge},
	} {
		cmd, _, e := Decode([]byte(c.frame))
		if cmd != nil || e == nil || e.Code != c.code {
			t.Errorf("%.120s: %+v, %v, want %s", c.frame, cmd, e, c.code)
		}
		if e != nil && (len(e.Message) > 300 || !utf8.ValidString(e.Message)) {
			t.Errorf("%.120s: the message has %d bytes: %.400q", c.frame, len(e.Message), e.Message)
		}
	}
}

// A field that is exactly as long as its limit allows is accepted. P6.8.
func TestDecodeTakesWhatIsAtTheLimit(t *testing.T) {
	for _, frame := range []string{
		`{"type":"player:link-repo","path":"` + strings.Repeat("p", MaxPath) + `"}`,
		`{"type":"map:room","path":"` + strings.Repeat("p", MaxPath) + `"}`,
		`{"type":"player:start-process","problem":"` + strings.Repeat("p", 16<<10) + `"}`,
		`{"type":"player:command","text":"` + strings.Repeat("p", MaxText) + `"}`,
		`{"type":"spectator:command","text":"` + strings.Repeat("é", MaxText/2) + `"}`,
		`{"type":"chat.send","requestId":"q","conversationId":"c","content":"` + strings.Repeat("p", MaxText) + `"}`,
		`{"type":"player:update-settings","settings":{` + manySettings(64) + `}}`,
		`{"type":"hello","protocol":1,"epoch":"` + strings.Repeat("e", MaxID) + `"}`,
		`{"type":"spectator:register","name":"` + strings.Repeat("é", MaxName) + `","color":"#000000","seat":"` + strings.Repeat("s", 512) + `"}`,
	} {
		if _, _, e := Decode([]byte(frame)); e != nil {
			t.Errorf("%.80s: %v", frame, e)
		}
	}
}

func manySettings(n int) string {
	var s []string
	for i := range n {
		s = append(s, fmt.Sprintf(`"s%d":1`, i))
	}
	return strings.Join(s, ",")
}

// Names are plain text: markup is accepted and shown literally. Control characters and characters that change the
// direction of the surrounding text are refused. P1.7.
func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"A": true, "Ada Lovelace": true, "<script>alert(1)</script>": true, "<img src=x onerror=alert(1)>": true, "**bold** [a](b)": true,
		"名前": true, "שלום": true, "👩‍🚀": true, "a'b\"c\\d": true, strings.Repeat("é", 40): true,
		"": false, " ": false, "\u3000": false, strings.Repeat("é", 41): false, "a\nb": false, "a\tb": false, "a\x00b": false, "a\x7fb": false, "a\u0085b": false,
		"a\u202eb": false, "a\u202ab": false, "a\u2066b": false, "a\u2069b": false, "a\u2028b": false, "a\u2029b": false, "a\xffb": false,
	} {
		if ValidName(name) != ok {
			t.Errorf("%q: %v, want %v", name, !ok, ok)
		}
	}
	cmd, _, e := Decode([]byte(`{"type":"spectator:register","name":"<b>Ada</b>","color":"#000000"}`))
	if e != nil || cmd.(*Register).Name != "<b>Ada</b>" {
		t.Errorf("markup in a name: %+v %v", cmd, e)
	}
}

// For any input Decode returns, either with a valid command or with an error. If it accepts an input, it returns the
// same command for the command's own encoding.
func FuzzDecode(f *testing.F) {
	for _, c := range Commands() {
		b, err := json.Marshal(c)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(`{"type":"` + c.CommandType() + `","requestId":"q1",` + strings.TrimPrefix(string(b), "{")))
		f.Add([]byte(`{"type":"` + c.CommandType() + `","payload":` + string(b) + `}`))
	}
	for _, s := range []string{
		``, `{`, `[]`, `{"type":"hello","protocol":1,"lastSeq":-1}`, `{"type":"map:room","path":"../..","page":2}`, "{\"type\":\"\xff\"}",
		`{"type":"player:update-settings","settings":{"a":{"b":[1,2,3]}}}`, `{"TYPE":"hello","Protocol":1}`, `{"type":"hello","type":"map:room"}`,
	} {
		f.Add([]byte(s))
	}
	known := map[Code]bool{BadJSON: true, UnknownType: true, BadField: true, TooLarge: true}
	f.Fuzz(func(t *testing.T, frame []byte) {
		cmd, id, e := Decode(frame)
		if id != "" && !ValidID(id) {
			t.Errorf("requestId %q", id)
		}
		if e != nil {
			if cmd != nil || !known[e.Code] || e.Message == "" || len(e.Message) > 400 || !utf8.ValidString(e.Message) {
				t.Errorf("%+v with %v", cmd, e)
			}
			return
		}
		body, err := json.Marshal(cmd)
		if err != nil {
			t.Fatalf("%+v cannot be encoded: %v", cmd, err)
		}
		again := `{"type":"` + cmd.CommandType() + `"`
		if len(body) > 2 {
			again += "," + string(body[1:])
		} else {
			again += "}"
		}
		second, _, e := Decode([]byte(again))
		if e != nil {
			t.Fatalf("%s: %v", again, e)
		}
		if b, err := json.Marshal(second); err != nil || string(b) != string(body) {
			t.Errorf("%s became %s", body, b)
		}
	})
}
