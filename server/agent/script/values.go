package script

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"agentdungeon/server/jsonfile"
)

// maxFaults is the number of faults of a file that one error lists.
const maxFaults = 10

// node is a value of the file with its path, such as turns[2].steps[0].say. value is nil for a null and for a missing
// field.
type node struct {
	at    string
	value any
}

// reader reads values of a script. If a value has a fault, reader records the fault and returns an empty value.
type reader struct{ *jsonfile.Reader }

// object returns the fields of n that the file has. Fields that are not in known are faults.
func (r reader) object(n node, known ...string) map[string]node {
	fields := map[string]node{}
	for key, value := range r.Object(n.value, n.at, known...) {
		fields[key] = node{jsonfile.Field(n.at, key), value}
	}
	return fields
}

// field returns a required field of n. If the field is missing, it returns a node without a value, so that reading the
// node records a fault.
func (n node) field(fields map[string]node, key string) node {
	if f, ok := fields[key]; ok {
		return f
	}
	return node{at: jsonfile.Field(n.at, key)}
}

// list returns the items of n. The list must have 1 to limit items.
func (r reader) list(n node, limit int) []node {
	var items []node
	for i, value := range r.List(n.value, n.at, 1, limit) {
		items = append(items, node{jsonfile.Index(n.at, i), value})
	}
	return items
}

func (r reader) str(n node) string { return r.String(n.value, n.at, true) }

// whole returns a whole number from low to high. After a fault it returns low.
func (r reader) whole(n node, low, high int) int { return r.Integer(n.value, n.at, low, high) }

// boolean returns true or false. After a fault it returns false.
func (r reader) boolean(n node) bool {
	b, ok := n.value.(bool)
	if !ok {
		r.Fail(n.at, "must be true or false")
	}
	return b
}

// isTrue accepts only true.
func (r reader) isTrue(n node) bool {
	if n.value != true {
		r.Fail(n.at, "can only be true")
		return false
	}
	return true
}

// limited reads a string of at most limit bytes.
func (r reader) limited(n node, limit int) string {
	s := r.str(n)
	if len(s) > limit {
		r.Fail(n.at, "is %d bytes long, at most %d fit", len(s), limit)
	}
	return s
}

// label reads a name of at most limit bytes. An empty name and one with a control character are errors.
func (r reader) label(n node, limit int) string {
	s := r.limited(n, limit)
	switch {
	case strings.TrimSpace(s) == "":
		r.Fail(n.at, "must not be empty")
	case strings.ContainsFunc(s, unicode.IsControl):
		r.Fail(n.at, "holds a control character")
	}
	return s
}

// words reads a non-empty text, which may have placeholders.
func (r reader) words(n node) string {
	s := r.str(n)
	if s == "" {
		r.Fail(n.at, `must not be empty; a turn without a word is {"empty": true}`)
	}
	return r.placeholders(n, s)
}

func (r reader) placeholders(n node, s string) string {
	found := placeholder.FindAllString(s, -1)
	if len(found) > maxPlaceholders {
		r.Fail(n.at, "has %d placeholders, at most %d fit", len(found), maxPlaceholders)
	}
	for _, p := range found {
		if !slices.Contains(placeholders, p) {
			r.Fail(n.at, "there is no placeholder %s; there are %s", clip(p, 64), strings.Join(placeholders, ", "))
			break
		}
	}
	return s
}

// pacing holds the default pace at which text is streamed; a step may override it.
type pacing struct {
	gap   time.Duration // time between two chunks
	words int           // number of words in a chunk
}

// pacing returns pace, with the values in fields in place of its own.
func (r reader) pacing(fields map[string]node, pace pacing) pacing {
	if n, ok := fields["chunkMs"]; ok {
		pace.gap = r.ms(n, 0, maxGap)
	}
	if n, ok := fields["chunkWords"]; ok {
		pace.words = r.whole(n, 1, maxChunkWords)
	}
	return pace
}

// ms reads a duration in milliseconds.
func (r reader) ms(n node, low, high int) time.Duration {
	return time.Duration(r.whole(n, low, high)) * time.Millisecond
}
