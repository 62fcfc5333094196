// Package jsonfile reads the JSON files that people write: templates, teams, sessions and
// settings. It is strict: unknown fields, fields that stand twice, text behind the end,
// bytes that are not UTF-8 and files over their limit are errors, which name the file, the
// field, and the line and column.
//
// It owns how a file is read and how an error is worded; it knows no format and never
// writes. The packages of the formats call it.
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

// Reader walks a JSON file and keeps the first error, or the first errors (Keep). After an error it
// continues with empty values, so callers need not check each step. A value is a
// map[string]any, []any, string, json.Number, bool or nil; its path is like
// "stages[1].roles[0]", "" for the whole file.
type Reader struct {
	file string
	most int // bytes
	data []byte
	at   map[string]int64 // where the value of a path begins, in bytes; nil: errors of fields tell no place
	keep int              // errors to keep
	errs []error
	last string // the path of the last error
	more int    // errors that were not kept
}

// New makes a reader for a file of at most so many bytes. Errors of fields end with line
// and column.
func New(file string, most int) *Reader {
	return &Reader{file: file, most: most, at: map[string]int64{}, keep: 1}
}

// NewPlain makes a reader whose errors of fields have no line and column, for files that
// programs write.
func NewPlain(file string, most int) *Reader { return &Reader{file: file, most: most, keep: 1} }

// Keep makes the reader keep so many errors. Err then also tells how many others there were.
func (r *Reader) Keep(errors int) { r.keep = errors }

// Err returns the kept errors, joined, or nil.
func (r *Reader) Err() error {
	switch {
	case len(r.errs) == 1:
		return r.errs[0]
	case r.more > 0 && r.keep > 1:
		return errors.Join(append(r.errs, fmt.Errorf("%s: and %d more", r.file, r.more))...)
	}
	return errors.Join(r.errs...)
}

// Fail records an error about the value at this path. Of several errors about one value, one after
// the other, it records the first.
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

// position counts lines, and characters of the line, from 1.
func (r *Reader) position(at int64) (line, column int) {
	before := r.data[:min(at, int64(len(r.data)))]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// Read returns the file's single value.
func (r *Reader) Read(data []byte) any {
	r.data = data
	switch {
	case len(data) > r.most:
		r.Fail("", "is %d bytes long, at most %d fit", len(data), r.most)
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

// syntax says where a file stops being JSON. The decoder's own offset is that of the last
// whole token, which may stand lines before the mistake.
func (r *Reader) syntax(at int64, err error) {
	var whole json.RawMessage
	var wrong *json.SyntaxError
	switch early := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); {
	case early:
		err = errors.New("the file ends too early")
	case errors.As(json.Unmarshal(r.data, &whole), &wrong):
		at = max(wrong.Offset-1, 0)
	}
	line, column := r.position(at)
	text := strings.TrimPrefix(err.Error(), "json: ")
	if r.at != nil {
		text += fmt.Sprintf(" (column %d)", column)
	}
	r.Fail("", "line %d: %s", line, text)
}

// maxDepth is deeper than any of these files; it bounds the recursion.
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
			name, _ := k.(string) // the decoder takes nothing else for a key
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

// Field is the path of a field of an object.
func Field(at, field string) string {
	field = Clip(field, 64)
	if at == "" {
		return field
	}
	return at + "." + field
}

// Index is the path of an entry of a list.
func Index(at string, i int) string { return at + "[" + strconv.Itoa(i) + "]" }

// Object returns the fields of an object and refuses unknown ones; without a list of known
// fields it accepts all.
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

// List returns the entries of a list of least to most.
func (r *Reader) List(v any, at string, least, most int) []any {
	l, ok := v.([]any)
	switch {
	case v == nil:
		r.Fail(at, "is missing")
	case !ok:
		r.Fail(at, "must be a list")
	case len(l) < least || len(l) > most:
		r.Fail(at, "has %d entries, %d to %d fit", len(l), least, most)
		return nil
	}
	return l
}

// String returns a string, "" if the field is absent; a required one must be present.
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

// Integer returns a required whole number from least to most, least after an error. With math.MaxInt
// for most there is no upper limit.
func (r *Reader) Integer(v any, at string, least, most int) int {
	n, ok := v.(json.Number)
	i, err := strconv.Atoi(n.String())
	switch {
	case v == nil:
		r.Fail(at, "is missing")
	case !ok || err != nil:
		r.Fail(at, "must be an integer")
	case i < least && most == math.MaxInt:
		r.Fail(at, "is %d, %d or more fits", i, least)
	case i < least || i > most:
		r.Fail(at, "is %d, %d to %d fit", i, least, most)
	default:
		return i
	}
	return least
}

// OneOf returns a required string that is one of those allowed.
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

// Text returns a text of at most limit bytes; it may contain line breaks and tabs.
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

// Fields reads a file whose fields their owners decode: an object, raw by field.
func Fields(file string, data []byte, most int) (map[string]json.RawMessage, error) {
	r := New(file, most)
	if r.Object(r.Read(data), ""); r.Err() != nil {
		return nil, r.Err()
	}
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return raw, nil
}

// Clip keeps an unknown name in an error or a note short and on one line; most is in bytes.
func Clip(s string, most int) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return '?'
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s, short := world.Cut(s, most)
	if short {
		s += "..."
	}
	return s
}
