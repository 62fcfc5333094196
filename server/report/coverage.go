package report

import (
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// CoverageArtifact is the name of the artifact that records what a review has read.
const CoverageArtifact = "coverage"

// coverageHead is the heading of the section about what was read and what was not, the first section of a report.
const coverageHead = "## Coverage\n\n"

// coverageOf returns what the newest review has read, nil if no review has recorded it.
func coverageOf(w *world.World) *world.Coverage {
	for _, a := range slices.Backward(w.Artifacts) {
		if a.Coverage != nil {
			return a.Coverage
		}
	}
	return nil
}

// Coverage returns, as Markdown, a section that says in a few sentences what was read and what was not.
func Coverage(c *world.Coverage) string { return coverageHead + Escape(coverageText(c)) + "\n" }

// CoverageDetails returns, as Markdown, a section with the sentences of CoverageLines, for the end of a report.
func CoverageDetails(c *world.Coverage) string { return "## Coverage in detail\n\n" + CoverageList(c) }

// namedLanguages is the number of languages that coverageText names; it counts the files of all others.
const namedLanguages = 4

// coverageText says in a few sentences what was read, what was not, and in which languages nothing is known.
func coverageText(c *world.Coverage) string {
	var named []string
	others, unread, foreign := 0, 0, 0
	for i := range c.Languages {
		l := &c.Languages[i]
		read := l.Own() - l.Unread.Files
		unread, foreign = unread+l.Unread.Files, foreign+l.Foreign.Files
		if read > 0 && l.Code && len(named) < namedLanguages {
			named = append(named, some(read, l.Lang+" file"))
		} else {
			others += read
		}
	}
	if others > 0 {
		named = append(named, some(others, "other file"))
	}
	text := "No file was read."
	if len(named) > 0 {
		text = "Read: " + joined(named) + "."
	}
	if unread > 0 {
		text += " Not read: " + some(unread, "file") + " (links, too large, or not text)."
	}
	if foreign > 0 {
		text += " Left out as third-party or generated: " + some(foreign, "file") + "."
	}
	if langs, share := unknownShares(c); len(langs) > 0 {
		if share != "" {
			text += " " + share + " of the lines of code are in languages that a check knows."
		}
		text += fmt.Sprintf(" What the code in %s does is unknown: no finding there does not mean that it is sound.",
			joined(langs))
	}
	return text + " The end of the report has the details."
}

// unknownShares returns the languages of which nothing is known, each with its amount of code, and the percentage of
// the lines of code that are in the other languages; "" if a file could not be read, so that its lines are unknown.
func unknownShares(c *world.Coverage) (langs []string, share string) {
	all, unknown, counted := 0, 0, true
	for i := range c.Languages {
		l := &c.Languages[i]
		if !l.Code || l.Own() == 0 {
			continue
		}
		lines := l.Parsed.Lines + l.Matched.Lines
		all += lines
		if !l.Unknown() {
			continue
		}
		unknown += lines
		amount := some(lines, "line")
		if lines == 0 {
			amount, counted = some(l.Own(), "file"), false
		}
		langs = append(langs, fmt.Sprintf("%s (%s)", l.Lang, amount))
	}
	if !counted || all == 0 || unknown == all {
		return langs, ""
	}
	return langs, fmt.Sprintf("%d %%", 100*(all-unknown)/all)
}

func joined(items []string) string {
	last := len(items) - 1
	if last < 1 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

// CoverageList returns the sentences of CoverageLines as a list in Markdown.
func CoverageList(c *world.Coverage) string {
	var b strings.Builder
	for _, line := range CoverageLines(c) {
		b.WriteString("- " + Escape(line) + "\n")
	}
	return b.String()
}

// CoverageLines returns sentences about what a review has read and what not: those of CoverageRead, then what the
// checks looked for and what limits left out.
func CoverageLines(c *world.Coverage) []string {
	out := CoverageRead(c)
	var known []*world.Covered
	for i := range c.Languages {
		if l := &c.Languages[i]; named(l) && l.Own() > l.Unread.Files {
			known = append(known, l)
		}
	}
	out = append(out, soughtIn("syntax", known, func(l *world.Covered) []string { return l.Trees })...)
	out = append(out, soughtIn("text", known, func(l *world.Covered) []string { return l.Texts })...)
	if len(c.General) > 0 {
		out = append(out, fmt.Sprintf("In names, sizes and any text that was read: %s.",
			strings.Join(c.General, ", ")))
	}
	return append(out, c.Limits...)
}

// CoverageRead returns sentences about what a review has read: one for each programming language and each other
// language that a check knows, and one for all other files.
func CoverageRead(c *world.Coverage) (out []string) {
	rest := world.Covered{}
	for i := range c.Languages {
		l := &c.Languages[i]
		if named(l) {
			out = append(out, covered(l))
			continue
		}
		for to, more := range map[*world.Amount]world.Amount{
			&rest.Parsed: l.Parsed, &rest.Matched: l.Matched, &rest.Unread: l.Unread, &rest.Foreign: l.Foreign,
		} {
			to.Files, to.Lines = to.Files+more.Files, to.Lines+more.Lines
		}
	}
	if rest.Own()+rest.Foreign.Files > 0 {
		out = append(out, "Other files: "+amounts(&rest)+".")
	}
	return out
}

// named reports whether a language has a sentence of its own.
func named(l *world.Covered) bool { return l.Own() > 0 && (l.Code || len(l.Trees)+len(l.Texts) > 0) }

// soughtIn returns sentences about what the checks looked for, in the syntax or in the text of each language.
// Languages for which they looked for the same things share a sentence.
func soughtIn(what string, langs []*world.Covered, kinds func(*world.Covered) []string) (out []string) {
	var lists []string
	of := map[string][]string{}
	for _, l := range langs {
		list := strings.Join(kinds(l), ", ")
		if list == "" {
			continue
		}
		if of[list] == nil {
			lists = append(lists, list)
		}
		of[list] = append(of[list], l.Lang)
	}
	for _, list := range lists {
		out = append(out, fmt.Sprintf("Looked for in the %s of %s: %s.", what, strings.Join(of[list], ", "), list))
	}
	return out
}

// covered returns the sentence about one language.
func covered(l *world.Covered) string {
	text := fmt.Sprintf("%s: %s.", l.Lang, amounts(l))
	switch {
	case l.Own() == l.Unread.Files:
		text += fmt.Sprintf(" What is in %s is unknown, not clean.", l.Lang)
	case l.Unknown():
		text += fmt.Sprintf(" No check knows %s: what its code does is unknown, not clean.", l.Lang)
	}
	return text
}

func amounts(l *world.Covered) string {
	var parts []string
	for _, a := range []struct {
		world.Amount
		how string
	}{
		{l.Parsed, "read as syntax"}, {l.Matched, "read as text"}, {l.Unread, "not read"},
		{l.Foreign, "third-party or generated"},
	} {
		switch {
		case a.Files > 0 && a.Lines > 0:
			parts = append(parts, fmt.Sprintf("%s, %s %s", some(a.Files, "file"), some(a.Lines, "line"), a.how))
		case a.Files > 0:
			parts = append(parts, fmt.Sprintf("%s %s", some(a.Files, "file"), a.how))
		}
	}
	return strings.Join(parts, "; ")
}

// some returns a number with its noun: "1 file", "3 files".
func some(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return inspect.Count(n) + " " + noun + "s"
}
