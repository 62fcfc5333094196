package hooks

import (
	"bytes"
	"encoding/json"
	"strings"
)

// spreadDepth is the depth down to which Spread gives each part a line of its own: the members of the root, the events
// in its member "hooks", and the entries for an event.
const spreadDepth = 3

// Spread returns settings, which are valid JSON, with a line for each entry of the hooks, so that people can read how
// settings that are written on few lines change. The content is the same.
func Spread(settings []byte) string {
	root, err := parse(settings)
	if err != nil {
		return string(settings)
	}
	var out strings.Builder
	spread(&out, settings, root, 0)
	return out.String() + "\n"
}

func spread(out *strings.Builder, text []byte, n *node, depth int) {
	if depth == spreadDepth || len(n.parts) == 0 {
		var line bytes.Buffer
		_ = json.Compact(&line, text[n.start:n.end]) // parse has checked that the text is valid JSON
		out.Write(line.Bytes())
		return
	}
	out.WriteByte(n.open)
	for i, p := range n.parts {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n" + strings.Repeat("  ", depth+1))
		if n.open == '{' {
			key := bytes.TrimRight(text[p.start:p.value.start], ": \t\r\n")
			out.Write(key)
			out.WriteString(": ")
		}
		spread(out, text, p.value, depth+1)
	}
	out.WriteString("\n" + strings.Repeat("  ", depth))
	out.WriteByte(n.open + 2) // in ASCII '}' and ']' come two after '{' and '['
}
