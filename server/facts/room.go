package facts

import (
	"encoding/json"

	"agentdungeon/shared/world"
)

const (
	// maxAnswer limits an answer, in bytes of JSON: about 8,000 tokens of a model.
	maxAnswer = 24 << 10
	// Limits of one text in an answer, in bytes.
	maxShort = 300
	maxText  = 3_000
)

// Limits of lists. A caller may ask for fewer or more items than defaultItems.
const (
	defaultItems = 20
	maxItems     = 100
)

// Limited is how many items an answer has.
type Limited struct {
	Limit int `json:"limit,omitempty" jsonschema:"the most items to answer, 1 to 100; 20 without it"`
}

func (l Limited) first(n int) int {
	if l.Limit == 0 {
		l.Limit = defaultItems
	}
	return min(n, l.Limit)
}

// room is how much an answer can still hold, in bytes.
type room struct{ left int }

// newRoom returns the room for the items of an answer about a realm. The names of its fields and its few single values
// take less than 1,000 bytes; what is longer, such as a text of a file, counts as an item.
func newRoom(of Of) room {
	r := room{maxAnswer - 1_000}
	fit(&r, []Of{of})
	return r
}

// fit returns the first items that the room has space for, and how many it has left out. The result is never nil.
func fit[T any](r *room, items []T) (kept []T, leftOut int) {
	kept = []T{}
	for i, item := range items {
		text, err := json.Marshal(item)
		if err != nil { // cannot be: the types are of this package
			return kept, len(items) - i
		}
		if r.left -= len(text) + 1; r.left < 0 {
			r.left = 0
			return kept, len(items) - i
		}
		kept = append(kept, item)
	}
	return kept, 0
}

// short returns a text for one line of an answer.
func short(s string) string { return cut(s, maxShort) }

// cut returns a text of at most about limit bytes, which says so if it was cut.
func cut(s string, limit int) string {
	if out, was := world.Cut(s, limit); was {
		return out + " [cut]"
	}
	return s
}
