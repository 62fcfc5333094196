package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// pageParty is a script with agents that ask each other, and one that takes long.
const pageParty = `{"version": 1, "defaults": {"chunkMs": 5, "chunkWords": 2}, "turns": [
 {"match": {"kind": "party", "role": "sentinel"}, "steps": [{"say": "I keep watch. The Architect knows the walls.\n[NEXT: architect]"}]},
 {"match": {"kind": "party", "words": "slowly"}, "steps": [{"say": "stone upon stone ", "repeat": 4000, "chunkMs": 20, "chunkWords": 1}]},
 {"match": {"kind": "party"}, "steps": [{"say": "The walls hold. You said: {{words}}"}]}
 ], "otherwise": [{"say": "Well."}, {"seal": "done"}]}`

// twoPeople returns the team crew with a second person.
func twoPeople(t *testing.T, agents ...string) string {
	t.Helper()
	return strings.Replace(crew(t, agents...), `"order":0},`, `"order":0},{"id":"mate","name":"Mate","displayName":"The Mate","type":"human","role":"person","color":"#b8b04f","order":9},`, 1)
}

// pick chooses an option of a select.
func (p *person) pick(testid, value string) {
	p.t.Helper()
	p.sees(testid)
	p.until(value, `[...document.querySelector('`+id(testid)+`').options].some(o => o.value === '`+value+`')`)
	p.eval(`(() => { const e = document.querySelector('` + id(testid) + `'); e.value = '` + value + `'; e.dispatchEvent(new Event('change', { bubbles: true })); return true })()`)
}

// text returns an expression for the text of an element of the page.
func text(testid string) string {
	return `(document.querySelector('` + id(testid) + `')?.textContent ?? '')`
}

// A party in a browser: a person chooses a team, and people and agents talk. The server is killed during a turn, and a
// member is removed from the team's file: the party comes back with the warning and the member's old name. It is ended,
// found again, resumed by keyboard, and continues (S2-08, S2-09, S2-12, S2-B6).
func TestPageParty(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "party.json")
	file(t, script, pageParty)
	home := pageHome(t, "-script", script, "-pace", "watchable")
	team := filepath.Join(home.Worlds, "teams", "crew.json")
	file(t, team, twoPeople(t, "sentinel", "architect"))
	l := home.Start()
	p := newPerson(t, "Ada")
	p.links(l, flawed(t))

	p.click("talk-new")
	p.pick("talk-kind", "party")
	p.click("team-crew")
	p.reads("The Captain")
	p.shot("party-team")
	p.click("team-go")
	p.until("the party", `document.querySelector('[data-testid="conversation"]')?.dataset.kind === 'party'`)
	p.until("the cursor in its box", `document.activeElement?.dataset.testid === 'talk-prompt'`)
	p.pick("party-speak-as", "captain")
	p.until("the seat", `document.querySelector('[data-testid="party-voice"]').dataset.member === 'captain'`)
	p.types("talk-prompt", "Who is there?")
	p.click("ask-sentinel")
	p.until("the marker", `document.querySelector('[data-testid="talk-prompt"]').value === 'Who is there? [NEXT: Sentinel]'`)
	p.shot("party-ask")
	p.click("talk-send")
	p.until("both answers", `[...document.querySelectorAll('[data-testid="message"][data-role="assistant"][data-status="done"]')].length === 2 && document.querySelector('[data-testid="party"]')?.dataset.status === 'paused'`)
	p.sees("session-saved")
	p.shot("party-talk")

	// Another person comes, takes the other seat, is asked, and sees that it is their turn.
	ben := newPerson(t, "Ben")
	ben.arrive(l)
	ben.until("the realm", `document.querySelector('[data-testid^="join-"]')`)
	ben.onElement(chromedp.Click(`[data-testid^="join-"]`))
	ben.until("the party", `document.querySelector('[data-testid="conversation"]')?.dataset.kind === 'party'`)
	ben.until("whose place is taken", `document.querySelector('[data-testid="party-speak-as"] option[value="captain"]')?.disabled`)
	ben.pick("party-speak-as", "mate")
	ben.until("the seat", `document.querySelector('[data-testid="party-voice"]').dataset.member === 'mate'`)
	p.types("talk-prompt", "What do you say?")
	p.click("ask-mate")
	p.click("talk-send")
	p.until("who is waited for", text("party-standing")+`.includes('It waits for Mate.')`)
	ben.until("the turn", text("party-standing")+`.includes('It waits for you.')`)
	ben.shot("party-ben")
	ben.types("talk-prompt", "Aye.")
	ben.click("talk-send")
	p.until("Ben's words", text("transcript")+`.includes('Aye.') && document.querySelector('[data-testid="party"]')?.dataset.status === 'paused'`)

	p.types("talk-prompt", "Take your time, slowly. [TEAM_TASK: hold the gate]")
	p.click("ask-architect")
	p.click("talk-send")
	p.until("some words", text("transcript")+`.includes('stone upon stone stone upon')`)
	p.until("the task", text("party-task")+`.includes('hold the gate')`)
	if away := p.eval(`document.querySelector('.to-end') !== null`); away != "false" {
		t.Error("who writes is scrolled away from the newest words")
	}
	p.shot("party-turn")
	l.Kill()
	file(t, team, twoPeople(t, "architect"))
	l = home.Start()
	p.until("the warning", text("session-warning")+`.includes('Some speakers in history are not in current team: Sentinel')`)
	p.until("Ready-Idle", `document.querySelector('[data-testid="party"]')?.dataset.status === 'paused' && document.querySelector('[data-testid="party"]')?.dataset.waiting === 'captain'`)
	p.until("the old name", `[...document.querySelectorAll('[data-testid="message"]')].some(e => e.textContent.includes('sentinel') && e.textContent.includes('not in the team now') && e.textContent.includes('I keep watch.'))`)
	p.until("who is in the team still stands in the roster, and who has left it does not", text("roster")+`.includes('The architect') && !`+text("roster")+`.includes('The sentinel')`)
	p.until("nobody to ask who is gone", `document.querySelector('[data-testid="ask-sentinel"]') === null && document.querySelector('[data-testid="ask-architect"]') !== null`)
	p.shot("party-killed")

	// The party is ended, and found again in the list.
	p.click("talk-abort")
	p.click("confirm-yes")
	p.sees("party-resting")
	p.shot("party-ended")
	p.click("talk-new")
	p.pick("talk-kind", "party")
	p.click("team-crew")
	p.click("team-go")
	p.until("what was found", text("found")+`.includes("Found previous session for team 'The Crew'")`)
	p.until("how much", text("found-facts")+`.includes('messages')`)
	p.do(chromedp.KeyEvent("x"))
	p.until("the hint", text("found-hint")+` === 'Press R to resume or N to start new'`)
	p.shot("party-found")
	p.do(chromedp.KeyEvent("r"))
	p.until("the session", text("session-restored")+`.includes('messages are here again')`)
	p.until("its title", text("talk-head")+`.includes('Restored - ')`)
	p.sees("session-warning")
	p.shot("party-restored")
	p.types("talk-prompt", "Go on.")
	p.click("ask-architect")
	p.click("talk-send")
	p.until("an answer", text("transcript")+`.includes('You said: Go on.')`)
	if raw := p.eval(text("transcript")); strings.Contains(raw, "[NEXT") || strings.Contains(raw, "[TEAM_TASK") {
		t.Errorf("S2-B8: markers stand in the transcript: %s", raw)
	}

	for _, size := range []struct {
		name string
		w, h int64
	}{{"tablet", 1024, 768}, {"phone", 390, 844}, {"small", 360, 640}, {"zoomed", 720, 450}, {"lying", 640, 360}} {
		p.do(chromedp.EmulateViewport(size.w, size.h))
		p.until("the size", fmt.Sprintf(`innerWidth === %d && innerHeight === %d`, size.w, size.h))
		p.shot("party-" + size.name)
		p.until("where one writes, "+size.name, `(() => { // nothing that cannot be moved cuts it off
			const e = document.querySelector('[data-testid="talk-prompt"]')
			for (let box = e.parentElement; box; box = box.parentElement) {
				if (getComputedStyle(box).overflowY === 'hidden' && box.getBoundingClientRect().bottom < e.getBoundingClientRect().bottom - 1) return false
			}
			return true
		})()`)
		if wide := p.eval(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
			t.Errorf("the page is wider than %d", size.w)
		}
	}
	// With a phone's keyboard open, a tap on the button moves the focus to it, and the button stays where it is.
	p.do(chromedp.EmulateViewport(390, 450))
	p.until("the size", `innerHeight === 450`)
	top := func(focus string) string {
		return p.eval(`(() => { document.querySelector('[data-testid="` + focus + `"]').focus({ preventScroll: true }); return document.querySelector('[data-testid="talk-send"]').getBoundingClientRect().top })()`)
	}
	if typing, sending := top("talk-prompt"), top("talk-send"); typing != sending {
		t.Errorf("the button goes away under the finger, from %s to %s", typing, sending)
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
}
