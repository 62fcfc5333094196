package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const pageErase = `{"version": 1, "defaults": {"chunkMs": 2, "chunkWords": 4}, "turns": [
 {"match": {"kind": "chat"}, "steps": [{"say": "You said: {{words}}"}]}
 ], "otherwise": [{"say": "Well."}, {"seal": "done"}]}`

// keeps is an expression for everything that a page shows, has in its fields and stores.
const keeps = `document.documentElement.outerHTML + [...document.querySelectorAll('textarea, input')].map(e => e.value).join() + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + JSON.stringify(window.__dungeon.state())`

// A conversation is erased while another browser has it open: its words are gone from both pages and from the storage
// of both browsers, a sentence replaces the conversation, and the receipt says what was changed. Then a person erases
// themselves, and the page no longer knows the person (S1-19).
func TestPageErase(t *testing.T) {
	t.Parallel()
	const planted = "amber-thistle"
	script := filepath.Join(t.TempDir(), "erase.json")
	file(t, script, pageErase)
	l := NewHome(t, server, "-script", script, "-pace", "instant").Start()
	ada := newPerson(t, "Ada")
	ada.links(l, flawed(t))
	ada.click("talk-new")
	ada.pick("talk-kind", "chat")
	ada.click("talk-start-go")
	ada.until("the chat", `document.querySelector('[data-testid="conversation"]')?.dataset.kind === 'chat'`)
	ada.types("talk-prompt", "Remember the "+planted+".")
	ada.click("talk-send")
	ada.until("the answer", text("transcript")+`.includes('You said: Remember the `+planted+`')`)
	talk := ada.eval(`document.querySelector('[data-testid="conversation"]').dataset.conversation`)

	ben := newPerson(t, "Ben")
	ben.arrive(l)
	ben.until("the realm", `document.querySelector('[data-testid^="join-"]')`)
	ben.onElement(chromedp.Click(`[data-testid^="join-"]`))
	ben.click("talk-" + talk)
	ben.until("the words", text("transcript")+`.includes('`+planted+`')`)
	ben.types("talk-prompt", "More about the "+planted)
	ben.types("talk-search", planted)
	ben.until("hits", `document.querySelectorAll('[data-testid="talk-hit"]').length > 0`)
	for _, p := range []*person{ada, ben} {
		if held := p.eval(keeps); !strings.Contains(held, planted) {
			t.Fatalf("%s's page does not hold what is to go", p.name)
		}
	}

	ben.expects = "503 (Service Unavailable)" // his page searches again, perhaps while the erasure runs
	ada.click("talk-erase")
	ada.reads("This cannot be undone.")
	ada.shot("erase-ask")
	ada.click("erase-yes")
	ada.sees("receipt")
	ada.shot("erase-receipt")
	ada.click("erase-done")
	for _, p := range []*person{ada, ben} {
		p.reads("This conversation was erased.")
		p.until("nothing of it", `!(`+keeps+`).includes('`+planted+`') || document.querySelector('[data-testid="talk-search"]').value !== ''`)
		p.until("it left the list", `document.querySelector('[data-testid="talk-`+talk+`"]') === null`)
	}
	ben.until("no hit", `document.querySelectorAll('[data-testid="talk-hit"]').length === 0`)
	// Ben's page keeps the words in his search field until he clears the field.
	ben.do(chromedp.Click(`[data-testid="talk-search"] + button`))
	ben.until("nothing of it", `!(`+keeps+`).includes('`+planted+`')`)
	ben.shot("erase-watched")
	ben.do(chromedp.Reload())
	ben.until("nothing of it after a reload", `window.__dungeon?.phase === 'game' && window.__dungeon.connected && !(`+keeps+`).includes('`+planted+`')`)
	ada.click("erased-leave")

	// Ada erases her own words and her name.
	ada.types("prompt", "Said in passing: "+planted)
	ada.click("send")
	ben.until("the words", `document.body.innerText.includes('`+planted+`')`)
	ada.click("open-preferences")
	ada.click("erase-me")
	ada.shot("erase-me")
	ada.click("erase-yes")
	ada.sees("receipt")
	ada.click("erase-done")
	ada.sees("splash")
	ben.until("nothing of them", `!(`+keeps+`).includes('`+planted+`') && !document.body.innerText.includes('Ada')`)
	ben.shot("erase-person")
	if held := ada.eval(`JSON.stringify(localStorage)`); strings.Contains(held, "Ada") || strings.Contains(held, planted) {
		t.Errorf("the browser keeps %s", held)
	}
	// Ada comes back as a new person.
	ada.click("begin")
	ada.types("identity-name", "Cleo")
	ada.until("the realm", `document.querySelector('[data-testid^="join-"]')`)
	ada.onElement(chromedp.Click(`[data-testid^="join-"]`))
	ada.sees("game")
	ben.until("somebody new", `document.querySelector('[data-testid="people"]').textContent.includes('Cleo')`)
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
}
