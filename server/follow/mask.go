package follow

import (
	"slices"
	"strings"

	"agentdungeon/server/inspect/secrets"
	"agentdungeon/server/shadow"
	"agentdungeon/server/withheld"
	"agentdungeon/shared/pattern"
)

// The rules for secrets look at each whole record before any part of the record leaves this package. If the reader
// has cut a text within a secret, no rule recognises the first part of the secret that remains. So a long word at
// the end of a cut text is removed too.

// masks masks secrets in the reason of a session's state. It remembers the last result, because the state of a
// session is read often and rarely changes.
type masks struct{ last, masked string }

// reason masks the reason of a session that works in dir, such as "Bash: touch x": secrets, and the content of files
// that git ignores (P17.9).
func (m *masks) reason(text, dir string, ignored func(path string) bool) string {
	if text == m.last {
		return m.masked
	}
	m.last, m.masked = text, mask(text, shadow.MaxReason)
	if tool, what, ok := strings.Cut(text, ": "); ok {
		if v := withheld.Call(dir, what, nil, ignored); v.Input {
			m.masked = tool + ": " + v.Names()
		}
	}
	return m.masked
}

// endOfWord matches a long word at the end of a cut text, with the dots that mark the cut. The word can be the
// beginning of a secret.
var endOfWord = pattern.New(`[A-Za-z0-9_+/=~.-]{6,}(?:…|\.\.\.)?$`)

// mask masks the secrets in a text. The reader cuts such texts at limit bytes.
func mask(text string, limit int) string {
	const margin = 8 // a cut text can be shorter than limit: a cut never splits a character, and some add a mark
	cut := len(text) >= limit-margin
	text = secrets.Mask(text)
	if !cut {
		return text
	}
	at := max(0, len(text)-512) // no service has keys of more than 512 bytes
	end := text[at:]
	if i := endOfWord.FindStringIndex(end); i != nil {
		return strings.ToValidUTF8(text[:at+i[0]], "") + "[cut]"
	}
	return text
}

// withoutSecrets returns copies of the entries of a session that works in dir, without secrets and without the content
// of files that git ignores.
func withoutSecrets(all []shadow.Entry, dir string, ignored func(path string) bool) []shadow.Entry {
	all = slices.Clone(all)
	for i := range all {
		e := &all[i]
		limit := shadow.MaxText
		switch {
		case e.Cut:
			limit = min(limit, len(e.Text))
		case e.Kind == shadow.Titled:
			limit = shadow.MaxReason
		}
		e.Text = mask(e.Text, limit)
		if e.Tool != nil {
			tool := *e.Tool
			withhold(&tool, dir, ignored)
			tool.Input = mask(tool.Input, shadow.MaxInput)
			tool.Brief = mask(tool.Brief, shadow.MaxReason)
			e.Tool = &tool
		}
	}
	return all
}

// withhold removes from a call what must not be kept because git ignores a file that the call names (P17.9).
func withhold(tool *shadow.Tool, dir string, ignored func(path string) bool) {
	var edited []string
	for _, f := range tool.Touches {
		if f.Edit {
			edited = append(edited, f.Path)
		}
	}
	v := withheld.Call(dir, tool.Input, edited, ignored)
	tool.Withheld = v.Output
	if v.Input {
		tool.Input, tool.Brief = v.Kept(), v.Names()
	}
}
