package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"agentdungeon/shared/world"
)

// Formats of a report.
const (
	FormatMarkdown = "markdown"
	FormatJSON     = "json"
	FormatSARIF    = "sarif"
	FormatSVG      = "svg" // the picture of the map alone
)

// Formats lists all formats.
var Formats = []string{FormatMarkdown, FormatJSON, FormatSARIF, FormatSVG}

// maxPicture is the maximum length of a picture's file name in bytes.
const maxPicture = 255

// ErrNoPicture means that the world has no country to draw.
var ErrNoPicture = errors.New("this realm has no map: no folder is linked to it")

// Want describes the requested report.
type Want struct {
	Format string // one of Formats
	// Picture is the file beside a Markdown report that has the map, or "" for a report without
	// a map.
	Picture string
}

// Check returns an error, as a sentence, for an invalid Want.
func (w Want) Check() error {
	switch {
	case !slices.Contains(Formats, w.Format):
		return errors.New("format must be one of " + strings.Join(Formats, ", "))
	case w.Picture == "":
		return nil
	case w.Format != FormatMarkdown:
		return errors.New("picture is the file that a markdown report refers to; " + w.Format + " refers to none")
	case len(w.Picture) > maxPicture || strings.ContainsAny(w.Picture, "/\\") ||
		strings.ContainsFunc(w.Picture, unicode.IsControl):
		return fmt.Errorf("picture must be the name of a file in the report's folder, of at most %d bytes", maxPicture)
	}
	return nil
}

// File is a finished report.
type File struct {
	Name string // the suggested file name
	Type string // the media type
	Data []byte
}

// Make writes a report. version is the program's version. It returns ErrNoPicture if there is no map to
// draw, and the error of Check for an invalid Want.
func Make(w *world.World, l *world.Land, want Want, version string, now time.Time) (*File, error) {
	if err := want.Check(); err != nil {
		return nil, err
	}
	stem := fmt.Sprintf("%s-%s", slug(w.Realm.Name), now.UTC().Format("2006-01-02"))
	switch want.Format {
	case FormatMarkdown:
		return &File{stem + ".md", "text/markdown; charset=utf-8", []byte(Markdown(w, l, want.Picture, now))}, nil
	case FormatJSON:
		data, err := JSON(w, l, version, now)
		return &File{stem + ".json", "application/json", data}, err
	case FormatSARIF:
		data, err := SARIF(w, version)
		return &File{stem + ".sarif", "application/sarif+json", data}, err
	}
	svg := Picture(w, l)
	if svg == "" {
		return nil, ErrNoPicture
	}
	return &File{stem + "-map.svg", "image/svg+xml", []byte(svg)}, nil
}

// slug turns a name into one that every file system accepts.
func slug(name string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	out = strings.Trim(out, "-")
	if out == "" {
		out = "report"
	}
	return out[:min(len(out), 60)]
}

// standing returns the findings that were not withdrawn, most severe first.
func standing(w *world.World) (out, withdrawn []world.Finding) {
	for _, f := range w.Findings {
		if f.Withdrawn == "" {
			out = append(out, f)
		} else {
			withdrawn = append(withdrawn, f)
		}
	}
	slices.SortStableFunc(out, func(a, b world.Finding) int {
		if d := slices.Index(world.Severities, b.Severity) - slices.Index(world.Severities, a.Severity); d != 0 {
			return d
		}
		if d := strings.Compare(a.Path, b.Path); d != 0 {
			return d
		}
		return a.Line - b.Line
	})
	return out, withdrawn
}

// salvaged returns a sentence on what was lost through damage.
func salvaged(s *world.Salvage) string {
	return fmt.Sprintf("The realm's database was damaged. What could be read on %s is here: %s.",
		s.At.Go().UTC().Format("2006-01-02"), s)
}

// finalReport returns the artifact that ends a review, or "".
func finalReport(w *world.World) string {
	for _, a := range slices.Backward(w.Artifacts) {
		if a.Name == "final_report" || a.Name == "final_output" || a.Name == "synthesis_output" {
			return a.Text
		}
	}
	return ""
}

// Markdown returns the report for people. It escapes everything that others have written, so that a
// file name or a line of code cannot become markup or control a terminal. picture is the name of the
// file with the map, or ""; it is not used if there is no map.
func Markdown(w *world.World, l *world.Land, picture string, now time.Time) string {
	found, withdrawn := standing(w)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", Escape(w.Realm.Name))
	if p := &w.ProcessState; p.Template != nil {
		fmt.Fprintf(&b, "%s, %s: %s\n\n", Escape(p.Template.Name), state(p), Escape(firstLine(p.ProblemStatement)))
	}
	if s := w.Salvage; s != nil {
		fmt.Fprintf(&b, "%s\n\n", Escape(salvaged(s)))
	}
	if text := finalReport(w); text != "" {
		b.WriteString(strings.TrimSpace(text) + "\n\n")
	}
	b.WriteString("## Numbers\n\n")
	fmt.Fprintf(&b, "| | |\n|---|---|\n| files | %d |\n| folders | %d |\n| bytes | %d |\n", l.Map.Files, l.Map.Folders,
		l.Map.Bytes)
	for _, s := range slices.Backward(world.Severities) {
		n := 0
		for _, f := range found {
			if f.Severity == s {
				n++
			}
		}
		fmt.Fprintf(&b, "| findings, %s | %d |\n", s, n)
	}
	fmt.Fprintf(&b, "| findings withdrawn | %d |\n| quests, done of all | %d of %d |\n| written | %s |\n\n",
		len(withdrawn), done(w), len(w.Quests), now.UTC().Format("2006-01-02 15:04 MST"))
	if picture != "" && Picture(w, l) != "" {
		fmt.Fprintf(&b, "## Map\n\n![The map: each house a folder, red where findings are](%s)\n\n",
			uri(strings.ReplaceAll(picture, "%", "%25")))
	}
	b.WriteString("## Findings\n\n")
	if len(found) == 0 {
		b.WriteString("None.\n\n")
	}
	for i, f := range found {
		fmt.Fprintf(&b, "### %d. %s\n\n%s, %s, by %s\n\n", i+1, Escape(f.Title), f.Severity, place(&f), Escape(f.AgentID))
		if f.Evidence == "" && f.Why == "" && f.Advice == "" {
			b.WriteString(Escape(f.Text) + "\n\n")
			continue
		}
		b.WriteString(fence(f.Evidence))
		fmt.Fprintf(&b, "Why: %s\n\nWhat to do: %s\n\n", Escape(f.Why), Escape(f.Advice))
	}
	if len(withdrawn) > 0 {
		b.WriteString("## Withdrawn\n\n")
		for _, f := range withdrawn {
			fmt.Fprintf(&b, "- %s (%s): %s\n", Escape(f.Title), place(&f), Escape(f.Withdrawn))
		}
		b.WriteString("\n")
	}
	if len(w.Quests) > 0 {
		b.WriteString("## Quests\n\n")
		for _, q := range w.Quests {
			mark := " "
			if q.Status == world.QuestDone {
				mark = "x"
			}
			fmt.Fprintf(&b, "- [%s] %s (%s priority", mark, Escape(q.Title), q.Priority)
			if q.Owner != "" {
				b.WriteString(", " + Escape(q.Owner))
			}
			if q.Note != "" {
				b.WriteString("; " + Escape(q.Note))
			}
			b.WriteString(")\n")
		}
		b.WriteString("\n")
	}
	return world.Visible(strings.TrimRight(b.String(), "\n") + "\n")
}

func state(p *world.ProcessState) string {
	if st := p.Stage(); p.Status != world.StatusCompleted && st != nil {
		return fmt.Sprintf("stage %d of %d (%s)", p.CurrentStageIndex+1, len(p.Template.Stages), Escape(st.Name))
	}
	return p.Status
}

func done(w *world.World) (n int) {
	for _, q := range w.Quests {
		if q.Status == world.QuestDone {
			n++
		}
	}
	return n
}

func place(f *world.Finding) string {
	switch {
	case f.Path == "":
		return "the whole repository"
	case f.Line > 0:
		return fmt.Sprintf("%s:%d", Code(f.Path), f.Line)
	}
	return Code(f.Path)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// Escape returns text on one line, without any effect as Markdown.
func Escape(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if strings.ContainsRune("\\`*_{}[]<>#|!&~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Code returns a word as Markdown code, whatever backticks it contains.
func Code(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
	ticks := strings.Repeat("`", longest(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// fence returns lines as a code block.
func fence(s string) string {
	if s == "" {
		return ""
	}
	ticks := strings.Repeat("`", max(3, longest(s)+1))
	return ticks + "text\n" + strings.TrimRight(s, "\n") + "\n" + ticks + "\n\n"
}

// longest returns the length of the longest run of backticks.
func longest(s string) int {
	most, run := 0, 0
	for _, r := range s {
		if r == '`' {
			run++
			most = max(most, run)
		} else {
			run = 0
		}
	}
	return most
}
