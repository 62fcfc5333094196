package world

import (
	"fmt"
	"slices"
	"strings"
)

// Redacted is the result of redacting a realm's rows.
type Redacted struct {
	Changed map[string]int // by table; see Receipt
	// Commands are those whose remembered answers are gone: SpectatorID and RequestID.
	Commands []CommandRow
}

// Keys of Receipt.Changed for damage: events that could not be read and were removed; rows that
// lost their words because it is unknown whose they are or what they say; and damaged rows that
// were kept.
const (
	UnreadableEvents = "unreadableEvents"
	UnreadableRows   = "unreadableRows"
	DamagedRows      = "damagedRows"
)

// NewReceipt returns the receipt of an erasure without its end: what was changed, by count, and
// sentences on what may still hold erased words. talks are the conversations that were erased
// whole, w is the realm's world after the erasure, removed and asides are the set-aside files
// that were removed and kept, sessions the session files that are not imported.
func NewReceipt(e Erasure, talks []string, w *World, changed map[string]int, removed, asides []string) Receipt {
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
		say("The realm's own name and id, which are made of the problem that it was begun with.")
	}
	var made []string
	for _, s := range w.Skills {
		if s.ConversationID != "" && slices.Contains(talks, s.ConversationID) {
			made = append(made, "skills/"+s.Name)
		}
	}
	if len(made) > 0 {
		say("Skills that were made in it are works of their own and stay until they are removed: %s.",
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
	untaken := slices.DeleteFunc(slices.Clone(asides), func(name string) bool {
		return !strings.HasPrefix(name,
			"sessions/")
	})
	asides = slices.DeleteFunc(slices.Clone(asides), func(name string) bool {
		return strings.HasPrefix(name,
			"sessions/")
	})
	if len(asides) > 0 {
		say("What recovery has set aside: %s.", strings.Join(asides, ", "))
	}
	if len(untaken) > 0 {
		say("Sessions of an older program that are not taken in: %s.", strings.Join(untaken, ", "))
	}
	return out
}
