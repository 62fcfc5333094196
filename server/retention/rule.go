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
	About     string     // id of the conversation that this one is about, or ""
	Running   bool       // a run is under way
	AtHand    bool       // the current process or party of the realm
	Unsure    bool       // a party that may be the current one
}

// Act is what to do with a conversation.
type Act string

// Values of Act.
const (
	Keep    Act = "keep"
	Abandon Act = "abandon" // mark it abandoned
	Delete  Act = "delete"  // delete it with all that was said in it
)

// Item is the rule's result for a conversation. Due is the time of the act, 0 for never.
type Item struct {
	ConversationID string     `json:"conversationId"`
	Kind           string     `json:"kind"`
	Status         string     `json:"status"`
	UpdatedAt      world.Time `json:"updatedAt"`
	EndedAt        world.Time `json:"endedAt,omitempty"`
	Act            Act        `json:"act"`
	Due            world.Time `json:"due,omitempty"`
	// Held says why a due conversation is kept, or "".
	Held string `json:"held,omitempty"`
}

// Reasons to keep a conversation that is due.
const (
	HeldRunning = "a run is under way"
	HeldAtHand  = "it is the one at hand"
	HeldUnsure  = "which party is at hand cannot be read"
	HeldAbout   = "another conversation talks over it"
)

const day = 24 * time.Hour

// next returns the next act for a conversation by its limits alone, and its time.
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

// Plan returns what is due when w's clock says now, held or not, longest due first. Ages are by
// the clock minus its jumps. A conversation stays as long as another one is about it; it is
// deleted in a later pass.
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

// Soonest returns when the next of heads becomes due after now, 0 for never.
func Soonest(heads []Head, p Policy, w Watch, now world.Time) world.Time {
	var first world.Time
	for _, h := range heads {
		if act, due := next(h, p[h.Kind], w, now); act != Keep && due > now && (first == 0 || due < first) {
			first = due
		}
	}
	return first
}
