package retention

import (
	"cmp"
	"slices"
	"time"

	"agentdungeon/shared/world"
)

// Head has the data of a conversation from which Plan and Soonest decide.
type Head struct {
	ID           string
	Kind         string
	Status       string
	UpdatedAt    world.Time
	EndedAt      world.Time // 0 while the conversation has not ended
	About        string     // id of the conversation that this one is about, or ""
	Running      bool       // a run of the conversation has not ended
	Current      bool       // the conversation is the current process or party of the realm
	MaybeCurrent bool       // the conversation is a party, and it is unknown which party is the current one
}

// Act is an action of retention on a conversation.
type Act string

// Values of Act.
const (
	Keep    Act = "keep"
	Abandon Act = "abandon" // mark the conversation as abandoned
	Delete  Act = "delete"  // delete the conversation with its transcript
)

// Item says what retention does next with one conversation: Act becomes due at the time Due, 0 for never.
type Item struct {
	ConversationID string     `json:"conversationId"`
	Kind           string     `json:"kind"`
	Status         string     `json:"status"`
	UpdatedAt      world.Time `json:"updatedAt"`
	EndedAt        world.Time `json:"endedAt,omitempty"`
	Act            Act        `json:"act"`
	Due            world.Time `json:"due,omitempty"`
	// Held is the reason why a conversation is kept although it is due, "" if it is not kept.
	Held string `json:"held,omitempty"`
}

// These constants are the reasons to keep a due conversation.
const (
	HeldRunning      = "a run is under way"
	HeldCurrent      = "it is the realm's current process or party"
	HeldMaybeCurrent = "it is unknown which party is the current one"
	HeldAbout        = "another conversation is about it"
)

const day = 24 * time.Hour

// next returns the next act for a conversation and the time at which the act becomes due. It only compares ages
// with the limits; Plan decides whether there is a reason to keep the conversation.
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
	from = w.latest(from, now)
	return act, from + world.Time((time.Duration(limit)*day + w.shift(from)).Milliseconds())
}

// Plan returns the due conversations, the longest due first. It does not count jumps of the clock as age. The
// result includes conversations that are due but kept for now (Item.Held), for example because another conversation
// is about them; a later pass marks or deletes these.
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
		case h.Current:
			it.Held = HeldCurrent
		case h.MaybeCurrent:
			it.Held = HeldMaybeCurrent
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

// Soonest returns the first time after now at which a conversation becomes due, 0 for never.
func Soonest(heads []Head, p Policy, w Watch, now world.Time) world.Time {
	var first world.Time
	for _, h := range heads {
		if act, due := next(h, p[h.Kind], w, now); act != Keep && due > now && (first == 0 || due < first) {
			first = due
		}
	}
	return first
}
