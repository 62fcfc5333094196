package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// chosenTalk is an expression for the conversation that is shown.
const chosenTalk = `document.querySelector('[data-testid="conversation"]')?.dataset`

// cursorIn is an expression that tells whether the cursor is in a box for text.
func cursorIn(testid string) string {
	return `document.activeElement?.dataset.testid === '` + testid + `'`
}

// picks opens the palette by its keys, types words, and presses Enter at the entry of the kind.
func (p *person) picks(kind, words string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.until("the cursor in the palette", cursorIn("palette-text"))
	p.types("palette-text", words)
	const entries = `[...document.querySelectorAll('[data-testid="palette-entry"]')]`
	wanted := fmt.Sprintf(`e.dataset.kind === %q && e.innerText.includes(%q)`, kind, words)
	p.until("the "+kind+" "+words, entries+`.some(e => `+wanted+`)`)
	selected := entries + `.some(e => e.getAttribute('aria-selected') === 'true' && ` + wanted + `)`
	for range 20 {
		if p.eval(selected) == "true" {
			break
		}
		p.do(chromedp.KeyEvent(kb.ArrowDown))
	}
	p.until("the "+kind+" as selected", selected)
	p.pressesEnter()
	p.until("no palette", `document.querySelector('[data-testid="palette"]') === null`)
}

// pressesEnter presses Enter as a keyboard does: if the page handles the key going down, no character follows.
// chromedp.KeyEvent sends the character in any case, and on a slow machine it comes when the page has moved the focus,
// and clicks the button there.
func (p *person) pressesEnter() {
	p.t.Helper()
	key := input.DispatchKeyEventParams{Key: "Enter", Code: "Enter", Text: "\r", WindowsVirtualKeyCode: 13}
	for _, key.Type = range []input.DispatchKeyEventType{kb.KeyDown, kb.KeyUp} {
		if _, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, key); err != nil {
			p.t.Fatalf("%s: %v", p.name, err)
		}
		key.Text = ""
	}
}

// When a person starts or answers a conversation, the page opens the conversation and puts the cursor into its text
// box.
func TestPageTalkFocus(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "talk.json")
	file(t, script, pageTalkers)
	l := NewHome(t, server, "-script", script, "-pace", "instant").Start()
	p := newPerson(t, "Ada")
	p.links(l, flawed(t))
	p.click("talk-new")
	p.sees("talk-kind")
	p.chooses("talk-kind", "chat")
	p.click("talk-start-go")
	p.until("the chat", chosenTalk+`.kind === 'chat'`)
	p.until("the cursor in its box", cursorIn("talk-prompt"))
	p.until("one box", `document.querySelectorAll('[data-testid="prompt"], [data-testid="talk-prompt"]').length === 1`)
	p.do(chromedp.KeyEvent("How many?"), chromedp.KeyEvent(kb.Enter))
	p.until("the answer", `[...document.querySelectorAll('[data-testid="message"][data-role="assistant"] strong')].some(e => e.textContent === '41')`)
	p.until("the cursor in its box still", cursorIn("talk-prompt"))

	p.click("tab-findings")
	p.until("the page's box", `document.querySelector('[data-testid="prompt"]') !== null`)
	p.click("new-process")
	p.sees("start-dialog")
	p.chooses("template", "standard_brainstorm")
	p.types("problem", "What now?")
	p.click("start-process")
	p.until("the process", chosenTalk+`.kind === 'process'`)
	p.until("the cursor in the box of the process", cursorIn("prompt"))
}

// The palette is used by keys alone and finds a command, files, also of rooms that were not shown, a finding, a person, a
// talk and a realm.
func TestPagePalette(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server, "-pace", "instant").Start()
	p := newPerson(t, "Ada")
	p.arrive(l)
	p.types("link-path", repository(t))
	p.click("link-submit")
	p.sees("game")
	first := p.eval(`window.__dungeon.state().realm.id`)
	name := p.eval(`window.__dungeon.state().realm.world.realm.name`)
	p.click("open-realms")
	p.types("link-path", flawed(t))
	p.click("link-submit")
	p.until("the second realm", `document.querySelector('[data-testid="game"]')?.dataset.realm.startsWith('flawed')`)
	p.click("tab-findings")
	p.click("empty-review")
	p.sees("completion")
	p.click("keep-reading")

	p.picks("file", "notes.txt")
	p.until("the file", `document.querySelector('[data-testid="file"]')?.dataset.path === 'notes.txt'`)
	p.click("file-close")
	flow := p.eval(`window.__dungeon.state().realm.world.findings.find(f => f.check === 'sentinel/command-injection').id`)
	title := p.eval(`window.__dungeon.state().realm.world.findings.find(f => f.id === '` + flow + `').title`)
	p.picks("finding", title)
	p.until("the finding, open", `document.querySelector('[data-testid="finding-`+flow+`"] [data-testid="finding-evidence"]') !== null`)
	p.picks("talk", "Code review")
	p.until("the talk", chosenTalk+`.kind === 'process'`)
	p.until("the cursor in its box", cursorIn("prompt"))
	p.picks("question", "What is risky here?")
	p.until("the chat with the answer", chosenTalk+`.kind === 'chat' && [...document.querySelectorAll('[data-testid="message"][data-role="assistant"]')].some(e => e.dataset.status === 'done')`)
	p.picks("command", "Preferences")
	p.sees("preferences")
	p.onElement(chromedp.Click(id("preferences") + " .dialog-head button"))
	p.until("no dialog", `!document.querySelector('dialog[open]')`)

	q := newPerson(t, "Benedikta")
	q.arrive(l)
	q.until("the realm", `document.querySelector('[data-testid^="join-flawed"]')`)
	q.onElement(chromedp.Click(`[data-testid^="join-flawed"]`))
	q.sees("game")
	q.picks("folder", "src")
	p.until("where the other is", `window.__dungeon.state().realm.world.navigationState.agentCurrentPath[window.__dungeon.state().spectators.list.find(s => s.name === 'Benedikta')?.spectatorId] === 'src'`)
	p.picks("person", "Benedikta")
	p.until("the other's folder", `location.pathname.endsWith('/d/src')`)

	p.picks("realm", name)
	p.until("the realm", `document.querySelector('[data-testid="game"]')?.dataset.realm === '`+first+`'`)
	p.picks("file", "src/a..b/c.go")
	p.until("a file of a room that was not shown", `document.querySelector('[data-testid="file"]')?.dataset.path === 'src/a..b/c.go'`)
}
