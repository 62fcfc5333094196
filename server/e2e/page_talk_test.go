package e2e

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// pageTalkers is a script that answers slowly enough to be watched, with a tool, Markdown, and text that must be shown
// as text.
const pageTalkers = `{"version": 1, "defaults": {"chunkMs": 40, "chunkWords": 1}, "turns": [
 {"match": {"kind": "chat", "words": "slowly"}, "steps": [{"say": "one word and another ", "repeat": 2000, "chunkMs": 30, "chunkWords": 1}]},
 {"match": {"kind": "chat", "words": "dangerous"}, "steps": [{"say": "Look: <img src=x onerror=\"window.__broken=1\"> [here](javascript:window.__broken=2) **bold** and <script>window.__broken=3</script>."}]},
 {"match": {"kind": "chat"}, "steps": [
   {"tool": {"name": "count_lines", "input": "{\"path\":\"docs\"}", "output": "41 lines", "reads": true, "delayMs": 50}},
   {"say": "You said: {{words}} It is **41**."}]},
 {"match": {"kind": "council"}, "steps": [{"say": "{{role}} takes turn {{n}}."}]}
 ], "otherwise": [{"say": "Said by {{role}}."}, {"seal": "done"}]}`

// People talk with heroes in a browser: a chat with a tool and Markdown, a task, a council. A reload and a kill of the
// server during an answer lose nothing that was shown, and a search finds the words (S0-B20, S0-B21, S4-11, S4-16 to
// S4-18).
func TestPageTalks(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "talk.json")
	file(t, script, pageTalkers)
	home := pageHome(t, "-script", script, "-pace", "watchable")
	l := home.Start()
	p := newPerson(t, "Ada")
	p.links(l, flawed(t))
	p.sees("talk")

	// A chat is started from the list.
	p.click("talk-new")
	p.sees("talk-kind")
	p.eval(`(() => { const e = document.querySelector('[data-testid="talk-kind"]'); e.value = 'chat'; e.dispatchEvent(new Event('change', { bubbles: true })); return true })()`)
	p.click("talk-start-go")
	p.until("the chat", `document.querySelector('[data-testid="conversation"]')?.dataset.kind === 'chat'`)
	p.types("talk-prompt", "How many?")
	p.click("talk-send")
	p.until("the answer", `[...document.querySelectorAll('[data-testid="message"][data-role="assistant"] strong')].some(e => e.textContent === '41')`)
	p.until("the tool's row", `document.querySelector('[data-testid="message"][data-role="tool"]')?.dataset.status === 'done'`)
	p.shot("talk-chat")

	// Text stays text.
	p.types("talk-prompt", "Something dangerous, please.")
	p.click("talk-send")
	p.until("the dangerous answer", `[...document.querySelectorAll('[data-testid="message"][data-role="assistant"] strong')].some(e => e.textContent === 'bold')`)
	if got := p.eval(`String(window.__broken) + document.querySelectorAll('[data-testid="transcript"] script, [data-testid="transcript"] [onerror], [data-testid="transcript"] a[href^="javascript"]').length`); got != "undefined0" {
		t.Errorf("S0-B20: %s", got)
	}

	// After a reload during an answer, the page shows the text so far and then the rest.
	said := `(() => { const e = [...document.querySelectorAll('[data-testid="message"][data-role="assistant"]')].at(-1); return e?.textContent.match(/one word and another/g)?.length ?? 0 })()`
	p.types("talk-prompt", "Now slowly.")
	p.click("talk-send")
	p.until("some words", said+` > 3`)
	before := p.eval(said)
	sessions := p.eval(`document.querySelectorAll('[data-testid="talk-list"] [data-testid^="talk-c"]').length`)
	p.do(chromedp.Reload())
	p.until("the words again", `window.__dungeon !== undefined && `+said+` >= `+before)
	if now := p.eval(`document.querySelectorAll('[data-testid="talk-list"] [data-testid^="talk-c"]').length`); now != sessions {
		t.Errorf("S4-16: %s conversations before the reload, %s after", sessions, now)
	}
	p.shot("talk-reloaded")

	// After a kill during an answer, the row says so, and the answer can be retried.
	p.until("more words", said+` > `+before)
	l.Kill()
	l = home.Start()
	p.until("the cut answer", `[...document.querySelectorAll('[data-testid="message"][data-role="assistant"]')].at(-1)?.dataset.status === 'interrupted'`)
	p.sees("retry-now-answer")
	p.shot("talk-interrupted")
	p.click("retry-now-answer")
	p.until("the answer again", `[...document.querySelectorAll('[data-testid="message"][data-role="assistant"]')].at(-1)?.dataset.status === 'open' && `+said+` > 3`)
	// The answer grows and moves the button: a click at its place could miss it.
	p.eval(`(document.querySelector('[data-testid="stop"]').click(), true)`)
	p.until("the stopped answer", `[...document.querySelectorAll('[data-testid="message"][data-role="assistant"]')].at(-1)?.dataset.status === 'cancelled' && `+said+` > 3`)

	// The search finds the words, and the hit leads to their row.
	p.types("talk-search", "how many")
	p.until("hits", `document.querySelectorAll('[data-testid="talk-hit"]').length >= 1`)
	p.shot("talk-search")
	p.click("talk-hit")
	p.until("the row that was found", `[...document.querySelectorAll('[data-testid="message"][data-role="user"]')].some(e => e.textContent.includes('How many?'))`)

	// A council with two heroes is started.
	p.click("talk-new")
	p.sees("talk-kind")
	p.eval(`(() => { const e = document.querySelector('[data-testid="talk-kind"]'); e.value = 'council'; e.dispatchEvent(new Event('change', { bubbles: true })); return true })()`)
	p.until("members", `document.querySelectorAll('[data-testid^="talk-member-"]').length > 2`)
	p.eval(`([...document.querySelectorAll('[data-testid^="talk-member-"]')].filter(e => !e.dataset.testid.endsWith('self')).slice(0, 2).forEach(e => e.checked || e.click()), true)`)
	p.types("talk-task", "Weigh it together.")
	p.shot("talk-start")
	p.click("talk-start-go")
	p.until("the council", `document.querySelector('[data-testid="conversation"]')?.dataset.kind === 'council'`)
	p.until("its end", `document.querySelector('[data-testid="talk-head"]')?.dataset.status === 'completed'`)
	p.shot("talk-council")

	p.do(chromedp.EmulateViewport(390, 844))
	p.until("narrow", `innerWidth === 390`)
	p.shot("talk-phone")
	if wide := p.eval(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
		t.Error("the page is wider than a phone")
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
}
