package facts

import (
	"encoding/json"

	"agentdungeon/shared/world"
)

const (
	// maxAnswer limits an answer, in bytes of JSON: about 8,000 tokens of a model.
	maxAnswer = 24 << 10
	// Limits of a single text in an answer, in bytes.
	maxShort = 300
	maxText  = 3_000
)

// Limits of lists. A caller may ask for fewer or more items than defaultItems.
const (
	defaultItems = 20
	maxItems     = 100
)

// Limited has the number of items that a caller asks for; 0 for defaultItems.
type Limited struct {
	Limit int `json:"limit,omitempty" jsonschema:"the most items to answer, 1 to 100; 20 without it"`
}

func (l Limited) first(n int) int {
	if l.Limit == 0 {
		l.Limit = defaultItems
	}
	return min(n, l.Limit)
}

// room counts how many bytes of items an answer can still take.
type room struct{ left int }

// newRoom returns the room for the items of an answer about a realm. It subtracts 1,000 bytes for the names of the
// answer's fields and its few single values. A longer value, such as the text of a file, has to be counted as an item.
func newRoom(of Of) room {
	r := room{maxAnswer - 1_000}
	fit(&r, []Of{of})
	return r
}

// fit returns as many of the first items as the room has space for, and the number of items that it left out. kept is
// never nil.
func fit[T any](r *room, items []T) (kept []T, leftOut int) {
	kept = []T{}
	for i, item := range items {
		text, err := json.Marshal(item)
		if err != nil { // cannot happen: only types of this package are encoded
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

// short returns at most about maxShort bytes of a text.
func short(s string) string { return cut(s, maxShort) }

// cut returns at most about limit bytes of a text. A text that was cut ends with a note that says so.
func cut(s string, limit int) string {
	if out, was := world.Cut(s, limit); was {
		return out + " [cut]"
	}
	return s
}
