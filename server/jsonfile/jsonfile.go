// Package jsonfile reads the JSON files that people write: templates, teams, sessions and
// settings. It is strict: unknown fields, duplicate fields, text after the end, invalid UTF-8 and
// files over their limit are errors. An error names the file, the field, and the line and column.
//
// It owns the reading of values and the wording of errors. It defines no format and never writes;
// the package of each format calls it. Reader reads one file (jsonfile.go), Format the files of a
// folder (offered.go).
package jsonfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Reader reads a JSON file and records the first error, or with Keep the first few. After an error
// its methods return empty values, so callers need not check each call. Values are of the types
// map[string]any, []any, string, json.Number, bool and nil. A value's path has the form
// "stages[1].roles[0]"; "" is the whole file.
type Reader struct {
	file  string
	limit int // maximum length of the file, in bytes
	data  []byte
	at    map[string]int64 // offset of each value by path, in bytes; nil for NewPlain
	keep  int              // maximum length of errs
	errs  []error
	last  string // the path of the last error
	more  int    // number of further errors
}

// New returns a Reader of a file of at most limit bytes. Its errors about fields end with line and
// column.
func New(file string, limit int) *Reader {
	return &Reader{file: file, limit: limit, at: map[string]int64{}, keep: 1}
}

// NewPlain returns a Reader for a file that a program has written. Its errors about fields have no
// line and column.
func NewPlain(file string, limit int) *Reader { return &Reader{file: file, limit: limit, keep: 1} }

// Keep makes the reader record the first n errors instead of one. Err then also reports the number
// of further errors.
func (r *Reader) Keep(n int) { r.keep = n }

// Err returns the recorded errors, joined, or nil.
func (r *Reader) Err() error {
	switch {
	case len(r.errs) == 1:
		return r.errs[0]
	case r.more > 0 && r.keep > 1:
		return errors.Join(append(r.errs, fmt.Errorf("%s: and %d more", r.file, r.more))...)
	}
	return errors.Join(r.errs...)
}

// Fail records an error about the value at a path. Of consecutive errors about one value it records
// only the first.
func (r *Reader) Fail(at, format string, args ...any) {
	switch {
	case len(r.errs) > 0 && at == r.last && at != "":
		return
	case len(r.errs) == r.keep:
		r.more, r.last = r.more+1, at
		return
	}
	r.last = at
	text := fmt.Sprintf(format, args...)
	if begin, ok := r.at[at]; ok && at != "" {
		line, column := r.position(begin)
		text += fmt.Sprintf(" (line %d, column %d)", line, column)
	}
	if at != "" {
		at += ": "
	}
	r.errs = append(r.errs, fmt.Errorf("%s: %s%s", r.file, at, text))
}

// position returns the line and column of an offset, both from 1. A column is a character.
func (r *Reader) position(at int64) (line, column int) {
	before := r.data[:min(at, int64(len(r.data)))]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// Read returns the file's single value.
func (r *Reader) Read(data []byte) any {
	r.data = data
	switch {
	case len(data) > r.limit:
		r.Fail("", "is %d bytes long, at most %d fit", len(data), r.limit)
		return nil
	case !utf8.Valid(data):
		r.Fail("", "is not UTF-8")
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := r.value(dec, "", 0)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows after the end of the object")
		}
	}
	if err != nil {
		r.syntax(dec.InputOffset(), err)
		return nil
	}
	return v
}

// syntax records a syntax error. at is the decoder's offset, the end of the last token, which can
// be lines before the mistake; json.Unmarshal reports the exact offset.
func (r *Reader) syntax(at int64, err error) {
	var ignored json.RawMessage
	var wrong *json.SyntaxError
	switch early := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); {
	case early:
		err = errors.New("the file ends too early")
	case errors.As(json.Unmarshal(r.data, &ignored), &wrong):
		at = max(wrong.Offset-1, 0)
	}
	line, column := r.position(at)
	text := strings.TrimPrefix(err.Error(), "json: ")
	if r.at != nil {
		text += fmt.Sprintf(" (column %d)", column)
	}
	r.Fail("", "line %d: %s", line, text)
}

// maxDepth bounds the recursion of value. No format is nested as deeply.
const maxDepth = 16

func (r *Reader) value(dec *json.Decoder, at string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("is nested too deeply")
	}
	if r.at != nil {
		rest := r.data[dec.InputOffset():]
		r.at[at] = int64(len(r.data) - len(bytes.TrimLeft(rest, " \t\r\n:,")))
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		out := map[string]any{}
		for dec.More() {
			k, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name, _ := k.(string) // the decoder accepts no other keys
			within := Field(at, name)
			_, twice := out[name]
			if out[name], err = r.value(dec, within, depth+1); err != nil {
				return nil, err
			}
			if twice {
				r.Fail(within, "stands twice")
			}
		}
		_, err := dec.Token()
		return out, err
	case json.Delim('['):
		out := []any{}
		for dec.More() {
			v, err := r.value(dec, Index(at, len(out)), depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		_, err := dec.Token()
		return out, err
	}
	return tok, nil
}

// Field returns the path of a field, such as "stages[0].name", where at is the path of its object.
func Field(at, field string) string {
	field = Clip(field, 64)
	if at == "" {
		return field
	}
	return at + "." + field
}

// Index returns the path of entry i of the list with the path at.
func Index(at string, i int) string { return at + "[" + strconv.Itoa(i) + "]" }

// Object returns the fields of an object. A field that is not in known is an error, unless known
// is empty.
func (r *Reader) Object(v any, at string, known ...string) map[string]any {
	m, ok := v.(map[string]any)
	switch {
	case v == nil:
		r.Fail(at, "is missing")
	case !ok:
		r.Fail(at, "must be an object")
	case len(known) > 0:
		var unknown []string
		for k := range m {
			if !slices.Contains(known, k) {
				unknown = append(unknown, k)
			}
		}
		slices.Sort(unknown)
		for _, k := range unknown {
			r.Fail(Field(at, k), "is not a field here; there are %s", strings.Join(known, ", "))
		}
	}
	return m
}

// List returns a list. It is an error if the list has fewer than least or more than most entries.
func (r *Reader) List(v any, at string, least, most int) []any {
	l, ok := v.([]any)
	switch {
	case v == nil:
		r.Fail(at, "is missing")
	case !ok:
		r.Fail(at, "must be a list")
	case len(l) < least || len(l) > most:
		r.Fail(at, "has %d entries; it must have %d to %d", len(l), least, most)
		return nil
	}
	return l
}

// String returns a string, or "" if the field is absent. If required is set, an absent field is an
// error.
func (r *Reader) String(v any, at string, required bool) string {
	s, ok := v.(string)
	switch {
	case v == nil && required:
		r.Fail(at, "is missing")
	case v != nil && !ok:
		r.Fail(at, "must be a string")
	}
	return s
}

// Integer returns a required whole number. It is an error if the number is less than least or greater than most; if
// most is math.MaxInt, there is no upper limit. After an error Integer returns least.
func (r *Reader) Integer(v any, at string, least, most int) int {
	n, ok := v.(json.Number)
	i, err := strconv.Atoi(n.String())
	switch {
	case v == nil:
		r.Fail(at, "is missing")
	case !ok || err != nil:
		r.Fail(at, "must be an integer")
	case i < least && most == math.MaxInt:
		r.Fail(at, "is %d; it must be %d or more", i, least)
	case i < least || i > most:
		r.Fail(at, "is %d; it must be %d to %d", i, least, most)
	default:
		return i
	}
	return least
}

// OneOf returns a required string that must be one of allowed.
func (r *Reader) OneOf(v any, at string, allowed ...string) string {
	s := r.String(v, at, true)
	if !slices.Contains(allowed, s) {
		r.Fail(at, "must be one of %s", strings.Join(allowed, ", "))
	}
	return s
}

// ID returns a required id.
func (r *Reader) ID(v any, at string) string {
	s := r.String(v, at, true)
	if !wire.ValidID(s) {
		r.Fail(at, "must be 1 to %d characters of A-Z a-z 0-9 _ -", wire.MaxID)
	}
	return s
}

// Name returns a required name.
func (r *Reader) Name(v any, at string) string {
	s := r.String(v, at, true)
	if !wire.ValidName(s) {
		r.Fail(at, "must be 1 to %d characters without control characters", wire.MaxName)
	}
	return s
}

// Text returns a text of at most limit bytes. It may contain line breaks and tabs, but no other
// control characters.
func (r *Reader) Text(v any, at string, limit int, required bool) string {
	s := r.String(v, at, required)
	switch {
	case required && strings.TrimSpace(s) == "":
		r.Fail(at, "is empty")
	case len(s) > limit:
		r.Fail(at, "is %d bytes long, at most %d fit", len(s), limit)
	case strings.ContainsFunc(s, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }):
		r.Fail(at, "holds a control character")
	}
	return s
}

// Color returns a required colour.
func (r *Reader) Color(v any, at string) string {
	s := r.String(v, at, true)
	if !wire.ValidColor(s) {
		r.Fail(at, "must be #rrggbb")
	}
	return s
}

// Fields returns the undecoded fields of a file, for callers that decode their own fields.
func Fields(file string, data []byte, limit int) (map[string]json.RawMessage, error) {
	r := New(file, limit)
	if r.Object(r.Read(data), ""); r.Err() != nil {
		return nil, r.Err()
	}
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return raw, nil
}

// Clip makes an unknown name fit for an error or a note: one line of at most limit bytes, followed by "..." if the
// name was longer.
func Clip(s string, limit int) string {
	return world.Clip(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return '?'
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD")), limit)
}
