package facts

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Talk is a conversation in an answer.
type Talk struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	Title    string   `json:"title"`
	Status   string   `json:"status,omitempty"`
	Rows     int      `json:"rows,omitempty" jsonschema:"how many rows it has"`
	Updated  string   `json:"updated,omitempty"`
	Members  []string `json:"members,omitempty" jsonschema:"names of who takes part"`
	Excerpts []string `json:"excerpts,omitempty" jsonschema:"where the words were said"`
}

// talksIn is the input of the tool talks.
type talksIn struct {
	Asked
	Limited
	Kind  string `json:"kind,omitempty" jsonschema:"only of this kind; coding is a session of a coding agent"`
	Words string `json:"words,omitempty" jsonschema:"only conversations in which all these words were said"`
}

// talksOut is the answer of the tool talks.
type talksOut struct {
	Of
	Talks   []Talk `json:"talks"`
	LeftOut int    `json:"leftOut,omitempty" jsonschema:"how many of those that were read are not in this answer"`
	More    bool   `json:"more,omitempty" jsonschema:"there are more; narrow the question or raise limit"`
}

const (
	maxWords    = 1_000 // maximum length of the search words, in bytes
	maxExcerpts = 3     // maximum number of excerpts of one conversation
	maxHits     = 100
)

// talks lists conversations, the last used first. With search words it lists the conversations that contain them, the
// best match first.
func (q *question) talks(in talksIn) (out talksOut, err error) {
	out.Of = q.of
	var all []Talk
	if strings.TrimSpace(in.Words) != "" {
		all, out.More, err = q.said(in)
	} else {
		var page []world.ConversationInfo
		page, out.More, err = q.realm.Transcripts().Conversations(q.ctx,
			world.ConversationQuery{Kind: in.Kind, Limit: in.first(maxItems)})
		for i := range page {
			all = append(all, talkOf(&page[i]))
		}
	}
	if err != nil {
		return out, err
	}
	out.Talks, out.LeftOut = fit(&q.room, all)
	return out, nil
}

func talkOf(c *world.ConversationInfo) Talk {
	t := Talk{ID: c.ConversationID, Kind: c.Kind, Title: short(c.Title), Status: c.Status, Rows: c.Messages,
		Updated: c.UpdatedAt.String()}
	for _, m := range c.Team.Members[:min(len(c.Team.Members), maxMembers)] {
		t.Members = append(t.Members, short(cmp.Or(m.DisplayName, m.Name)))
	}
	return t
}

// maxMembers is the maximum number of a conversation's members that an answer names.
const maxMembers = 12

// said searches the transcripts for words.
func (q *question) said(in talksIn) (all []Talk, more bool, err error) {
	words, _ := world.Cut(in.Words, maxWords)
	hits, err := q.realm.Search(q.ctx, world.SearchQuery{Words: words, Limit: maxHits})
	if err != nil {
		return nil, false, err
	}
	for _, h := range hits {
		if in.Kind != "" && h.Kind != in.Kind {
			continue
		}
		i := slices.IndexFunc(all, func(t Talk) bool { return t.ID == h.ConversationID })
		if i < 0 {
			if i = len(all); i == in.first(maxItems) {
				more = true
				continue
			}
			all = append(all, Talk{ID: h.ConversationID, Kind: h.Kind, Title: short(h.Title), Updated: h.At.String()})
		}
		if len(all[i].Excerpts) < maxExcerpts {
			text := cmp.Or(h.Name, h.Role) + ": "
			for _, p := range h.Parts {
				text += p.Text
			}
			all[i].Excerpts = append(all[i].Excerpts, short(text))
		}
	}
	return all, more || len(hits) == maxHits, nil
}

// Row is a row of a conversation in an answer.
type Row struct {
	Row    int64  `json:"row" jsonschema:"number of the row, for before"`
	At     string `json:"at"`
	Who    string `json:"who"`
	Role   string `json:"role" jsonschema:"user (a person), assistant (an agent), tool or system"`
	Status string `json:"status,omitempty" jsonschema:"absent for a row that is whole"`
	Text   string `json:"text"`
	Tool   string `json:"tool,omitempty" jsonschema:"name of the tool; the text is its output"`
	Input  string `json:"input,omitempty" jsonschema:"input of the tool"`
}

// talkIn is the input of the tool talk.
type talkIn struct {
	Asked
	Limited
	ID     string `json:"id" jsonschema:"id of the conversation, as talks and who_is_here give it"`
	Before int64  `json:"before,omitempty" jsonschema:"only rows before this one; the newest without it"`
}

// talkOut is the answer of the tool talk.
type talkOut struct {
	Of
	Talk  Talk  `json:"talk"`
	Rows  []Row `json:"rows" jsonschema:"the oldest first"`
	Older int64 `json:"older,omitempty" jsonschema:"there are older rows: ask with this as before"`
}

// talk reads rows of a conversation. If the requested rows do not all fit into the answer, the answer has the newest of
// them.
func (q *question) talk(in talkIn) (out talkOut, err error) {
	none := wire.Errorf(wire.NotFound, "there is no conversation %.100q in this realm; the tool talks lists them", in.ID)
	if !wire.ValidID(in.ID) {
		return out, none
	}
	t := q.realm.Transcripts()
	saved, err := t.Conversation(q.ctx, in.ID)
	if errors.Is(err, world.ErrNoConversation) {
		return out, none
	}
	if err != nil {
		return out, err
	}
	rows, more, err := t.Rows(q.ctx, in.ID, "", in.Before, in.first(maxItems))
	if err != nil {
		return out, err
	}
	var all []Row // the newest first
	for _, m := range slices.Backward(rows) {
		all = append(all, rowOf(&m))
	}
	out.Of = q.of
	out.Talk = talkOf(&world.ConversationInfo{Conversation: saved.Conversation})
	kept, leftOut := fit(&q.room, all)
	slices.Reverse(kept)
	out.Rows = kept
	if len(kept) > 0 && (more || leftOut > 0) {
		out.Older = kept[0].Row
	}
	return out, nil
}

func rowOf(m *world.Message) Row {
	r := Row{Row: m.Seq, At: m.At.String(), Who: short(cmp.Or(m.Name, m.MemberID, m.Role)), Role: m.Role,
		Text: cut(m.Content, maxText)}
	if m.Status != world.MessageDone {
		r.Status = m.Status
	}
	if m.Tool != nil {
		r.Tool, r.Input = m.Tool.Name, cut(m.Tool.Input, maxText)
		if m.Tool.Cut && !strings.HasSuffix(r.Text, "[cut]") {
			r.Text += " [cut]"
		}
	}
	return r
}
