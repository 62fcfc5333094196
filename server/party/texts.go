package party

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"agentdungeon/server/jsonfile"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Texts that document 002 or a rule of shared/RULES.md fixes word for word. The page has the texts of its own questions
// (S2-B6) in client/src/words-party.ts.
const (
	firstMustBeHuman = "First message must be from a human member"                  // S2-B11
	noTeam           = "No team loaded. Use /team deploy <config> first"            // S2-B11
	noTeamToRestore  = "Team must be set before restoring session"                  // S2-04
	invalid          = "Invalid session snapshot"                                   // S2-17: before the field
	teamRequired     = "Error: --team is required"                                  // S2-B7
	bothAsked        = "Error: --resume and --no-resume exclude each other"         // S2-B7
	PreviousExists   = "Note: Previous session exists. Use --resume to restore, " + // S2-B7
		"or --no-resume to suppress this message."
)

// fixedText returns an error with one of the texts above. Unlike other errors, it may begin with a capital letter.
func fixedText(text string) error { return errors.New(text) }

// NotFound is the error for a resume of a session that the team does not have (S2-05).
func NotFound(sessionID, teamID string) string {
	return fmt.Sprintf("Session '%s' not found for team '%s'.\n"+
		"Use --resume without ID to restore the latest session, or start a new session.", sessionID, teamID)
}

// mismatch is the error for a request to resume another team's session (S2-06).
func mismatch(theirs, ours string) string {
	return fmt.Sprintf("Session teamId mismatch: snapshot is for team '%s', but current team is '%s'.\n"+
		"Please use the correct team configuration.", theirs, ours)
}

// noneToResume is the error for --resume if the team has no session (S2-B7).
func noneToResume(teamID string) string {
	return fmt.Sprintf("No previous session to resume for team '%s'. Start a new session.", teamID)
}

// missingText returns the warning about speakers who are not in the team (S2-09).
func missingText(missing []world.MissingMember) string {
	names := make([]string, len(missing))
	for i, m := range missing {
		names[i] = m.Name
	}
	return "⚠️  Some speakers in history are not in current team: " + strings.Join(names, ", ") + "\n" +
		"   Their messages will be displayed with original names."
}

// unknownSender is the error for words whose sender is unknown (S2-B10). The parameter can lists the ids of the
// members that the sender may name.
func unknownSender(can []string) string {
	if len(can) == 0 {
		return "Cannot tell who is speaking: everybody of this team has somebody here already"
	}
	return "Cannot tell who is speaking. Please end the message with [FROM:xxx], one of: " + strings.Join(can, ", ")
}

// fromIgnored returns the note that a [FROM: ...] was ignored. from is the name in the marker; id is the id of the
// member as whom the sender speaks.
func fromIgnored(t world.Team, from, id string) string {
	return fmt.Sprintf("[FROM: %s] was not followed: the connection says who speaks, and this one speaks as %s.",
		jsonfile.Clip(from, wire.MaxName), nameOf(t, id))
}

// titleTime is the form of a time in a title, as en-US writes it: "Nov 27, 03:04 PM".
const titleTime = "Jan 2, 03:04 PM"

// restoredTitle returns the title of a restored session: "Restored - " and the time of its last change in
// zone (S2-12).
func restoredTitle(updated time.Time, zone *time.Location) string {
	return "Restored - " + updated.In(zone).Format(titleTime)
}

// maxSummary is how many characters of the first message a summary quotes (S2-B3).
const maxSummary = 50

// summary describes a session: 15 messages - "first words...". The words are on one line and without
// markers. Dots show that something is missing.
func summary(messages int, first string) string {
	words := strings.Join(strings.Fields(Bare(first)), " ")
	if runes := []rune(words); len(runes) > maxSummary {
		words = strings.TrimRight(string(runes[:maxSummary]), " ") + "..."
	}
	noun := "messages"
	if messages == 1 {
		noun = "message"
	}
	return fmt.Sprintf("%d %s - \"%s\"", messages, noun, words)
}
