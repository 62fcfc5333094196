package retention

import (
	"cmp"
	"slices"
	"time"

	"agentdungeon/shared/world"
)

// Head is a conversation as the rule sees it.
type Head struct {
	ID        string
	Kind      string
	Status    string
	UpdatedAt world.Time
	EndedAt   world.Time // 0 while it has not ended
	About     string     // the conversation that it talks over, "" for none
	Running   bool       // a run is under way
	AtHand    bool       // the process or the party that the realm is at
	Unsure    bool       // a party, and nobody knows which one is at hand
}

// Act is what is to be done with a conversation.
type Act string

// Acts.
const (
	Keep    Act = "keep"
	Abandon Act = "abandon" // mark it abandoned
	Delete  Act = "delete"  // let go of it and of all that was said in it
)

// Item is what the rule says of a conversation. Due is when the act is or was due, 0 where
// nothing ever is.
type Item struct {
	ConversationID string     `json:"conversationId"`
	Kind           string     `json:"kind"`
	Status         string     `json:"status"`
	UpdatedAt      world.Time `json:"updatedAt"`
	EndedAt        world.Time `json:"endedAt,omitempty"`
	Act            Act        `json:"act"`
	Due            world.Time `json:"due,omitempty"`
	// Held says why one that is due is kept all the same, "" for none that is.
	Held string `json:"held,omitempty"`
}

// Why something that is due is kept.
const (
	HeldRunning = "a run is under way"
	HeldAtHand  = "it is the one at hand"
	HeldUnsure  = "which party is at hand cannot be read"
	HeldAbout   = "another conversation talks over it"
)

const day = 24 * time.Hour

// next is what a conversation comes to by its limits alone, and when.
func next(h Head, l Limits, w Watch, now world.Time) (Act, world.Time) {
	act, from, limit := Delete, cmp.Or(h.EndedAt, h.UpdatedAt), l.CompletedDays
	switch c := (world.Conversation{Status: h.Status}); {
	case h.Status == world.ConversationAbandoned:
		limit = l.AbandonedDays
	case !c.Ended():
		act, from, limit = Abandon, h.UpdatedAt, l.AbandonAfterDays
	}
	if limit <= 0 || from <= 0 {
		return Keep, 0
	}
	from = w.told(from, now)
	return act, from + world.Time((time.Duration(limit)*day + w.shift(from)).Milliseconds())
}

// Plan says what is to be done when w's clock says now, who is due longest first: only
// what is due, held or not. Ages are by the clock less its jumps. What a conversation
// talks over stays as long as that one does: it goes in a pass after it.
func Plan(heads []Head, p Policy, w Watch, now world.Time) []Item {
	needed := map[string]bool{}
	for _, h := range heads {
		if h.About != "" && h.About != h.ID {
			needed[h.About] = true
		}
	}
	var out []Item
	for _, h := range heads {
		act, due := next(h, p[h.Kind], w, now)
		if act == Keep || due > now {
			continue
		}
		it := Item{ConversationID: h.ID, Kind: h.Kind, Status: h.Status, UpdatedAt: h.UpdatedAt, EndedAt: h.EndedAt, Act: act,
			Due: due}
		switch {
		case h.Running:
			it.Held = HeldRunning
		case h.AtHand:
			it.Held = HeldAtHand
		case h.Unsure:
			it.Held = HeldUnsure
		case act == Delete && needed[h.ID]:
			it.Held = HeldAbout
		}
		if it.Held != "" {
			it.Act = Keep
		}
		out = append(out, it)
	}
	slices.SortFunc(out, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.ConversationID, b.ConversationID))
	})
	return out
}

// Soonest is when the next of heads is due after now, 0 for never.
func Soonest(heads []Head, p Policy, w Watch, now world.Time) world.Time {
	var first world.Time
	for _, h := range heads {
		if act, due := next(h, p[h.Kind], w, now); act != Keep && due > now && (first == 0 || due < first) {
			first = due
		}
	}
	return first
}
