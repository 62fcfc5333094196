package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const transcript = `Array.from(document.querySelectorAll('[data-testid="message"]')).map(m => m.innerText).join('\n')`

// A person visits the page for the first time and links a folder; after a reload the page shows the map without a
// click.
func TestPageFromTheFirstVisitToTheMap(t *testing.T) { // S3-08, S3-09, S3-10, S3-19
	t.Parallel()
	dir := repository(t)
	l := NewHome(t, server).Start()
	p := newPerson(t, "Ada")
	p.arrive(l)
	p.shot("setup")
	p.types("link-path", dir)
	p.click("link-submit")
	p.sees("game")
	p.click("map-list")
	p.until("the room", `document.querySelector('[data-testid="room"]')?.innerText.includes('README.md')`)
	p.shot("linked")
	for _, key := range []string{"agentDungeon.identity", "agentDungeon.realmId", "agentDungeon.gamePhase"} {
		if p.eval("localStorage.getItem('"+key+"')") == "null" {
			t.Errorf("S3-08: %s is not kept", key)
		}
	}
	p.types("prompt", "half a thought")
	p.do(chromedp.Reload())
	p.sees("game") // S3-09, S3-23: without a click
	p.until("what was typed", `document.querySelector('[data-testid="prompt"]')?.value === 'half a thought'`)
	p.until("the map", `document.querySelector('[data-testid="room"]')?.innerText.includes('README.md')`)
	p.eval("localStorage.setItem('agentDungeon.realmId', 'elsewhere')")
	p.do(chromedp.Navigate("http://" + l.Addr + "/")) // the address of the realm would lead back to it
	p.sees("setup")                                   // S3-10
	p.eval("localStorage.clear(), sessionStorage.clear()")
	p.do(chromedp.Reload())
	p.sees("splash") // S3-19
}

// mapAndAgents is an expression for the data from which the page draws the map: its size and rooms, and the place and
// kind of each figure.
const mapAndAgents = `(() => {
	const w = window.__dungeon.state().realm.world
	return JSON.stringify([w.country.tiles, w.mapTree, w.agents.map(a => [a.id, a.kind, a.role, a.displayName])])
})()`

// Two people with roles take part in a process in two browsers, and the server is killed during it.
func TestPagePeopleInRolesOutliveAKill(t *testing.T) { // S3-23, B15, B16
	t.Parallel()
	home := pageHome(t)
	l := home.Start()
	ada, ben := newPerson(t, "Ada"), newPerson(t, "Ben")
	ada.arrive(l)
	ada.types("problem", "How <b>long</b> is <img src=x onerror=alert(1)> kept?")
	ada.chooses("template", "standard_brainstorm")
	ada.click("start-process")
	ada.sees("game")
	ada.until("an inert problem", `document.querySelectorAll('img[src="x"], .stage-bar b').length === 0`) // S0-B20
	ada.click("take-role-ideator")
	ada.sees("my-turn")
	ada.shot("my-turn")
	ada.reads("Ada takes the role Ideator.")
	shown := ada.eval(mapAndAgents)
	ada.do(chromedp.Reload())
	ada.sees("my-turn")
	if again := ada.eval(mapAndAgents); again != shown {
		t.Errorf("S3-23: the page showed %s, and after a refresh %s", shown, again)
	}
	ada.reads("Ada takes the role Ideator.") // a text that a screen has shown
	ben.arrive(l)
	ben.until("the realm", `document.querySelector('[data-testid^="join-"]')`)
	ben.onElement(chromedp.Click(`[data-testid^="join-"]`))
	ben.sees("game")
	ben.click("take-role-facilitator")
	ada.types("prompt", "what was shown stays")
	ada.click("send")
	ben.reads("what was shown stays")
	ben.sees("my-turn")
	ada.types("prompt", "typed and not sent")

	before := ada.eval(transcript)
	shown = ada.eval(mapAndAgents)
	l.Kill()
	ada.until("the banner", `document.querySelector('[data-testid="banner"]')?.checkVisibility()`)
	ada.sees("game") // the screen is never empty
	ada.shot("offline")
	ben.types("prompt", "sent while nobody listened")
	ben.click("send")
	l = home.Start()
	ada.until("the server again", `window.__dungeon.connected && !document.querySelector('[data-testid="banner"]')`)
	ada.sees("restored")
	ada.shot("restored")
	ada.reads("sent while nobody listened")
	if again := ada.eval(mapAndAgents); again != shown {
		t.Errorf("S3-23: the page showed %s, and after a kill %s", shown, again)
	}
	if after := ada.eval(transcript); !strings.HasPrefix(strings.TrimSpace(after), strings.TrimSpace(before)) {
		t.Errorf("S3-23: the transcript was\n%s\nand is\n%s", before, after)
	}
	ada.until("what was typed", `document.querySelector('[data-testid="prompt"]')?.value === 'typed and not sent'`)
	ada.until("it once", `document.querySelector('[data-testid="transcript"]').innerText.split('sent while nobody listened').length === 2`)

	// Skip turns up to the end of the process: those of the two people and those of open roles.
	for range 40 {
		status := ada.eval(`window.__dungeon.state().realm?.world.processState.status`)
		if status == "completed" {
			break
		}
		seq := ada.eval(`window.__dungeon.seq`)
		ada.eval(`document.querySelector('[data-testid="waiting-skip"], [data-testid="skip"]')?.click()`)
		ben.eval(`document.querySelector('[data-testid="skip"]')?.click()`)
		ada.until("it move on", `window.__dungeon.seq > `+seq+` || window.__dungeon.state().realm?.world.processState.status === 'completed'`)
	}
	ada.sees("completion")
	ada.shot("completed")
	if code := l.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// After a reload during an answer, the page shows the text so far at once, and then the rest, once.
func TestPageReloadInMidAnswer(t *testing.T) { // S4-11
	t.Parallel()
	script := file(t, filepath.Join(t.TempDir(), "cast.json"), `{"version":1,"turns":[{"steps":[{"say":"alpha beta gamma delta ","chunkMs":20,"chunkWords":1},{"delayMs":4000},{"say":"epsilon zeta eta theta.","chunkMs":20,"chunkWords":1},{"stall":true}]}]}`)
	l := NewHome(t, server, "-script", script).Start()
	p := newPerson(t, "Ada")
	p.arrive(l)
	p.types("problem", "p")
	p.click("start-process")
	p.reads("alpha beta gamma delta")
	p.do(chromedp.Reload())
	p.reads("alpha beta gamma delta")
	p.shot("mid-answer")
	p.reads("alpha beta gamma delta epsilon zeta eta theta.")
	p.until("it once", `document.querySelector('[data-testid="transcript"]').innerText.split('alpha beta gamma delta').length <= 3`)
}

// A person gets from the start screen to an answer of their own with the keyboard alone.
func TestPageByKeyboard(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server).Start()
	p := newPerson(t, "Kay")
	p.do(chromedp.Navigate("http://" + l.Addr + "/"))
	p.sees("begin")
	p.tabTo(id("begin"))
	p.do(chromedp.KeyEvent(kb.Enter))
	p.sees("setup")
	p.tabTo(id("identity-name"))
	p.do(chromedp.KeyEvent(p.name))
	p.tabTo(id("problem"))
	p.do(chromedp.KeyEvent("Hands on the keys"))
	p.tabTo(id("template"))
	p.do(chromedp.KeyEvent("Deep"))
	p.until("the process that was typed", `document.querySelector('[data-testid="template"]').value === 'deep_brainstorm'`)
	p.tabTo(id("start-process"))
	p.do(chromedp.KeyEvent(kb.Enter))
	p.sees("game")
	p.until("a role to take", takeButton)
	p.tabTo("[data-testid^=take-role-]")
	if p.eval("getComputedStyle(document.activeElement).outlineStyle") == "none" {
		t.Error("one does not see where the focus is")
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.sees("my-turn")
	p.tabTo(id("prompt"))
	p.do(chromedp.KeyEvent("without a mouse"), chromedp.KeyEvent(kb.Enter))
	p.reads("without a mouse")
	p.until("it as sent", `document.querySelector('[data-testid="transcript"]').innerText.includes('without a mouse')`)
}

// On a phone nothing is cut off, and a person can take a role and answer with one thumb.
func TestPageOnASmallScreen(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server).Start()
	p := newPerson(t, "Cleo")
	p.do(chromedp.EmulateViewport(360, 740, func(m *emulation.SetDeviceMetricsOverrideParams, _ *emulation.SetTouchEmulationEnabledParams) {
		m.Mobile = true
	}))
	p.arrive(l)
	p.shot("phone-setup")
	p.types("problem", "Small screens")
	p.chooses("template", "standard_brainstorm")
	p.click("start-process")
	p.sees("game")
	p.shot("phone-game")
	if w := p.eval("document.documentElement.scrollWidth <= innerWidth"); w != "true" {
		t.Error("the page is wider than the screen")
	}
	p.until("a role to take", takeButton)
	p.eval(takeButton + `.click()`)
	p.sees("my-turn")
	p.types("prompt", "from a telephone")
	p.click("send")
	p.reads("from a telephone")
	p.shot("phone-answered")
}

// takeButton is an expression for the button in the stage bar that takes an open role.
const takeButton = `Array.from(document.querySelectorAll('[data-testid="waiting"] button')).find(b => b.innerText.startsWith('Take the role'))`

// A person opens the page in a second tab. It shows the realm at once, and what the person says in the first tab.
func TestPageOpenInTwoTabs(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server, "-repo", repository(t)).Start()
	p := newPerson(t, "Ada")
	p.arrive(l)
	p.until("the realm", `document.querySelector('[data-testid^="join-"]')`)
	p.onElement(chromedp.Click(`[data-testid^="join-"]`))
	p.sees("game")
	ctx, cancel := chromedp.NewContext(p.ctx)
	defer cancel()
	second := &person{t: t, ctx: ctx, name: "Ada's second tab"}
	second.do(chromedp.Navigate("http://" + l.Addr + "/"))
	second.sees("game") // one person in two tabs
	p.until("one person", `window.__dungeon.connected`)
	p.types("prompt", "hello from the first")
	p.click("send")
	second.reads("hello from the first")
}
