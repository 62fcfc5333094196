package e2e

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// topicIs returns an expression that is true while the forge asks the question with this topic.
func topicIs(topic string) string {
	return `document.querySelector('[data-testid="forge-options"]')?.dataset.topic === '` + topic + `'`
}

// A person uses a forge in a browser, by buttons and by words. The server is killed at every question and at the end,
// and the forge is open in two tabs. Nothing is lost, and the second tab is told about the other's answer. At the end
// there is a SKILL.md to read (S1-02, S1-11, S1-12).
func TestPageForge(t *testing.T) {
	t.Parallel()
	home := pageHome(t, "-pace", "instant")
	l := home.Start()
	p := newPerson(t, "Ada")
	p.links(l, flawed(t))
	p.click("tab-artifacts")
	p.reads("A skill is a page of know-how")
	p.shot("forge-none")
	p.click("skill-make")
	p.until("the forge", `document.querySelector('[data-testid="conversation"]')?.dataset.kind === 'forge'`)
	p.until("the first question", `document.querySelector('[data-testid="forge-phase"]')?.dataset.state === 'gathering_purpose'`)
	p.shot("forge-purpose")
	// killed kills the server, and checks that each tab then shows what it showed before.
	killed := func(tabs ...*person) {
		t.Helper()
		const standing = `JSON.stringify([` + rowCount + `, document.querySelector('[data-testid="forge-phase"]')?.dataset.state, document.querySelector('[data-testid="forge-options"]')?.dataset.topic ?? ''])`
		before := make([]string, len(tabs))
		for i, tab := range tabs {
			before[i] = tab.eval(standing)
		}
		l.Kill()
		l = home.Start()
		for i, tab := range tabs {
			tab.until("the connection", `window.__dungeon.connected`)
			tab.until("what was there before: "+before[i], standing+` === `+strconv.Quote(before[i]))
		}
	}
	killed(p)
	p.types("talk-prompt", "Write release notes from the log and check them")
	p.click("talk-send")
	p.until("details", `document.querySelector('[data-testid="forge-phase"]')?.dataset.state === 'gathering_details'`)
	p.types("talk-prompt", "Read the log, ")

	// A second tab of the same person on the same forge. After its next reconnection the test can delay the frames that
	// the tab receives.
	ctx, cancel := chromedp.NewContext(p.ctx)
	t.Cleanup(cancel)
	second := &person{t: t, ctx: ctx, name: "Ada's second tab"}
	second.do(chromedp.Navigate("http://" + l.Addr + "/"))
	second.until("the same forge", topicIs("steps"))
	second.eval(`(() => { const Native = WebSocket; window.__held = []; window.WebSocket = class extends Native { set onmessage(f) { super.onmessage = f && ((e) => { if (window.__hold) window.__held.push(() => f(e)); else f(e) }) } }; return 1 })()`)

	// After a kill the question and the typed text are still there.
	killed(p, second)
	for _, tab := range []*person{p, second} {
		tab.until("the question", topicIs("steps"))
	}
	if typed := p.eval(`document.querySelector('[data-testid="talk-prompt"]').value`); typed != "Read the log, " {
		t.Errorf("what was typed is %q", typed)
	}
	p.shot("forge-killed")

	// Both tabs answer, and the second has not seen the first answer. Both answers are in the transcript, and the second
	// tab is told.
	second.eval(`(window.__hold = true)`)
	p.types("talk-prompt", "write a line for each change")
	p.click("talk-send")
	p.until("the next question", topicIs("triggers"))
	second.types("talk-prompt", "When a release is due")
	second.click("talk-send")
	p.until("the other's answer", text("transcript")+`.includes('When a release is due')`)
	second.eval(`(() => { window.__hold = false; for (const f of window.__held.splice(0)) f(); return 1 })()`)
	second.until("the notice", `document.querySelector('[data-testid="overtaken"]')?.dataset.own === 'true'`)
	second.until("both answers", text("transcript")+`.includes('write a line for each change') && `+text("transcript")+`.includes('When a release is due')`)
	second.shot("forge-second-tab")

	// The remaining questions are answered by buttons.
	for range 20 {
		p.until("a question, or the end", `document.querySelector('[data-testid="forge-options"] button:not(:disabled)') !== null || `+made)
		if p.eval(made) == "true" {
			break
		}
		topic := p.eval(`document.querySelector('[data-testid="forge-options"]').dataset.topic`)
		killed(p)
		many := p.eval(`document.querySelector('[data-testid="forge-done"]') !== null`) == "true"
		switch {
		case many && topic == "tools":
			p.click("option-look")
			p.shot("forge-tools")
			p.click("forge-done")
		case topic == "confirm":
			p.shot("forge-confirm")
			p.click("option-make")
		case many:
			p.eval(`(document.querySelector('[data-testid="option-none"]') ?? document.querySelector('[data-testid="forge-options"] button')).click()`)
			p.click("forge-done")
		default:
			// By keys: an answer removes its question, and the focus moves to the next one.
			p.eval(`(document.querySelector('[data-testid="option-none"]') ?? document.querySelector('[data-testid="forge-options"] button')).focus()`)
			p.do(chromedp.KeyEvent(kb.Enter))
			p.until("the focus on the next question", `document.querySelector('[data-testid="forge-options"]')?.dataset.topic !== '`+topic+`' && document.activeElement?.matches('.option, [data-testid="talk-prompt"]')`)
		}
		p.until("another question than "+topic, `document.querySelector('[data-testid="forge-options"]')?.dataset.topic !== '`+topic+`'`)
	}
	p.sees("forge-made")
	p.shot("forge-made")
	killed(p)
	p.sees("forge-made")
	p.click("forge-read")
	p.until("SKILL.md", text("skill-text")+`.includes('name: ') && document.querySelector('[data-testid="skill-text"]').dataset.file === 'SKILL.md'`)
	p.shot("forge-skill")
	name := p.eval(`document.querySelector('[data-testid="forge-made"]').dataset.skill`)
	p.click("give-sentinel")
	p.until("it is given", `document.querySelector('[data-testid="give-sentinel"]').getAttribute('aria-pressed') === 'true'`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.click("tab-artifacts")
	p.until("its row", text("skill-"+name)+`.includes('given to 1 agent')`)
	p.click("tab-talk")
	p.do(chromedp.EmulateViewport(390, 844))
	p.until("narrow", `innerWidth === 390`)
	p.shot("forge-phone")
	if wide := p.eval(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
		t.Error("the page is wider than a phone")
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
}

const made = `(document.querySelector('[data-testid="forge-made"]') !== null)`

const rowCount = `document.querySelectorAll('[data-testid="message"]').length`
