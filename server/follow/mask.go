package follow

import (
	"regexp"
	"slices"
	"strings"

	"agentdungeon/server/inspect/sentinel"
	"agentdungeon/server/shadow"
	"agentdungeon/server/withheld"
)

// Secrets are masked in each whole record, before anything of it leaves this package. A text that the reader has cut
// can end within a secret that no rule knows any more, so a long word at such an end goes, too.

// masks masks secrets in the reason of a session's state. It remembers the last one, because a state is asked for
// often.
type masks struct{ last, masked string }

// reason masks a reason such as "Bash: touch x" of a session at work in dir: secrets, and the content of files that git
// ignores (P17.9).
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

// endOfWord matches what may be the beginning of a secret at the end of a cut text, with the mark of the cut.
var endOfWord = regexp.MustCompile(`[A-Za-z0-9_+/=~.-]{6,}(?:…|\.\.\.)?$`)

// mask masks the secrets of a text that its reader cuts at limit bytes.
func mask(text string, limit int) string {
	const margin = 8 // a cut leaves no half character, and some add a mark
	cut := len(text) >= limit-margin
	text = sentinel.Mask(text)
	if !cut {
		return text
	}
	at := max(0, len(text)-512) // no key of a service is longer
	end := text[at:]
	if i := endOfWord.FindStringIndex(end); i != nil {
		return strings.ToValidUTF8(text[:at+i[0]], "") + "[cut]"
	}
	return text
}

// withoutSecrets returns entries of a session at work in dir without secrets and without the content of files that git
// ignores. The caller's are not changed.
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

// withhold takes out of a call what is not kept because git ignores a file that it names (P17.9).
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
