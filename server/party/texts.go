package party

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Texts that document 002 and its rows fix word for word. The page has the texts of its own questions
// (S2-B6) in client/src/words-party.ts.
const (
	FirstMustBeHuman = "First message must be from a human member"                                                        // S2-B11
	NoTeam           = "No team loaded. Use /team deploy <config> first"                                                  // S2-B11
	TeamRequired     = "Error: --team is required"                                                                        // S2-B7
	PreviousExists   = "Note: Previous session exists. Use --resume to restore, or --no-resume to suppress this message." // S2-B7
	bothAsked        = "Error: --resume and --no-resume exclude each other"                                               // S2-B7
	invalid          = "Invalid session snapshot"                                                                         // S2-17: and then the field
	noTeamToRestore  = "Team must be set before restoring session"                                                        // S2-04
)

// said returns an error with a fixed text, which may begin with a capital letter.
func said(text string) error { return errors.New(text) }

// NotFound is the error for a resume of a session that the team does not have (S2-05).
func NotFound(sessionID, teamID string) string {
	return fmt.Sprintf("Session '%s' not found for team '%s'.\n"+
		"Use --resume without ID to restore the latest session, or start a new session.", sessionID, teamID)
}

// mismatch is the error for a resume of another team's session (S2-06).
func mismatch(theirs, ours string) string {
	return fmt.Sprintf("Session teamId mismatch: snapshot is for team '%s', but current team is '%s'.\n"+
		"Please use the correct team configuration.", theirs, ours)
}

// noneToResume is the error for --resume if the team has no session (S2-B7).
func noneToResume(teamID string) string {
	return fmt.Sprintf("No previous session to resume for team '%s'. Start a new session.", teamID)
}

// tooNew and tooOld are the errors for a snapshot of another version (S2-B5).
func tooNew(v string) string {
	return fmt.Sprintf("Schema version %s is not supported. Please upgrade Agent Dungeon.", v)
}

func tooOld(v string) string {
	return fmt.Sprintf("Schema version %s is deprecated. Please migrate to %s.", v, SchemaVersion)
}

// MissingText returns the warning about speakers who are not in the team (S2-09), "" if there are none.
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

// askFrom returns the error that asks who speaks (S2-B10). can has the ids that the connection may name.
func askFrom(can []string) string {
	if len(can) == 0 {
		return "Cannot tell who is speaking: everybody of this team has somebody here already"
	}
	return "Cannot tell who is speaking. Please end the message with [FROM:xxx], one of: " + strings.Join(can, ", ")
}

// RestoredTitle returns the title of a restored session, with the time of its last change in a zone, as
// en-US writes it: "Restored - Nov 27, 03:04 PM" (S2-12).
func RestoredTitle(updated time.Time, zone *time.Location) string {
	return "Restored - " + updated.In(zone).Format("Jan 2, 03:04 PM")
}

// MaxSummary is the number of characters of the first message that a summary quotes (S2-B3).
const MaxSummary = 50

// Summary describes a session: 15 messages - "first words...". The words are on one line and without
// markers; dots show that something is missing.
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
