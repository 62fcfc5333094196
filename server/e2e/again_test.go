package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// inquiry asks one life of the server for everything that clients were shown before.
type inquiry struct {
	l      *Ledger
	tab    *Tab
	life   *Life
	before []world.Event // the events that were shown when the inquiry began
	world  *world.World  // that they make
	seq    int64
	n      int
	listed map[string]world.ConversationInfo
}

// AskAgain asks for everything that clients were shown of the realm, and fails the test if something is missing or
// different: the world and the conversations of a fresh snapshot, insights, lists, transcripts, rooms, skills, teams,
// the report, the audit and the search. Other clients may be at work meanwhile, so additions are allowed. as is a tab
// of a person who may see the realm; AskAgain uses only its realm and token. Tests that erase or remove files do not
// call it.
func (l *Ledger) AskAgain(as *Tab, life *Life) {
	l.t.Helper()
	q := &inquiry{l: l, life: life, before: l.Events(), listed: map[string]world.ConversationInfo{}}
	q.seq = int64(len(q.before))
	q.world = world.New(world.Realm{})
	for _, ev := range q.before {
		world.Apply(q.world, ev)
	}
	l.mu.Lock()
	known := maps.Clone(l.shown)
	l.asked++
	asked := l.asked
	l.mu.Unlock()
	q.tab = NewTab(l.t, l, "")
	as.Look(func() { q.tab.RealmID, q.tab.Token = as.RealmID, as.Token })
	q.tab.TabID += fmt.Sprint(asked)
	q.tab.Join(life)
	defer q.tab.Close()
	q.tab.Look(func() {
		SameWorld(l.t, "a fresh snapshot", q.tab.World, l.Fold(q.tab.Seq))
		sameRows(l.t, l, q.tab.Views, q.tab.Base)
	})
	for _, cmd := range q.standing() {
		if key := questionOf(cmd); known[key].cmd == nil {
			known[key] = told{cmd: cmd} // nobody has asked before: the answer is recorded for the next time
		}
	}
	q.again(known)
	q.members()
	q.conversations(known)
	q.reports(known)
}

// standing returns questions that are asked each time, whether a tab has asked them before or not.
func (q *inquiry) standing() []wire.Command {
	out := []wire.Command{&wire.ListRealms{}, &wire.TeamList{}}
	if q.world.Realm.Path != "" {
		out = append(out, &wire.MapRoom{})
	}
	for _, s := range q.world.Skills {
		if !s.Missing {
			out = append(out, &wire.SkillOpen{Name: s.Name})
		}
	}
	return out
}

// ask asks a question and returns false if the server refuses it, which fails the test.
func (q *inquiry) ask(cmd wire.Command, into any) bool {
	q.n++
	c := q.tab.Do(fmt.Sprintf("%s-%d", q.tab.TabID, q.n), cmd)
	if c.Code != "" {
		q.l.complain("%s is answered after a kill by %s", c.frame, c.Answer)
		return false
	}
	if err := json.Unmarshal(c.Answer, into); err != nil {
		q.l.complain("%v: %s", err, c.Answer)
		return false
	}
	return true
}

func (q *inquiry) complain(what string, was, is any) {
	q.l.complain("%s was shown, and after a kill is not: %+v\nnow %+v", what, was, is)
}

// again repeats the questions that tabs have asked before, and compares the new answers with the old ones.
func (q *inquiry) again(known map[string]told) {
	opened := 0
	for _, s := range known {
		switch c := s.cmd.(type) {
		case *wire.ConversationOpen:
			if opened++; opened > 5 { // any five of them; the next call picks others
				continue
			}
			var was, is wire.Snapshot
			if q.ask(c, &is) && q.was(s, &was) {
				q.rows(c.ConversationID, was.Messages, is.View)
			}
		case *wire.ConversationList:
			var was wire.ConversationListed
			if q.was(s, &was) {
				for _, talk := range was.Conversations { // compared with the whole list
					q.listed[talk.ConversationID] = talk
				}
			}
		case *wire.ListRealms:
			var was, is wire.RealmList
			if q.ask(c, &is) && q.was(s, &was) {
				q.missing("a realm", names(was.Realms, func(r wire.RealmInfo) string { return r.ID + " " + r.Name + " " + r.Path }),
					names(is.Realms, func(r wire.RealmInfo) string { return r.ID + " " + r.Name + " " + r.Path }))
			}
		case *wire.MapRoom:
			var was, is wire.MapChange
			if q.ask(c, &is) && q.was(s, &was) {
				q.missing("a place of room "+c.Path, places(was.Room), places(is.Room))
			}
		case *wire.SkillOpen:
			var was, is wire.SkillOpened
			if q.changed(c.Name, s.seq) || !q.ask(c, &is) || !q.was(s, &was) {
				continue
			}
			if !maps.Equal(was.Files, is.Files) {
				q.complain("skill "+c.Name, was.Files, is.Files)
			}
		case *wire.TeamList:
			var was, is wire.TeamListed
			if q.ask(c, &is) && q.was(s, &was) {
				q.teams(was.Teams, is.Teams)
			}
		}
	}
}

func (q *inquiry) was(s told, into any) bool {
	if s.answer == nil {
		return false
	}
	if err := json.Unmarshal(s.answer, into); err != nil {
		q.l.complain("%v: %s", err, s.answer)
		return false
	}
	return true
}

func names[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = name(x)
	}
	return out
}

// missing fails the test for each entry that is in was and not in is.
func (q *inquiry) missing(what string, was, is []string) {
	for _, x := range was {
		if !slices.Contains(is, x) {
			q.complain(what, x, is)
		}
	}
}

func places(r wire.Room) []string {
	return append(names(r.Objects, func(o wire.Object) string { return o.Kind + " " + o.Path }), names(r.Doors, func(d wire.Door) string { return "door " + d.Path })...)
}

// changed reports whether a skill was written or removed after a seq.
func (q *inquiry) changed(name string, after int64) bool {
	return slices.ContainsFunc(q.l.Events()[after:], func(ev world.Event) bool {
		switch b := ev.Body.(type) {
		case *world.SkillUpdated:
			return b.Skill.Name == name
		case *world.SkillRemoved:
			return b.Name == name
		}
		return false
	})
}

func (q *inquiry) teams(was, is []wire.TeamInfo) {
	for _, w := range was {
		i := slices.IndexFunc(is, func(t wire.TeamInfo) bool { return t.ID == w.ID })
		if i < 0 {
			q.complain("a team", w, is)
			continue
		}
		if len(is[i].Sessions) < wire.MaxSessions { // otherwise newer sessions have replaced it
			id := func(s wire.SessionInfo) string { return s.SessionID }
			q.missing("a session of team "+w.ID, names(w.Sessions, id), names(is[i].Sessions, id))
		}
	}
}

// members asks for the details of every member that is on the map or has insights.
func (q *inquiry) members() {
	told := map[string][]world.Insight{}
	for _, ev := range q.before {
		if b, ok := ev.Body.(*world.KnowledgeUpdated); ok {
			told[b.AgentID] = append(told[b.AgentID], world.Insight{Area: b.Area, Text: b.Text, At: ev.At})
		}
	}
	for _, a := range q.world.Agents {
		if _, ok := told[a.ID]; !ok && a.Kind == world.KindAgent {
			told[a.ID] = nil
		}
	}
	for id, all := range told {
		var gone bool
		q.tab.Look(func() { gone = q.tab.World.Agent(id) == nil && q.tab.World.ProcessState.Role(id) == nil })
		var is wire.AgentDetails
		if gone || !q.ask(&wire.GetAgentDetails{AgentID: id}, &is) {
			continue
		}
		newer := 0 // learned since
		for _, in := range is.Insights {
			if !slices.Contains(all, in) {
				newer++
			}
		}
		for _, in := range all[max(0, len(all)-max(0, wire.MaxDetails-newer)):] {
			if !slices.Contains(is.Insights, in) {
				q.complain("an insight of "+id, in, is.Insights)
			}
		}
		var w *world.World
		q.tab.Look(func() { w = q.tab.World.Clone() })
		var findings, quests []string
		for _, f := range q.world.Findings {
			stands := slices.ContainsFunc(w.Findings, func(now world.Finding) bool { return now.ID == f.ID && now.AgentID == id && now.Stands() })
			if f.AgentID == id && f.Stands() && stands {
				findings = append(findings, f.ID)
			}
		}
		for _, quest := range q.world.Quests {
			if quest.AgentID == id {
				quests = append(quests, quest.ID)
			}
		}
		q.missing("a finding of "+id, findings, is.Findings)
		q.missing("a quest of "+id, quests, is.Quests)
	}
}

// conversations asks for the whole list, and for some transcripts.
func (q *inquiry) conversations(known map[string]told) {
	is := map[string]world.ConversationInfo{}
	for next := (wire.ConversationList{Limit: 200}); ; {
		var page wire.ConversationListed
		if !q.ask(&next, &page) {
			return
		}
		for _, c := range page.Conversations {
			is[c.ConversationID] = c
			next.Before, next.BeforeID = c.UpdatedAt, c.ConversationID
		}
		if !page.HasMore || len(page.Conversations) == 0 {
			break
		}
	}
	for id, was := range q.listed {
		if now, there := is[id]; !there || now.Kind != was.Kind || now.CreatedAt != was.CreatedAt || now.Messages < was.Messages {
			q.complain("a conversation of the list", was, now)
		}
	}
	var ids []string
	for _, ev := range q.before {
		if b, ok := ev.Body.(*world.ConversationStarted); ok {
			ids = append(ids, b.Conversation.ConversationID)
			if now, there := is[b.Conversation.ConversationID]; !there || now.Kind != b.Conversation.Kind {
				q.complain("a conversation", b.Conversation, now)
			}
		}
	}
	for i, id := range ids {
		if i > 1 && i < len(ids)-3 { // only the first and the last ones: again asks for transcripts that tabs have opened
			continue
		}
		rows := Rows(q.before, id)
		var window wire.Snapshot
		if q.ask(&wire.ConversationOpen{ConversationID: id}, &window) {
			q.rows(id, rows, window.View)
		}
		if window.HasMore && len(window.Messages) > 0 {
			var older wire.Snapshot
			if q.ask(&wire.ConversationOpen{ConversationID: id, Before: wire.RowRef{Seq: window.Messages[0].Seq}}, &older) {
				q.rows(id, rows[:max(0, len(rows)-len(window.Messages))], older.View)
			}
		}
	}
}

// rows compares closed rows that were shown with a window of their transcript.
func (q *inquiry) rows(id string, was []world.Message, is world.View) {
	for _, m := range was {
		older := len(is.Messages) > 0 && m.Seq < is.Messages[0].Seq && is.HasMore
		newer := len(is.Messages) > 0 && m.Seq > is.Messages[len(is.Messages)-1].Seq && is.LastSeq > is.Messages[len(is.Messages)-1].Seq
		if m.Status == world.MessageOpen || m.ConversationID != id || older || newer {
			continue
		}
		i := slices.IndexFunc(is.Messages, func(now world.Message) bool { return now.MessageID == m.MessageID })
		switch {
		case i < 0:
			q.complain("a row of "+id, m, len(is.Messages))
		case m.Tool != nil: // a window has only the beginning of a tool's output
			if now := is.Messages[i]; now.Status != m.Status || now.Tool == nil || now.Tool.Name != m.Tool.Name {
				q.complain("a tool's row of "+id, m, now)
			}
		case !reflect.DeepEqual(is.Messages[i], m):
			q.complain("a row of "+id, m, is.Messages[i])
		}
	}
}

// reports repeats the questions over HTTP.
func (q *inquiry) reports(known map[string]told) {
	realm := "/api/realms/" + q.tab.RealmID
	var held struct {
		Findings  []world.Finding `json:"findings"`
		Suspected []world.Finding `json:"suspected"`
		Withdrawn []world.Finding `json:"withdrawn"`
		Quests    []world.Quest   `json:"quests"`
	}
	if q.get(realm+"/export?format=json", &held) {
		finding := func(f world.Finding) string { return f.ID + " " + f.Path }
		q.missing("a finding of the report", names(q.world.Findings, finding), names(slices.Concat(held.Findings, held.Suspected, held.Withdrawn), finding))
		quest := func(x world.Quest) string { return x.ID + " " + x.Title }
		q.missing("a quest of the report", names(q.world.Quests, quest), names(held.Quests, quest))
	}
	var audit, before struct {
		Audit []world.AuditRow `json:"audit"`
	}
	path := realm + "/audit?format=json"
	was, there := known["GET "+path]
	if q.get(path, &audit) && there && q.was(was, &before) {
		for _, row := range before.Audit {
			if !slices.Contains(audit.Audit, row) {
				q.complain("a row of the audit", row, len(audit.Audit))
			}
		}
	}
	q.search()
}

// search searches for a word of each of the two newest complete rows, and expects the row among the hits.
func (q *inquiry) search() {
	left := 2
	for _, ev := range slices.Backward(q.before) {
		row := ev.Row()
		if row == nil || row.Status != world.MessageDone || left == 0 {
			continue
		}
		i := slices.IndexFunc(strings.Fields(row.Content), func(w string) bool { return len(w) > 3 && strings.Trim(w, letters) == "" })
		if i < 0 {
			continue
		}
		left--
		word := strings.Fields(row.Content)[i]
		var found struct {
			Hits []world.SearchHit `json:"hits"`
		}
		query := url.Values{"realm": {q.tab.RealmID}, "conversation": {row.ConversationID}, "limit": {"100"}, "q": {word}}
		if q.get("/api/search?"+query.Encode(), &found) && len(found.Hits) < 100 && !slices.ContainsFunc(found.Hits, func(h world.SearchHit) bool { return h.MessageID == row.MessageID }) {
			q.complain("a row with "+word, row, found.Hits)
		}
	}
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// get asks over HTTP and records the answer.
func (q *inquiry) get(path string, into any) bool {
	req, err := http.NewRequest(http.MethodGet, "http://"+q.life.Addr+path, nil)
	if err != nil {
		q.l.complain("%v", err)
		return false
	}
	if q.tab.Token != "" {
		req.Header.Set("Authorization", "Bearer "+q.tab.Token)
	}
	resp, err := (&http.Client{Timeout: Patience, Transport: &http.Transport{DisableKeepAlives: true, ResponseHeaderTimeout: time.Minute}}).Do(req)
	if err != nil {
		q.l.complain("GET %s after a kill: %v", path, err)
		return false
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err == nil && resp.StatusCode == http.StatusOK {
		err = json.Unmarshal(body, into)
	} else if err == nil {
		err = fmt.Errorf("%s: %.300s", resp.Status, body)
	}
	if err != nil {
		q.l.complain("GET %s after a kill: %v", path, err)
		return false
	}
	q.l.keep("GET "+path, told{path: path, answer: body})
	return true
}
