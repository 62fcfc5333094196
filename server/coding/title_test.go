package coding_test

import (
	"strings"
	"testing"

	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// reads returns a reading of session a: entries after the position before, up to next.
func reads(before, next string, entries ...shadow.Entry) shadow.Seen {
	s := says("a", before, next, "")
	s.Entries = entries
	return s
}

func asks(text string) shadow.Entry {
	return shadow.Entry{Kind: shadow.Prompt, Text: text, Human: true}
}

// titleOf returns the title of the newest conversation of session a.
func titleOf(e *engine) string {
	return e.Talks[e.World.Session("codex", "a").ConversationID].Head.Title
}

// A session that has no title of its program has the first words of its first prompt, so that people can tell sessions
// apart. Words of the program, and the output of a command that a person ran in it, are no title.
func TestASessionIsTitledByItsFirstPrompt(t *testing.T) {
	for name, c := range map[string]struct{ prompt, title string }{
		"short":   {"mend the parser", "mend the parser"},
		"lines":   {"  mend\tthe parser\n\n- and its tests", "mend the parser - and its tests"},
		"exactly": {strings.Repeat("x", 60), strings.Repeat("x", 60)},
		"long": {
			"look at every file of the parser, and say which of them, if any, must change",
			"look at every file of the parser, and say which of them, if…",
		},
		"comma": {
			"look at every file of the parser and say which of them, ifanymustchange",
			"look at every file of the parser and say which of them…",
		},
		"one word": {strings.Repeat("é", 70), strings.Repeat("é", 60) + "…"},
		"a mask": {
			"publish the package with the key [secret: npm-token] today",
			"publish the package with the key [secret: npm-token] today",
		},
		"in a mask": {
			"publish the package to the registry with a key of [secret: npm-token] today",
			"publish the package to the registry with a key of…",
		},
		"tags":    {"<task-notification>done</task-notification>", "Codex"},
		"output":  {"<bash-input>cat .env</bash-input><bash-stdout>KEY=1</bash-stdout>", "Codex"},
		"command": {"/fix the parser", "/fix the parser"},
		"empty":   {" \n", "Codex"},
	} {
		e := newEngine()
		e.sees(t, reads("", "1", asks(c.prompt)))
		if got := titleOf(e); got != c.title {
			t.Errorf("%s at the start: the title is %q, want %q", name, got, c.title)
		}
		e = newEngine()
		e.sees(t, says("a", "", "1", "I look."))
		e.sees(t, reads("1", "2", asks(c.prompt)))
		if got := titleOf(e); got != c.title {
			t.Errorf("%s later: the title is %q, want %q", name, got, c.title)
		}
		if hero := e.World.Agent("codex:a"); hero.DisplayName != "Codex" {
			t.Errorf("%s: the hero is called %s", name, hero.DisplayName)
		}
	}
}

// A later prompt changes no title, also after the session was over and was resumed, and neither does one of a session
// whose first prompt is not in memory any more. The program's own title takes the place of the first words.
func TestALaterPromptChangesNoTitle(t *testing.T) {
	e := newEngine()
	e.sees(t, reads("", "1", asks("<task-notification></task-notification>"), asks("mend the parser")))
	over := reads("1", "2", asks("and the tests"))
	over.State = shadow.State{Name: shadow.Ended, Source: shadow.FromLock}
	e.sees(t, over)
	e.sees(t, reads("2", "3", asks("go on")))
	if got := titleOf(e); got != "mend the parser" {
		t.Errorf("resumed: the title is %q", got)
	}
	e.sees(t, reads("3", "4", shadow.Entry{Kind: shadow.Titled, Text: "The parser"}, asks("go on again")))
	e.sees(t, reads("4", "5", asks("go on")))
	if got := titleOf(e); got != "The parser" {
		t.Errorf("titled by the program: the title is %q", got)
	}

	e = newEngine()
	e.sees(t, says("a", "", "1", "I look."))
	e.sees(t, reads("1", "2", shadow.Entry{Kind: shadow.Titled, Text: "The parser"}, asks("mend the parser")))
	if got := titleOf(e); got != "The parser" {
		t.Errorf("titled with its first prompt: the title is %q", got)
	}

	e = newEngine()
	e.sees(t, says("a", "", "1", "I look."))
	e.Talks[e.World.Sessions[0].ConversationID].HasMore = true
	e.sees(t, reads("1", "2", asks("go on")))
	if got := titleOf(e); got != "Codex" {
		t.Errorf("the first prompt is not in memory: the title is %q", got)
	}
}

// A conversation that has the prompt but not the title, since an older version began it, gets the title at the next
// reading.
func TestAConversationOfAnOlderVersionGetsItsTitle(t *testing.T) {
	e := newEngine()
	e.sees(t, reads("", "1", asks("mend the parser")))
	id := e.World.Sessions[0].ConversationID
	e.Talks[id].Head.Title = "Codex"
	e.sees(t, reads("1", "2", asks("go on")))
	if got := titleOf(e); got != "mend the parser" {
		t.Errorf("the title is %q", got)
	}
}

// A title of the program stands from the start, and a sub-agent has the name that its parent gave it.
func TestPromptsTitleOnlySessionsWithoutATitle(t *testing.T) {
	e := newEngine()
	titled := reads("", "1", asks("mend the parser"))
	titled.Session.Title = "The parser"
	e.sees(t, titled)
	if got := titleOf(e); got != "The parser" {
		t.Errorf("the title is %q", got)
	}
	e = newEngine()
	for n, entries := range [][]shadow.Entry{{asks("look for it")}, {asks("look again")}} {
		sub := reads([]string{"", "1"}[n], []string{"1", "2"}[n], entries...)
		sub.Session.Parent, sub.Session.Name = "p", "Explore"
		e.sees(t, sub)
	}
	if got := titleOf(e); got != "Explore" {
		t.Errorf("the sub-agent's title is %q", got)
	}
}

// The words that a person on the page says to an agent are no title: an erasure of that person could not reach it.
func TestWordsOfThePageAreNoTitle(t *testing.T) {
	e := newEngine()
	e.sees(t, says("a", "", "1", "I look."))
	s := e.World.Sessions[0]
	e.fold(&world.WordTold{AgentWord: world.AgentWord{
		WordID: "w1", AgentID: s.AgentID, ConversationID: s.ConversationID, Text: "a wish of Ada", SpectatorID: "p1",
	}})
	e.sees(t, reads("1", "2", asks("The person who runs this session says through Agent Dungeon (w1): a wish of Ada")))
	e.sees(t, reads("2", "3", asks("go on")))
	if got := titleOf(e); got != "Codex" {
		t.Errorf("the title is %q", got)
	}
}
