package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

type definition struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	AnyOf      []struct {
		Ref string `json:"$ref"`
	} `json:"anyOf"`
}

func generated(t *testing.T) ([]byte, map[string]definition) {
	t.Helper()
	text, err := Generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return text, doc.Defs
}

func TestSchemaIsUpToDate(t *testing.T) {
	text, _ := generated(t)
	committed, err := os.ReadFile("../../shared/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, committed) {
		t.Error("shared/schema.json is not what the Go structs say: run make generate")
	}
}

func TestSchemaIsDeterministic(t *testing.T) {
	a, _ := generated(t)
	b, _ := generated(t)
	if !bytes.Equal(a, b) {
		t.Error("two runs differ")
	}
}

// Every frame that Go encodes has all fields that its definition requires, no field that the
// definition lacks, and null only in fields for which the definition allows null.
func TestFramesFitTheirDefinitions(t *testing.T) {
	_, defs := generated(t)
	byType := map[string]string{} // type of a frame -> definition
	for _, union := range []string{"EventFrame", "ServerFrame"} {
		for _, m := range defs[union].AnyOf {
			name := m.Ref[len("#/$defs/"):]
			if name == "EventFrame" || name == "ChatRepeated" {
				continue
			}
			var typ struct{ Const string }
			if err := json.Unmarshal(defs[name].Properties["type"], &typ); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			byType[typ.Const] = name
		}
	}
	check := func(typ, name string, frame []byte) {
		def, ok := defs[name]
		if !ok {
			t.Errorf("%s is in no union", typ)
			return
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(frame, &fields); err != nil {
			t.Fatalf("%s: %v", typ, err)
		}
		for _, key := range def.Required {
			if _, ok := fields[key]; !ok {
				t.Errorf("%s lacks %s: %s", typ, key, frame)
			}
		}
		for key, value := range fields {
			prop, ok := def.Properties[key]
			if !ok {
				t.Errorf("%s has %s, which %s does not define", typ, key, name)
				continue
			}
			// Go encodes a nil list or map as null. P1.9 forbids that, but not the definition: the
			// code that fills a frame sets an empty list or map.
			list := bytes.Contains(prop, []byte(`"array"`)) || bytes.Contains(prop, []byte(`"object"`))
			if string(value) == "null" && !list && !bytes.Contains(prop, []byte(`"null"`)) && !bytes.Contains(prop, []byte(`$ref`)) {
				t.Errorf("%s writes null for %s, which %s does not allow", typ, key, prop)
			}
		}
	}
	for _, b := range world.Bodies() {
		r, err := world.Event{Seq: 1, At: 1, Body: b}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		check(b.EventType(), byType[b.EventType()], r.Frame)
	}
	for _, f := range wire.Frames() {
		frame, err := wire.Encode(f)
		if err != nil && f.FrameType() != "world:state" { // the raw parts of a real world:state are never empty
			t.Fatal(err)
		}
		name := byType[f.FrameType()]
		if _, ok := f.(*wire.ChatRepeated); ok {
			name = "ChatRepeated"
		}
		check(f.FrameType(), name, frame)
	}
}

// Every command is in the union ClientFrame, and the decoder knows its type.
func TestCommandsAreInTheUnion(t *testing.T) {
	_, defs := generated(t)
	var inUnion []string
	for _, m := range defs["ClientFrame"].AnyOf {
		var typ struct{ Const string }
		if err := json.Unmarshal(defs[m.Ref[len("#/$defs/"):]].Properties["type"], &typ); err != nil {
			t.Fatal(err)
		}
		inUnion = append(inUnion, typ.Const)
	}
	for _, c := range wire.Commands() {
		if !slices.Contains(inUnion, c.CommandType()) {
			t.Errorf("%s is in no union", c.CommandType())
		}
		_, _, e := wire.Decode([]byte(`{"type":"` + c.CommandType() + `"}`))
		if e != nil && e.Code == wire.UnknownType {
			t.Errorf("%s: %v", c.CommandType(), e)
		}
	}
}
