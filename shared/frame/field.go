package frame

import (
	"bytes"
	"encoding/json"
)

// Field decodes the string in a field of a frame, and nothing that comes after the field. It returns "" if the frame
// has no such field.
func Field(raw []byte, name string) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil { // the opening brace of the object
		return ""
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return ""
		}
		if key == name {
			var value string
			if dec.Decode(&value) != nil {
				return ""
			}
			return value
		}
		var other json.RawMessage
		if dec.Decode(&other) != nil {
			return ""
		}
	}
	return ""
}
