package follow

import (
	"regexp"
	"slices"
	"strings"

	"agentdungeon/server/inspect/sentinel"
	"agentdungeon/server/shadow"
)

// Secrets are masked in each whole record, before anything of it leaves this package. A text that the reader has cut
// can end within a secret that no rule knows any more, so a long word at such an end goes, too.

// masks masks secrets in texts. It remembers the last text, because a state is asked for often.
type masks struct{ last, masked string }

// short masks a text of at most shadow.MaxReason bytes, such as a title or a reason.
func (m *masks) short(text string) string {
	if text == m.last {
		return m.masked
	}
	m.last, m.masked = text, mask(text, shadow.MaxReason)
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

// withoutSecrets returns entries without secrets. The caller's are not changed.
func withoutSecrets(all []shadow.Entry) []shadow.Entry {
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
			tool.Input = mask(tool.Input, shadow.MaxInput)
			tool.Brief = mask(tool.Brief, shadow.MaxReason)
			e.Tool = &tool
		}
	}
	return all
}
