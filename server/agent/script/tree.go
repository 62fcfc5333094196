package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxFile is the limit of a script in bytes.
const MaxFile = 1 << 20

const (
	maxDepth  = 8  // nesting of values; the format itself needs 7
	maxFaults = 10 // faults that one error lists
)

// node is one JSON value with its place in the file, so that an error can name the place.
type node struct {
	up    *node
	key   string // in an object
	index int    // in a list, else -1
	value any    // map[string]*node, []*node, string, json.Number, bool or nil
}

// path returns the node's place, such as turns[2].steps[0].say; "" is the whole file.
func (n *node) path() string {
	switch {
	case n.up == nil:
		return ""
	case n.index >= 0:
		return n.up.path() + "[" + strconv.Itoa(n.index) + "]"
	case n.up.up == nil:
		return shown(n.key)
	default:
		return n.up.path() + "." + shown(n.key)
	}
}

// shown formats a key for errors: cut, and quoted if it is not a plain name.
func shown(key string) string {
	key = clip(key, 64)
	if plainName.MatchString(key) {
		return key
	}
	return strconv.Quote(key)
}

// reader collects the faults of a file.
type reader struct {
	name   string
	faults []error
	more   int // faults beyond maxFaults
}

func (r *reader) fail(n *node, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if path := n.path(); path != "" {
		text = path + ": " + text
	}
	if len(r.faults) == maxFaults {
		r.more++
		return
	}
	r.faults = append(r.faults, fmt.Errorf("%s: %s", r.name, text))
}

func (r *reader) err() error {
	if r.more > 0 {
		return errors.Join(append(r.faults, fmt.Errorf("%s: and %d more", r.name, r.more))...)
	}
	return errors.Join(r.faults...)
}

// tree parses the whole file. It returns nil after a fault.
func (r *reader) tree(data []byte) *node {
	root := &node{index: -1}
	if len(data) > MaxFile {
		r.fail(root, "is over %d bytes, the size of a script", MaxFile)
		return nil
	}
	if !utf8.Valid(data) {
		r.fail(root, "is not valid UTF-8; bytes that are not belong into a bytes step")
		return nil
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			before := data[:min(int(syntax.Offset), len(data))]
			line := 1 + bytes.Count(before, []byte("\n"))
			r.fail(root, "line %d: %s", line, err)
		} else {
			r.fail(root, "%s", err)
		}
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if !r.fill(dec, root, 0) {
		return nil
	}
	return root
}

// fill reads the next value into n. The syntax has been checked before. A duplicate key is a fault; a value
// that is nested too deep ends the reading.
func (r *reader) fill(dec *json.Decoder, n *node, depth int) bool {
	tok, err := dec.Token()
	if err != nil {
		r.fail(n, "%s", err)
		return false
	}
	open, ok := tok.(json.Delim)
	if !ok {
		n.value = tok
		return true
	}
	if depth == maxDepth {
		r.fail(n, "is nested too deep")
		return false
	}
	if open == '[' {
		list := []*node{}
		for dec.More() {
			item := &node{up: n, index: len(list)}
			if !r.fill(dec, item, depth+1) {
				return false
			}
			list = append(list, item)
		}
		n.value = list
	} else {
		fields := map[string]*node{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				r.fail(n, "%s", err)
				return false
			}
			field := &node{up: n, key: key.(string), index: -1}
			if fields[field.key] != nil {
				r.fail(field, "stands twice")
			}
			if !r.fill(dec, field, depth+1) {
				return false
			}
			fields[field.key] = field
		}
		n.value = fields
	}
	if _, err := dec.Token(); err != nil { // the closing bracket
		r.fail(n, "%s", err)
		return false
	}
	return true
}

// object returns the fields of n. Fields that are not in known are faults.
func (r *reader) object(n *node, known ...string) (map[string]*node, bool) {
	fields, ok := n.value.(map[string]*node)
	if !ok {
		r.fail(n, "must be an object")
		return nil, false
	}
	for _, key := range sortedKeys(fields) {
		if !slices.Contains(known, key) {
			r.fail(fields[key], "is not a field here; known are %s", strings.Join(known, ", "))
		}
	}
	return fields, true
}

// list returns the items of n: 1 to limit of them.
func (r *reader) list(n *node, limit int) []*node {
	items, ok := n.value.([]*node)
	switch {
	case !ok:
		r.fail(n, "must be a list")
	case len(items) == 0:
		r.fail(n, "must not be empty")
	case len(items) > limit:
		r.fail(n, "has %d entries, at most %d fit", len(items), limit)
	default:
		return items
	}
	return nil
}

// str returns a string, "" after a fault.
func (r *reader) str(n *node) string {
	s, ok := n.value.(string)
	if !ok {
		r.fail(n, "must be a string")
	}
	return s
}

// whole returns a whole number from low to high, low after a fault.
func (r *reader) whole(n *node, low, high int) int {
	number, ok := n.value.(json.Number)
	v, err := strconv.Atoi(number.String())
	switch {
	case !ok || err != nil:
		r.fail(n, "must be a whole number")
	case high == math.MaxInt && v < low:
		r.fail(n, "must be %d or more", low)
	case v < low || v > high:
		r.fail(n, "must be from %d to %d", low, high)
	default:
		return v
	}
	return low
}

// boolean returns true or false, false after a fault.
func (r *reader) boolean(n *node) bool {
	b, ok := n.value.(bool)
	if !ok {
		r.fail(n, "must be true or false")
	}
	return b
}

// isTrue accepts only true.
func (r *reader) isTrue(n *node) bool {
	if n.value != true {
		r.fail(n, "can only be true")
		return false
	}
	return true
}

func sortedKeys(fields map[string]*node) []string {
	keys := make([]string, 0, len(fields))
	for key := range fields {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
