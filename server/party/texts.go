package party

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Texts that document 002 and its rows fix, word for word. What a page asks and offers
// (S2-B6) is the page's: client/src/words-party.ts.
const (
	FirstMustBeHuman = "First message must be from a human member"                                                        // S2-B11
	NoTeam           = "No team loaded. Use /team deploy <config> first"                                                  // S2-B11
	TeamRequired     = "Error: --team is required"                                                                        // S2-B7
	PreviousExists   = "Note: Previous session exists. Use --resume to restore, or --no-resume to suppress this message." // S2-B7
	bothAsked        = "Error: --resume and --no-resume exclude each other"                                               // S2-B7
	invalid          = "Invalid session snapshot"                                                                         // S2-17: and then the field
	noTeamToRestore  = "Team must be set before restoring session"                                                        // S2-04
)

// said is an error whose text is fixed, capital letters and all.
func said(text string) error { return errors.New(text) }

// NotFound is what a resume of a session says that the team does not have (S2-05).
func NotFound(sessionID, teamID string) string {
	return fmt.Sprintf("Session '%s' not found for team '%s'.\n"+
		"Use --resume without ID to restore the latest session, or start a new session.", sessionID, teamID)
}

// mismatch is what it says of another team's (S2-06).
func mismatch(theirs, ours string) string {
	return fmt.Sprintf("Session teamId mismatch: snapshot is for team '%s', but current team is '%s'.\n"+
		"Please use the correct team configuration.", theirs, ours)
}

// noneToResume is what --resume says of a team without a session (S2-B7).
func noneToResume(teamID string) string {
	return fmt.Sprintf("No previous session to resume for team '%s'. Start a new session.", teamID)
}

// tooNew and tooOld are what a snapshot of another version says (S2-B5).
func tooNew(v string) string {
	return fmt.Sprintf("Schema version %s is not supported. Please upgrade Agent Dungeon.", v)
}

func tooOld(v string) string {
	return fmt.Sprintf("Schema version %s is deprecated. Please migrate to %s.", v, SchemaVersion)
}

// MissingText warns of speakers whom the team does not have (S2-09), "" for none.
func MissingText(missing []Missing) string {
	if len(missing) == 0 {
		return ""
	}
	names := make([]string, len(missing))
	for i, m := range missing {
		names[i] = m.Name
	}
	return "⚠️  Some speakers in history are not in current team: " + strings.Join(names, ", ") + "\n" +
		"   Their messages will be displayed with original names."
}

// askFrom asks who speaks (S2-B10); can are the ids of those whom one may name.
func askFrom(can []string) string {
	if len(can) == 0 {
		return "Cannot tell who is speaking: everybody of this team has somebody here already"
	}
	return "Cannot tell who is speaking. Please end the message with [FROM:xxx], one of: " + strings.Join(can, ", ")
}

// RestoredTitle names a session that was taken up again, after the time of its last
// change in a zone, as en-US writes it: "Restored - Nov 27, 03:04 PM" (S2-12).
func RestoredTitle(updated time.Time, zone *time.Location) string {
	return "Restored - " + updated.In(zone).Format("Jan 2, 03:04 PM")
}

// MaxSummary is how many characters of the first message a summary quotes (S2-B3).
const MaxSummary = 50

// Summary says what a session is: 15 messages - "what was said first...". The words are
// on one line and without markers; dots stand where something is missing.
func Summary(messages int, first string) string {
	words := strings.Join(strings.Fields(Bare(first)), " ")
	if runes := []rune(words); len(runes) > MaxSummary {
		words = strings.TrimRight(string(runes[:MaxSummary]), " ") + "..."
	}
	return count(messages, "message") + ` - "` + words + `"`
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
