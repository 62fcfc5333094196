package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"

	"github.com/invopop/jsonschema"
)

var (
	timeType = reflect.TypeFor[world.Time]()
	codeType = reflect.TypeFor[wire.Code]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

// generator collects definitions from the Go structs.
type generator struct {
	reflector jsonschema.Reflector
	defs      jsonschema.Definitions
	types     map[string]reflect.Type // by name of the definition
	comments  map[string]string       // by import path, type and field
	err       error                   // the first error
}

// Generate returns the text of shared/schema.json, the same bytes for the same sources.
func Generate(root string) ([]byte, error) {
	g := &generator{defs: jsonschema.Definitions{}, types: map[string]reflect.Type{}, comments: map[string]string{}}
	g.reflector = jsonschema.Reflector{
		Anonymous:                 true,
		AllowAdditionalProperties: true, // a later field breaks no client
		Namer:                     g.name,
		Mapper:                    g.scalar,
		LookupComment:             g.comment,
	}
	if err := g.readComments(root); err != nil {
		return nil, err
	}

	g.shape(world.State{}, world.View{}, world.Template{}, world.Settings{}, wire.FileText{}, wire.FilePast{}, wire.FilesFound{}, wire.FindingAccepted{}, wire.FindingsAccepted{},
		wire.Share{}, wire.Preview{})
	var events, frames, commands []string
	for _, b := range world.Bodies() {
		events = append(events, g.frame(b, b.EventType(), eventHeader()))
	}
	for _, f := range wire.Frames() {
		frames = append(frames, g.frame(f, f.FrameType(), nil))
	}
	for _, c := range wire.Commands() {
		commands = append(commands, g.frame(c, c.CommandType(), commandHeader()))
	}
	g.refine()
	g.union("EventFrame", "A durable event: the same bytes for everyone, live and replayed. Seq counts from 1 without a hole, at never goes back, v is the version of the fields (1 where absent), requestId the command or run it belongs to.", events)
	g.union("ServerFrame", "Whatever the server sends.", append([]string{"EventFrame"}, frames...))
	g.union("ClientFrame", "Whatever a client sends. A requestId comes back in replies and errors and makes resending safe.", commands)
	g.union("Answer", "Whatever a route below /api answers with as JSON, as far as its shape is defined here.", []string{"FileText", "FilePast", "FilesFound", "FindingAccepted", "FindingsAccepted", "Share", "Preview"})
	if g.err != nil {
		return nil, g.err
	}
	doc := &jsonschema.Schema{
		Version:     jsonschema.Version,
		Title:       "Frame",
		Description: "The wire contract of Agent Dungeon. Generated from shared/wire and shared/world by scripts/schema; do not edit.",
		AnyOf:       []*jsonschema.Schema{ref("ServerFrame"), ref("ClientFrame"), ref("Answer")},
		Definitions: g.defs,
	}
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode schema: %w", err)
	}
	return append(text, '\n'), nil
}

func (g *generator) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// name returns the name of a type's definition. It fails if two types have the same name.
func (g *generator) name(t reflect.Type) string {
	n := t.Name()
	if other, ok := names[t]; ok {
		n = other
	}
	if t.Kind() != reflect.Struct || n == "" {
		return n
	}
	if old, ok := g.types[n]; ok && old != t {
		g.fail("%v and %v would both be called %s: give one a name in enums.go", old, t, n)
	}
	g.types[n] = t
	return n
}

// scalar returns the definition of a type whose JSON differs from its Go type, else nil.
func (g *generator) scalar(t reflect.Type) *jsonschema.Schema {
	switch t {
	case timeType:
		return &jsonschema.Schema{Type: "string", Format: "date-time"}
	case codeType:
		return &jsonschema.Schema{Type: "string", Enum: values(codes)}
	}
	return nil
}

// comment returns the doc comment of a type or field as one line.
func (g *generator) comment(t reflect.Type, field string) string {
	key := t.PkgPath() + "." + t.Name()
	if field != "" {
		key += "." + field
	}
	return strings.Join(strings.Fields(g.comments[key]), " ")
}

// readComments reads the doc comments of shared/world and shared/wire, which become the descriptions in the schema.
func (g *generator) readComments(root string) error {
	for _, pkg := range []string{"world", "wire"} {
		var r jsonschema.Reflector
		dir := filepath.Join(root, "shared", pkg)
		if err := r.AddGoComments("", dir, jsonschema.WithFullComment()); err != nil {
			return fmt.Errorf("read comments of %s: %w", dir, err)
		}
		if len(r.CommentMap) == 0 {
			return fmt.Errorf("%s has no comments: is %q the root of the repository?", dir, root)
		}
		for key, text := range r.CommentMap {
			// The keys of CommentMap begin with dir; the keys of g.comments begin with the import path.
			if _, name, ok := strings.Cut(key, "/"+pkg+"."); ok {
				g.comments["agentdungeon/shared/"+pkg+"."+name] = text
			}
		}
	}
	return nil
}

// shape adds the definitions of the types of vs and of all types that these use.
func (g *generator) shape(vs ...any) {
	for _, v := range vs {
		for name, def := range g.reflector.Reflect(v).Definitions {
			if g.defs[name] == nil {
				g.defs[name] = def
			}
		}
	}
}

// property is a field of a header: the fields that all events, or all commands, have before their own.
type property struct {
	name     string
	schema   *jsonschema.Schema
	required bool
}

// eventHeader returns the header of an event. The body of a run's event has its own requestId;
// in every other event requestId is that of the command that caused it.
func eventHeader() []property {
	return []property{
		{"seq", &jsonschema.Schema{Type: "integer", Minimum: "1"}, true},
		{"at", &jsonschema.Schema{Type: "string", Format: "date-time"}, true},
		{"v", &jsonschema.Schema{Type: "integer"}, false},
		{"requestId", &jsonschema.Schema{Type: "string"}, false},
	}
}

func commandHeader() []property {
	return []property{
		{"requestId", &jsonschema.Schema{Type: "string", Pattern: "^[A-Za-z0-9_-]{1,64}$"}, false},
	}
}

// frame adds the definition of v, with the type and the header before its own fields.
func (g *generator) frame(v any, typ string, header []property) string {
	g.shape(v)
	t := reflect.TypeOf(v).Elem()
	name := g.name(t)
	def := g.defs[name]
	if def == nil {
		g.fail("%v gave no definition", t)
		return name
	}
	body := def.Properties
	def.Properties = jsonschema.NewProperties()
	def.Properties.Set("type", &jsonschema.Schema{Type: "string", Const: typ})
	required := []string{"type"}
	for _, p := range header {
		if _, own := body.Get(p.name); own {
			continue // the body of the event has this field itself, as a run's events have requestId
		}
		def.Properties.Set(p.name, p.schema)
		if p.required {
			required = append(required, p.name)
		}
	}
	for pair := body.Oldest(); pair != nil; pair = pair.Next() {
		def.Properties.Set(pair.Key, pair.Value)
	}
	def.Required = append(required, def.Required...)
	return name
}

// union adds a definition that allows any of the given ones.
func (g *generator) union(name, about string, of []string) {
	s := &jsonschema.Schema{Description: about}
	for _, n := range of {
		s.AnyOf = append(s.AnyOf, ref(n))
	}
	g.defs[name] = s
}

func ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

func values(list []string) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = v
	}
	return out
}

// refine adds the rules that reflection does not find: fields that can be null, fields with a list
// of values, and fields with raw JSON.
func (g *generator) refine() {
	for name, t := range g.types {
		def := g.defs[name]
		if def == nil || def.Properties == nil {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			tag, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
			prop, ok := def.Properties.Get(tag)
			if tag == "" || !ok || prop.Const != nil {
				continue
			}
			prop = g.raw(name+"."+tag, f.Type, prop)
			if list, ok := enums[name+"."+tag]; ok {
				prop.Enum = values(list)
			}
			always := !strings.Contains(opts, "omitempty")
			if always && (f.Type.Kind() == reflect.Pointer || f.Type == timeType && tag != "at") {
				prop = nullable(prop)
			}
			def.Properties.Set(tag, prop)
		}
	}
	for key := range enums {
		name, field, _ := strings.Cut(key, ".")
		def := g.defs[name]
		if def == nil || def.Properties == nil {
			g.fail("enums.go names %s, which is not in the schema", key)
			continue
		}
		if _, ok := def.Properties.Get(field); !ok {
			g.fail("enums.go names %s, which has no such field", key)
		}
	}
	g.special()
}

// special adds what only single definitions need: the values of the settings, the definition SettingsPatch, and the
// conditions of ChatSend and ChatRepeated.
func (g *generator) special() {
	settings := g.defs["Settings"]
	for _, rule := range world.SettingRules {
		prop, ok := settings.Properties.Get(rule.Name)
		if !ok {
			g.fail("world.SettingRules names %s, which Settings lacks", rule.Name)
			return
		}
		if len(rule.Values) > 0 {
			prop.Enum = values(rule.Values)
		} else {
			prop.Minimum, prop.Maximum = json.Number(strconv.Itoa(rule.Min)), json.Number(strconv.Itoa(rule.Max))
		}
	}
	patch := *settings
	patch.Required = nil
	patch.Description = "Settings to change; those left out stay."
	g.defs["SettingsPatch"] = &patch
	g.defs["UpdateSettings"].Properties.Set("settings", ref("SettingsPatch"))
	g.defs["ChatSend"].Required = append(g.defs["ChatSend"].Required, "requestId")
	g.defs["ChatRepeated"].Properties.Set("repeated", &jsonschema.Schema{Type: "boolean", Const: true})
}

// raw returns the schema of a json.RawMessage field, which holds encoded JSON.
func (g *generator) raw(key string, t reflect.Type, prop *jsonschema.Schema) *jsonschema.Schema {
	if t != rawType && t != reflect.SliceOf(rawType) {
		return prop
	}
	switch key {
	case "WorldState.world":
		return ref("World")
	case "WorldState.conversations":
		return &jsonschema.Schema{Type: "array", Items: ref("ConversationView")}
	case "WorldState.rooms":
		return &jsonschema.Schema{Type: "array", Items: ref("MapChange")}
	case "WorldState.recent":
		return &jsonschema.Schema{Type: "array", Items: ref("EventFrame")}
	}
	g.fail("%s is raw JSON: add its schema to raw in generate.go", key)
	return prop
}

func nullable(s *jsonschema.Schema) *jsonschema.Schema {
	about := s.Description
	inner := *s
	inner.Description = ""
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{&inner, {Type: "null"}}, Description: about}
}
