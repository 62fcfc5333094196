package world

import (
	"fmt"
	"slices"
	"strings"
)

// Redacted is the result of redacting a realm's rows.
type Redacted struct {
	Changed map[string]int // number of changed rows by table; see Receipt
	// Commands names the commands whose stored answers were deleted: only SpectatorID and
	// RequestID are set.
	Commands []CommandRow
}

// Keys of Receipt.Changed for damaged data.
const (
	UnreadableEvents = "unreadableEvents" // events that could not be read and were removed
	UnreadableRows   = "unreadableRows"   // rows whose text or speaker could not be read; they lost their text
	DamagedRows      = "damagedRows"      // damaged rows that were kept
)

// NewReceipt returns the receipt of an erasure that is about to end; DoneAt is not set. conversations are the ids
// of the conversations that were erased whole. w is the realm's world after the erasure. changed has the number of
// changed items by kind. removed lists the damaged files (set aside under another name) that the erasure removed.
// kept lists those that it left and, with the prefix "sessions/", the session files of an older program that are
// not imported yet.
func NewReceipt(e Erasure, conversations []string, w *World, changed map[string]int, removed, kept []string) Receipt {
	out := Receipt{ErasureID: e.ErasureID, SpectatorID: e.SpectatorID, RequestedAt: e.At, Changed: map[string]int{},
		Unreached: []string{}, Removed: removed}
	if len(e.Conversations) == 1 {
		out.ConversationID = e.Conversations[0]
	}
	for what, n := range changed {
		if n > 0 {
			out.Changed[what] = n
		}
	}
	say := func(format string, args ...any) { out.Unreached = append(out.Unreached, fmt.Sprintf(format, args...)) }
	say("Earlier copies and backups of the worlds folder, exports and reports that were saved, and other realms.")
	say("Screens that showed it, and what people copied from them; pages that are offline let go of it when they come " +
		"back.")
	say("The operator's log of the server: it holds ids, no words.")
	say("A model's server, where one was used: it was sent what its agents were told.")
	say("A Redis server, where findings are copied to one: the copy is mended as soon as it answers, what it has put " +
		"on a disk of its own (dumps, logs, replicas) is not.")
	out.RealmID = w.Realm.ID
	if w.Realm.Path == "" {
		say("The realm's own name and id, which are made from the problem with which it began.")
	}
	var made []string
	for _, s := range w.Skills {
		if s.ConversationID != "" && slices.Contains(conversations, s.ConversationID) {
			made = append(made, "skills/"+s.Name)
		}
	}
	if len(made) > 0 {
		say("Skills that were made in an erased conversation stay until a person removes them: %s.",
			strings.Join(made, ", "))
	}
	if w.Realm.Path != "" {
		say("Findings and quests, which speak of the linked folder; those that say word for word what people said were " +
			"emptied.")
	}
	if e.SpectatorID != "" {
		say("What others said of this person in words of their own, or quoted of a part of a line; messages and lines of "+
			"%d bytes or more that they quoted whole, word for word, were taken out.", MinQuote)
		say("Problems and tasks of conversations that nobody noted who began.")
	}
	if n := changed[DamagedRows]; n > 0 {
		say("%d rows of transcripts are damaged and were kept as far as they could be read: where letters of a quotation "+
			"have changed, it was not found.", n)
	}
	var asides, sessions []string
	for _, name := range kept {
		if strings.HasPrefix(name, "sessions/") {
			sessions = append(sessions, name)
		} else {
			asides = append(asides, name)
		}
	}
	if len(asides) > 0 {
		say("Files that recovery has set aside: %s.", strings.Join(asides, ", "))
	}
	if len(sessions) > 0 {
		say("Session files of an older program that are not imported: %s.", strings.Join(sessions, ", "))
	}
	return out
}
