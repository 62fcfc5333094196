package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

func protocolPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../shared/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shared/PROTOCOL.md names every frame, command and error code that a client can receive or send.
func TestProtocolNamesEverything(t *testing.T) {
	page := protocolPage(t)
	named := func(what, name string) {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("shared/PROTOCOL.md does not name the %s %s", what, name)
		}
	}
	for _, b := range world.Bodies() {
		named("event", b.EventType())
	}
	for _, f := range wire.Frames() {
		named("frame", f.FrameType())
	}
	for _, c := range wire.Commands() {
		named("command", c.CommandType())
	}
	for _, code := range codes {
		named("error code", code)
	}
	for _, rule := range world.SettingRules {
		named("setting", rule.Name)
	}
	for _, code := range []wire.CloseCode{
		wire.CloseGoingAway, wire.CloseBinary, wire.CloseNotUTF8, wire.CloseTooLarge, wire.CloseTooSlow,
		wire.CloseNoHello, wire.CloseElsewhere, wire.CloseNotAllowed, wire.CloseBadFrames, wire.CloseProtocol,
	} {
		if !strings.Contains(page, "| "+strconv.Itoa(int(code))+" |") {
			t.Errorf("shared/PROTOCOL.md does not say what close code %d means", code)
		}
	}
}

// shared/PROTOCOL.md contains the name of every field of the schema.
func TestProtocolNamesEveryField(t *testing.T) {
	page := protocolPage(t)
	raw, err := os.ReadFile("../../shared/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for _, w := range regexp.MustCompile(`\w+`).FindAllString(page, -1) {
		words[w] = true
	}
	fields := 0
	for name, def := range schema.Defs {
		for field := range def.Properties {
			fields++
			if !words[field] {
				t.Errorf("shared/PROTOCOL.md does not name the field %s of %s", field, name)
			}
		}
	}
	if fields < 300 {
		t.Errorf("%d fields found in the schema", fields)
	}
}

// The rules of each section have the numbers 1, 2, 3 and so on, each once, because tests cite rules
// by number.
func TestProtocolRulesAreNumbered(t *testing.T) {
	want := map[string]int{}
	rules := regexp.MustCompile(`(?m)^- \*\*P(\d+)\.(\d+)\*\*`).FindAllStringSubmatch(protocolPage(t), -1)
	if len(rules) == 0 {
		t.Fatal("there are no rules")
	}
	for _, m := range rules {
		want[m[1]]++
		if m[2] != strconv.Itoa(want[m[1]]) {
			t.Errorf("rule P%s.%s stands where P%s.%d should", m[1], m[2], m[1], want[m[1]])
		}
	}
}
