package source

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentdungeon/server/inspect"
	"agentdungeon/server/inspect/secrets"
	"agentdungeon/server/report"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// maxReason is the maximum length of the reason for which a finding is accepted, in bytes.
const maxReason = 300

// reasonPlace is the end of Finding.Accept. The reason replaces the word REASON.
const reasonPlace = " -- REASON"

// Accept accepts a finding (P19.7): it returns the line for the repository's file of accepted findings and, if asked,
// adds the line. write adds a line to the file in a linked folder. Errors for people are *wire.Error.
func Accept(ctx context.Context, r Realm, a wire.FindingAccept,
	write func(ctx context.Context, folder, line string) (bool, error)) (*wire.FindingAccepted, error) {
	w, err := r.World(ctx)
	if err != nil {
		return nil, err
	}
	if w.Realm.Path == "" {
		return nil, wire.Errorf(wire.NotFound, "no folder is linked to this realm")
	}
	line, e := lineFor(w, a)
	if e != nil {
		return nil, e
	}
	out := &wire.FindingAccepted{Path: inspect.ExcusesFile, Line: line}
	if a.Write {
		out.Written, err = write(ctx, w.Realm.Path, line)
	}
	return out, err
}

// Accepted returns which findings of a realm the repository accepts at present (P19.9), and so the next review leaves
// out. read returns the text of the file of accepted findings in a linked folder, nil for none.
func Accepted(ctx context.Context, r Realm,
	read func(ctx context.Context, folder string) ([]byte, error)) (*wire.FindingsAccepted, error) {
	w, err := r.World(ctx)
	if err != nil {
		return nil, err
	}
	out := &wire.FindingsAccepted{Findings: []string{}}
	if w.Realm.Path == "" {
		return out, nil
	}
	text, err := read(ctx, w.Realm.Path)
	if err != nil {
		return nil, err
	}
	accepted := report.Accepted(inspect.ParseExcuses(text), w.Findings)
	for i := range w.Findings {
		if id := w.Findings[i].ID; accepted[id] {
			out.Findings = append(out.Findings, id)
		}
	}
	return out, nil
}

// lineFor returns the line that accepts a finding.
func lineFor(w *world.World, a wire.FindingAccept) (string, *wire.Error) {
	reason := strings.TrimSpace(a.Reason)
	switch {
	case reason == "" || len(reason) > maxReason || !plainLine(reason):
		return "", wire.Errorf(wire.BadField, "reason must be one line of 1 to %d bytes", maxReason)
	case secrets.Mask(reason) != reason:
		return "", wire.Errorf(wire.BadField, "reason must not hold a secret")
	}
	for i := range w.Findings {
		f := &w.Findings[i]
		if f.ID != a.FindingID {
			continue
		}
		what, ok := strings.CutSuffix(f.Accept, reasonPlace)
		switch {
		case f.Withdrawn != "":
			return "", wire.Errorf(wire.Conflict, "this finding is withdrawn already")
		case !ok || what == "" || !plainLine(what) || strings.HasPrefix(what, "#"):
			return "", wire.Errorf(wire.Conflict, "this finding cannot be accepted")
		}
		return what + " -- " + reason, nil
	}
	return "", wire.Errorf(wire.NotFound, "there is no finding %.64s", a.FindingID)
}

// plainLine reports whether a text is one line without control characters, so that it is shown as it is written.
func plainLine(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
	})
}
