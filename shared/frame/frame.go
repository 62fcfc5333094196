// Package frame encodes the frames of the wire contract (the messages on the WebSocket), and worlds. A frame is one
// flat JSON object that begins with its type, followed by the fields of one or more structs.
//
// It produces the same bytes as encoding/json, and in addition copies a json.RawMessage unchanged and reports the
// position of one text in the frame. It defines no particular frame. shared/world and shared/wire call it.
package frame

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	fastjson "github.com/goccy/go-json"
)

// Span is the position of a text, as a JSON string, in a frame. At is 0 if the frame lacks the
// text.
type Span struct{ At, Len int }

// Encode returns a frame with the type typ and the fields of parts, in order. Each part is a
// pointer to a struct, whose tags follow encoding/json but must not use the options "string" and
// "omitzero". A json.RawMessage must hold valid JSON; outside of a list it may be empty, which
// means null.
func Encode(typ string, parts ...any) ([]byte, error) {
	out, _, err := EncodeWith(nil, typ, parts...)
	return out, err
}

// EncodeWith does the same as Encode and reports the position of *text. text is nil or points to a
// string field of a part, or of a struct in a part.
func EncodeWith(text *string, typ string, parts ...any) ([]byte, Span, error) {
	e := encoder{text: text, out: (*buffers.Get().(*[]byte))[:0]}
	defer e.giveBack()
	e.out = append(e.out, `{"type":`...)
	if err := e.string(typ); err != nil {
		return nil, Span{}, err
	}
	for _, part := range parts {
		if err := e.part(part); err != nil {
			return nil, Span{}, fmt.Errorf("encode %s: %w", typ, err)
		}
	}
	e.out = append(e.out, '}')
	if cap(e.out) > maxBuffer {
		return e.out, e.span, nil
	}
	return bytes.Clone(e.out), e.span, nil
}

// Object returns the struct to which v points as a JSON object, as encoding/json encodes it. v follows the rules
// for parts of Encode. Object encodes a long list piece by piece and estimates its size, so that it needs little
// more memory than the result.
func Object(v any) ([]byte, error) {
	e := encoder{}
	e.elements = fastjson.NewEncoder(&e)
	e.out = append(e.out, '{')
	if err := e.part(v); err != nil {
		return nil, fmt.Errorf("encode an object: %w", err)
	}
	return append(e.out, '}'), nil
}

// buffers holds buffers of up to maxBuffer bytes, which later calls of EncodeWith use again.
// EncodeWith returns a copy of the exact size.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxBuffer = 64 << 10

type encoder struct {
	out  []byte
	text *string
	span Span
	// elements encodes some elements of a list and writes them to this encoder. It is nil if lists are encoded as a
	// whole.
	elements *fastjson.Encoder
}

// Write appends p, the output of elements, without the brackets of the list and the line break.
func (e *encoder) Write(p []byte) (int, error) {
	e.out = append(e.out, p[1:len(p)-2]...)
	return len(p), nil
}

func (e *encoder) giveBack() {
	if cap(e.out) <= maxBuffer {
		buffers.Put(&e.out)
	}
}

func (e *encoder) key(key []byte) {
	if e.out[len(e.out)-1] != '{' {
		e.out = append(e.out, ',')
	}
	e.out = append(e.out, key...)
}

func (e *encoder) value(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	e.out = append(e.out, raw...)
	return nil
}

// part appends the fields of the struct to which v points to the current JSON object.
func (e *encoder) part(v any) error {
	x := reflect.ValueOf(v)
	if x.Kind() != reflect.Pointer || x.IsNil() || x.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("%T is no pointer to a struct", v)
	}
	return e.members(x.Elem())
}

// members appends the fields of a struct to the current JSON object.
func (e *encoder) members(v reflect.Value) error {
	for _, f := range fieldsOf(v.Type()) {
		x := v.FieldByIndex(f.index)
		if f.omitEmpty && empty(x) {
			continue
		}
		e.key(f.key)
		if err := e.field(f.how, x); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) field(how form, x reflect.Value) error {
	switch how {
	case asText:
		at := len(e.out)
		if err := e.string(x.String()); err != nil {
			return err
		}
		if e.text != nil && x.CanAddr() && x.Addr().Interface() == any(e.text) {
			e.span = Span{at, len(e.out) - at}
		}
	case asInt:
		e.out = strconv.AppendInt(e.out, x.Int(), 10)
	case asBool:
		e.out = strconv.AppendBool(e.out, x.Bool())
	case asRaw:
		if x.Len() == 0 {
			e.out = append(e.out, "null"...)
			return nil
		}
		e.out = append(e.out, x.Bytes()...)
	case asRaws:
		e.raws(x.Interface().([]json.RawMessage))
	case asObject:
		if x.Kind() == reflect.Pointer {
			if x.IsNil() {
				e.out = append(e.out, "null"...)
				return nil
			}
			x = x.Elem()
		}
		e.out = append(e.out, '{')
		if err := e.members(x); err != nil {
			return err
		}
		e.out = append(e.out, '}')
	case asList:
		if e.elements == nil {
			return e.value(x.Interface())
		}
		return e.list(x)
	default:
		return e.value(x.Interface())
	}
	return nil
}

// together is the number of elements of a list that Object encodes with one call of encoding/json.
const together = 64

// list appends a list.
func (e *encoder) list(x reflect.Value) error {
	if x.IsNil() {
		e.out = append(e.out, "null"...)
		return nil
	}
	e.out = append(e.out, '[')
	begin, n := len(e.out), x.Len()
	for i := 0; i < n; i += together {
		if i > 0 {
			e.out = append(e.out, ',')
			e.foresee(n-i, (len(e.out)-begin)/i+1)
		}
		if err := e.elements.Encode(x.Slice(i, min(i+together, n)).Interface()); err != nil {
			return err
		}
	}
	e.out = append(e.out, ']')
	return nil
}

// foresee grows e.out for n more elements of about size bytes if e.out is nearly full. Without foresee, append
// would copy e.out often and need several times the memory.
func (e *encoder) foresee(n, size int) {
	if cap(e.out)-len(e.out) >= 2*together*size {
		return
	}
	room := n*size + n*size/16 + 2*together*size
	e.out = append(make([]byte, 0, len(e.out)+room), e.out...)
}

// raws appends a list of values that are already encoded as JSON.
func (e *encoder) raws(list []json.RawMessage) {
	if list == nil {
		e.out = append(e.out, "null"...)
		return
	}
	e.out = append(e.out, '[')
	for i, raw := range list {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = append(e.out, raw...)
	}
	e.out = append(e.out, ']')
}

// string appends a JSON string. Most strings need no escapes.
func (e *encoder) string(s string) error {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return e.value(s)
		}
	}
	e.out = append(e.out, '"')
	e.out = append(e.out, s...)
	e.out = append(e.out, '"')
	return nil
}

// empty reports whether the option omitempty leaves out the value.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// form says how a field is encoded.
type form int

const (
	asValue form = iota // the whole value is encoded by encoding/json
	asText
	asInt
	asBool
	asRaw
	asRaws
	asObject
	asList // a list: Object encodes it in parts, Encode by encoding/json as a whole
)

type field struct {
	index     []int
	key       []byte // the field's JSON name, with quotes and colon
	omitEmpty bool
	how       form
}

var (
	known     sync.Map // []field by reflect.Type; one entry for each type of struct in frames
	rawType   = reflect.TypeFor[json.RawMessage]()
	rawsType  = reflect.TypeFor[[]json.RawMessage]()
	marshaler = reflect.TypeFor[json.Marshaler]()
	texter    = reflect.TypeFor[encoding.TextMarshaler]()
)

func fieldsOf(t reflect.Type) []field {
	if list, ok := known.Load(t); ok {
		return list.([]field)
	}
	list, _ := known.LoadOrStore(t, listFields(t))
	return list.([]field)
}

// listFields lists the fields of a struct and its embedded structs in the order and with the names of encoding/json.
// It panics if two fields have the same name, which encoding/json would leave out.
func listFields(t reflect.Type) []field {
	var list []field
	seen := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if seen[name] {
			panic(fmt.Sprintf("frame: %v has two fields %q", t, name))
		}
		seen[name] = true
		list = append(list, field{index: f.Index, key: key(name), omitEmpty: options == "omitempty", how: howOf(f.Type)})
	}
	return list
}

func key(name string) []byte { return append(strconv.AppendQuote(nil, name), ':') }

func howOf(t reflect.Type) form {
	switch p := reflect.PointerTo(t); {
	case t == rawType:
		return asRaw
	case t == rawsType:
		return asRaws
	case p.Implements(marshaler), p.Implements(texter): // also true if only the pointer has the method
		return asValue
	}
	switch t.Kind() {
	case reflect.String:
		return asText
	case reflect.Int, reflect.Int64:
		return asInt
	case reflect.Bool:
		return asBool
	case reflect.Struct:
		return asObject
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return asList
		}
	case reflect.Pointer:
		if e := t.Elem(); e.Kind() == reflect.Struct && howOf(e) == asObject {
			return asObject
		}
	}
	return asValue
}
