package party

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentdungeon/shared/world"
)

// reader walks a JSON file and keeps the first error. After an error it continues with empty
// values, so callers need not check each step.
type reader struct {
	file string
	most int // bytes of a file
	err  error
}

// fail records an error about the field at this path; "" is the whole file.
func (r *reader) fail(at, format string, args ...any) {
	if r.err != nil {
		return
	}
	if at != "" {
		at += ": "
	}
	r.err = fmt.Errorf("%s: %s%s", r.file, at, fmt.Sprintf(format, args...))
}

// read returns the file's single value: map[string]any, []any, string, json.Number, bool or nil.
func (r *reader) read(data []byte) any {
	switch {
	case len(data) > r.most:
		r.fail("", "is %d bytes long, at most %d fit", len(data), r.most)
		return nil
	case !utf8.Valid(data):
		r.fail("", "is not UTF-8")
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
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends too early")
	}
	if err != nil {
		line := 1 + bytes.Count(data[:min(int(dec.InputOffset()), len(data))], []byte("\n"))
		r.fail("", "line %d: %s", line, strings.TrimPrefix(err.Error(), "json: "))
		return nil
	}
	return v
}

// maxDepth is deeper than any of these files; it bounds the recursion.
const maxDepth = 16

func (r *reader) value(dec *json.Decoder, at string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("is nested too deeply")
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
			if _, twice := out[name]; twice {
				r.fail(join(at, name), "stands twice")
			}
			if out[name], err = r.value(dec, join(at, name), depth+1); err != nil {
				return nil, err
			}
		}
		_, err := dec.Token()
		return out, err
	case json.Delim('['):
		out := []any{}
		for dec.More() {
			v, err := r.value(dec, index(at, len(out)), depth+1)
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

func join(at, field string) string {
	field = clip(field, 64)
	if at == "" {
		return field
	}
	return at + "." + field
}

func index(at string, i int) string { return at + "[" + strconv.Itoa(i) + "]" }

// object returns the fields of an object and refuses unknown ones; without a list of known
// fields it accepts all.
func (r *reader) object(v any, at string, known ...string) map[string]any {
	m, ok := v.(map[string]any)
	switch {
	case v == nil:
		r.fail(at, "is missing")
	case !ok:
		r.fail(at, "must be an object")
	case len(known) > 0:
		var unknown []string
		for k := range m {
			if !slices.Contains(known, k) {
				unknown = append(unknown, k)
			}
		}
		if len(unknown) > 0 {
			slices.Sort(unknown)
			r.fail(join(at, unknown[0]), "is not a field here; there are %s", strings.Join(known, ", "))
		}
	}
	return m
}

func (r *reader) list(v any, at string, least, most int) []any {
	l, ok := v.([]any)
	switch {
	case v == nil:
		r.fail(at, "is missing")
	case !ok:
		r.fail(at, "must be a list")
	case len(l) < least || len(l) > most:
		r.fail(at, "has %d entries, %d to %d fit", len(l), least, most)
		return nil
	}
	return l
}

func (r *reader) string(v any, at string, required bool) string {
	s, ok := v.(string)
	switch {
	case v == nil && required:
		r.fail(at, "is missing")
	case v != nil && !ok:
		r.fail(at, "must be a string")
	}
	return s
}

func (r *reader) integer(v any, at string, least, most int) int {
	n, ok := v.(json.Number)
	i, err := strconv.Atoi(n.String())
	switch {
	case v == nil:
		r.fail(at, "is missing")
	case !ok || err != nil:
		r.fail(at, "must be an integer")
	case i < least || i > most:
		r.fail(at, "is %d, %d to %d fit", i, least, most)
	default:
		return i
	}
	return least
}

// clip keeps a stranger's word short and on one line in an error or a note; most counts
// bytes.
func clip(s string, most int) string {
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
