package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// Formats of a report.
const (
	FormatMarkdown = "markdown"
	FormatJSON     = "json"
	FormatSARIF    = "sarif"
	FormatSVG      = "svg" // only the picture of the map
)

// Formats lists all formats.
var Formats = []string{FormatMarkdown, FormatJSON, FormatSARIF, FormatSVG}

// maxPicture is the maximum length of a picture's file name in bytes.
const maxPicture = 255

// ErrNoPicture reports that the realm has no country to draw.
var ErrNoPicture = errors.New("this realm has no map: no folder is linked to it")

// Want describes the requested report.
type Want struct {
	Format string // one of Formats
	// Picture is the name of the file with the map beside a Markdown report, "" for a report
	// without a map.
	Picture string
	// Conversation is the conversation of the process, or of the session of a coding agent, that the report is about, ""
	// for a report about the whole realm and its present process.
	Conversation string
	// Public is set for spectators: private conversations that are not shared are not found, and the report has nothing
	// of the ledger (P17.5).
	Public bool
}

// Check returns an error, as a sentence, for an invalid Want.
func (w Want) Check() error {
	switch {
	case !slices.Contains(Formats, w.Format):
		return errors.New("format must be one of " + strings.Join(Formats, ", "))
	case w.Picture == "":
		return nil
	case w.Format != FormatMarkdown:
		return errors.New("picture is only for markdown reports, which refer to that file, and not for " + w.Format)
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

// Source has the data from which a report is made.
type Source struct {
	World   *world.World
	Land    *world.Land
	Checks  []inspect.Check // they describe the rules of findings (inspect/heroes.Checks)
	Version string          // the program's version
	Now     time.Time
	// Process is the head of the conversation of the process that the report is about. If it is nil, the report is about
	// the whole realm and its present process.
	Process *world.Conversation
	// Said has the rows of that process's transcript or, if it was not ended early, those of people. A report shows those
	// that no artifact has.
	Said []world.Message
	// Remarks is what people said to everybody. A report about one process has those that were made during it among
	// what was said there.
	Remarks []world.Remark
	Change  *Change // nil unless this is a review of a change
	// Session is the head of the conversation if the report is the summary of a session of a coding agent, else nil. Rows
	// has its rows, and behind them those of its sub-agents. Whole is set if the summary may have what is in the ledger.
	Session *world.Conversation
	Rows    []world.Message
	Whole   bool

	overtaken bool // a later review has taken over the findings of Process
}

// ErrSessionFormat reports that a session has no report in the requested format.
var ErrSessionFormat = errors.New("a session of a coding agent has a report as markdown and json")

// Make returns a report. The error is that of Check for an invalid Want, ErrNoPicture, ErrSessionFormat or
// ErrOvertaken.
func Make(s Source, want Want) (*File, error) {
	if err := want.Check(); err != nil {
		return nil, err
	}
	if s.Process != nil {
		s.overtaken = overtaken(s.World, s.Process)
		if s.overtaken && want.Format == FormatSARIF {
			return nil, ErrOvertaken
		}
		s.World = ofProcess(s.World, s.Process)
		if s.overtaken {
			s.World.Findings = nil
		}
	}
	stem := fmt.Sprintf("%s-%s", slug(s.World.Realm.Name), s.Now.UTC().Format("2006-01-02"))
	if s.Session != nil {
		stem = fmt.Sprintf("%s-%s", slug(s.Session.Title), s.Session.CreatedAt.Go().UTC().Format("2006-01-02"))
	}
	switch {
	case s.Session != nil && want.Format == FormatJSON:
		data, err := s.sessionJSON()
		return &File{stem + ".json", "application/json", data}, err
	case s.Session != nil && want.Format != FormatMarkdown:
		return nil, ErrSessionFormat
	}
	switch want.Format {
	case FormatMarkdown:
		if s.Session != nil {
			return &File{stem + ".md", "text/markdown; charset=utf-8", []byte(s.sessionText())}, nil
		}
		return &File{stem + ".md", "text/markdown; charset=utf-8", []byte(Markdown(s, want.Picture))}, nil
	case FormatJSON:
		data, err := JSON(s)
		return &File{stem + ".json", "application/json", data}, err
	case FormatSARIF:
		data, err := SARIF(s)
		return &File{stem + ".sarif", "application/sarif+json", data}, err
	}
	svg := Picture(s.World, s.Land)
	if svg == "" {
		return nil, ErrNoPicture
	}
	return &File{stem + "-map.svg", "image/svg+xml", []byte(svg)}, nil
}

// slug turns a name into a file name that every file system accepts.
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
	out = cmp.Or(strings.Trim(out, "-"), "report")
	return out[:min(len(out), 60)]
}
