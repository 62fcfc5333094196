package coding

import (
	"slices"
	"strings"
	"unicode/utf8"

	"agentdungeon/server/kind"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// maxTopic limits, in characters, a title that is made of a prompt.
const maxTopic = 60

// title returns the title of a session's conversation when it begins: the program's title, else the first words of
// the first prompt in entries, else the name of the agent.
func title(s *shadow.Session, name string, entries []shadow.Entry) string {
	switch {
	case s.Title != "":
		return kind.Clip(s.Title, world.MaxTitle)
	case s.Parent != "": // the agent that started it has named it
		return name
	}
	for i := range entries {
		if entries[i].Kind != shadow.Prompt {
			continue
		}
		if words := topic(entries[i].Text); words != "" {
			return words
		}
	}
	return name
}

// entitled returns the event that gives an untitled conversation of a main session the first words of its first
// prompt as its title. It returns none if the conversation has a title, if entries have a title of the program, or if
// the first prompt is no longer in memory. So a later prompt never becomes the title, also if the session was
// resumed. added are the events that add the rows of entries.
func entitled(s *shadow.Session, t *kind.Talk, name string, entries []shadow.Entry, added []world.Body) []world.Body {
	if t == nil || s.Title != "" || s.Parent != "" || t.Head.Title != name || t.HasMore ||
		slices.ContainsFunc(entries, func(e shadow.Entry) bool { return e.Kind == shadow.Titled }) {
		return nil
	}
	rows := slices.Clone(t.Messages)
	for _, b := range added {
		if m, ok := b.(*world.MessageAdded); ok {
			rows = append(rows, m.Message)
		}
	}
	for i := range rows {
		words := topic(rows[i].Content)
		if rows[i].Role != world.RoleUser || words == "" {
			continue
		}
		if rows[i].SpectatorID != "" || rows[i].Name != prompter {
			return nil // words of a person on the page: an erasure of that person would not reach a copy of them
		}
		return []world.Body{&world.ConversationRenamed{ConversationID: t.Head.ConversationID, Title: words}}
	}
	return nil
}

// topic returns the first words of a prompt on one line, "" if the prompt has no words of a person. Such a prompt
// begins with a tag: it is a notification of the program, or the output of a command that a person ran in it.
func topic(prompt string) string {
	text := strings.Join(strings.Fields(prompt), " ")
	if strings.HasPrefix(text, "<") {
		return ""
	}
	if utf8.RuneCountInString(text) <= maxTopic {
		return kind.Clip(text, world.MaxTitle)
	}
	cut := string([]rune(text)[:maxTopic])
	if at := strings.LastIndex(cut, " "); at > 0 {
		cut = cut[:at]
	}
	if at := strings.LastIndex(cut, "[secret:"); at > 0 && !strings.Contains(cut[at:], "]") {
		cut = strings.TrimRight(cut[:at], " ") // half of a mask says nothing
	}
	return kind.Clip(strings.TrimRight(cut, " ,;:")+"…", world.MaxTitle)
}
