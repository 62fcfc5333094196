package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"agentdungeon/client"
)

// The built page in a real browser against the real binary. Screenshots are kept
// in test-artifacts for people to look at.

// chrome is one browser for all tests of the page.
var chrome struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
}

// browser gives a context of the browser, or skips: loudly, and not at all where
// AGENTDUNGEON_REQUIRE_BROWSER is set.
func browser(t *testing.T) context.Context {
	t.Helper()
	without := t.Skipf
	if os.Getenv("AGENTDUNGEON_REQUIRE_BROWSER") == "1" {
		without = t.Fatalf
	}
	path := ""
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); name != "" && err == nil {
			path = p
			break
		}
	}
	if path == "" {
		without("NO CHROMIUM: the page is not tested in a browser")
	}
	if data, err := os.ReadFile("../client/dist/index.html"); err != nil || len(data) == 0 || client.Page() == nil {
		without("the page is not built: run make page")
	}
	chrome.once.Do(func() {
		alloc, cancel := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.WindowSize(1440, 900))...)
		ctx, end := chromedp.NewContext(alloc)
		chrome.ctx, chrome.stop = ctx, func() { end(); cancel() }
		chrome.err = chromedp.Do(ctx)
	})
	if chrome.err != nil {
		t.Fatal(chrome.err)
	}
	return chrome.ctx
}

// person is somebody at a browser of their own.
type person struct {
	t    *testing.T
	ctx  context.Context
	name string
	mu   sync.Mutex
	bad  []string // what the console complained about
}

func newPerson(t *testing.T, name string) *person {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext())
	ctx, stop := context.WithTimeout(ctx, 100*time.Second)
	p := &person{t: t, ctx: ctx, name: name}
	messages := chromedp.Console(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range messages {
			if err != nil {
				return // the tab is gone
			}
			// A server that is away is what some tests are about.
			if (m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException) && !strings.Contains(m.Text, "net::ERR_") && !strings.Contains(m.Text, "WebSocket connection") {
				p.mu.Lock()
				p.bad = append(p.bad, m.Text)
				p.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() {
		if t.Failed() {
			p.shot("failed-" + strings.ReplaceAll(t.Name(), "/", "-") + "-" + name)
		}
		stop()
		cancel()
		<-done
		for _, text := range p.bad {
			t.Errorf("%s's console: %s", name, text)
		}
	})
	return p
}

func id(testid string) string { return `[data-testid="` + testid + `"]` }

func (p *person) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
}

// click clicks what a person can see.
func (p *person) click(testid string) {
	p.t.Helper()
	p.sees(testid)
	p.do(chromedp.Click(id(testid)))
}

// types puts text into a field as a person does.
func (p *person) types(testid, text string) {
	p.t.Helper()
	p.sees(testid)
	p.do(chromedp.SendKeys(id(testid), text))
}

// until polls the page for an expression; it survives reloads.
func (p *person) until(what, expression string) {
	p.t.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool]("Boolean("+expression+")", chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(20*time.Second))); err != nil {
		text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string]("document.body.innerText.slice(0, 1500)"))
		p.t.Fatalf("%s does not see %s: %v\n%s", p.name, what, err, text)
	}
}

func (p *person) sees(testid string) {
	p.t.Helper()
	p.until(testid, "document.querySelector('"+id(testid)+"')?.checkVisibility()")
}

func (p *person) reads(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%q", text), fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

func (p *person) eval(expression string) string {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		p.t.Fatalf("%s: %s: %v", p.name, expression, err)
	}
	return v
}

func (p *person) shot(name string) {
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		dir := filepath.Join("..", "test-artifacts")
		if err = os.MkdirAll(dir, 0o755); err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
		}
	}
	if err != nil {
		p.t.Logf("no screenshot %s: %v", name, err)
	}
}

// arrive goes from the first visit to where one chooses a place.
func (p *person) arrive(s *server) {
	p.t.Helper()
	p.do(chromedp.Navigate("http://" + s.addr + "/"))
	p.click("begin")
	p.sees("setup")
	p.types("identity-name", p.name)
}

const transcript = `Array.from(document.querySelectorAll('[data-testid="message"]')).map(m => m.innerText).join('\n')`

// The first visit, the map, and a reload that needs no click.
func TestPageFromTheFirstVisitToTheMap(t *testing.T) { // S3-08, S3-09, S3-10, S3-19
	dir := repository(t)
	s := launch(t, freeAddr(t), filepath.Join(t.TempDir(), "worlds"))
	p := newPerson(t, "Ada")
	p.arrive(s)
	p.shot("setup")
	p.types("link-path", dir)
	p.click("link-submit")
	p.sees("game")
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
	p.do(chromedp.Reload())
	p.sees("setup") // S3-10
	p.eval("localStorage.clear(), sessionStorage.clear()")
	p.do(chromedp.Reload())
	p.sees("splash") // S3-19
}

// Two people hold a process in two browsers; the server is killed in the middle.
func TestPagePeopleInRolesOutliveAKill(t *testing.T) { // S3-23, B15, B16
	worlds, addr := filepath.Join(t.TempDir(), "worlds"), freeAddr(t)
	s := launch(t, addr, worlds)
	ada, ben := newPerson(t, "Ada"), newPerson(t, "Ben")
	ada.arrive(s)
	ada.types("problem", "How <b>long</b> is <img src=x onerror=alert(1)> kept?")
	ada.do(chromedp.SetValue(id("template"), "standard_brainstorm"))
	ada.eval(`document.querySelector('[data-testid="template"]').dispatchEvent(new Event('change', {bubbles: true}))`)
	ada.click("start-process")
	ada.sees("game")
	ada.until("an inert problem", `document.querySelectorAll('img[src="x"], .stage-bar b').length === 0`) // S0-B20
	ada.click("take-role-ideator")
	ada.sees("my-turn")
	ada.shot("my-turn")
	ada.reads("Ada takes the role Ideator.")
	ada.do(chromedp.Reload())
	ada.sees("my-turn")
	ada.reads("Ada takes the role Ideator.") // what a screen has shown
	ben.arrive(s)
	ben.until("the realm", `document.querySelector('[data-testid^="join-"]')`)
	ben.do(chromedp.Click(`[data-testid^="join-"]`))
	ben.sees("game")
	ben.click("take-role-facilitator")
	ada.types("prompt", "what was shown stays")
	ada.click("send")
	ben.reads("what was shown stays")
	ben.sees("my-turn")
	ada.types("prompt", "typed and not sent")

	before := ada.eval(transcript)
	s.kill()
	ada.until("the banner", `document.querySelector('[data-testid="banner"]')?.checkVisibility()`)
	ada.sees("game") // never an empty screen
	ada.shot("offline")
	ben.types("prompt", "sent while nobody listened")
	ben.click("send")
	s = launch(t, addr, worlds)
	ada.until("the server again", `window.__dungeon.connected && !document.querySelector('[data-testid="banner"]')`)
	ada.sees("restored")
	ada.shot("restored")
	ada.reads("sent while nobody listened")
	if after := ada.eval(transcript); !strings.HasPrefix(strings.TrimSpace(after), strings.TrimSpace(before)) {
		t.Errorf("S3-23: the transcript was\n%s\nand is\n%s", before, after)
	}
	ada.until("what was typed", `document.querySelector('[data-testid="prompt"]')?.value === 'typed and not sent'`)
	ada.until("it once", `document.querySelector('[data-testid="transcript"]').innerText.split('sent while nobody listened').length === 2`)

	// To the end: whoever is asked passes, open roles are passed too.
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
	s.end(syscall.SIGTERM)
}

// A reload in the middle of an answer shows what had come at once, and then the
// rest, once.
func TestPageReloadInMidAnswer(t *testing.T) { // S4-11
	script := put(t, t.TempDir(), "cast.json", `{"version":1,"turns":[{"steps":[{"say":"alpha beta gamma delta ","chunkMs":20,"chunkWords":1},{"delayMs":4000},{"say":"epsilon zeta eta theta.","chunkMs":20,"chunkWords":1},{"stall":true}]}]}`)
	s := launch(t, freeAddr(t), filepath.Join(t.TempDir(), "worlds"), "-script", script)
	p := newPerson(t, "Ada")
	p.arrive(s)
	p.types("problem", "p")
	p.click("start-process")
	p.reads("alpha beta gamma delta")
	p.do(chromedp.Reload())
	p.reads("alpha beta gamma delta")
	p.shot("mid-answer")
	p.reads("alpha beta gamma delta epsilon zeta eta theta.")
	p.until("it once", `document.querySelector('[data-testid="transcript"]').innerText.split('alpha beta gamma delta').length <= 3`)
}

// From the splash to an answer without a mouse.
func TestPageByKeyboard(t *testing.T) {
	s := launch(t, freeAddr(t), filepath.Join(t.TempDir(), "worlds"))
	p := newPerson(t, "Kay")
	p.do(chromedp.Navigate("http://" + s.addr + "/"))
	p.sees("begin")
	p.tabTo(id("begin"))
	p.do(chromedp.KeyEvent(kb.Enter))
	p.sees("setup")
	p.tabTo(id("identity-name"))
	p.do(chromedp.KeyEvent(p.name))
	p.tabTo(id("problem"))
	p.do(chromedp.KeyEvent("Hands on the keys"))
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

// tabTo walks with the Tab key until the focus is where it should be.
func (p *person) tabTo(selector string) {
	p.t.Helper()
	for range 80 {
		if p.eval(`Boolean(document.activeElement?.matches(`+"`"+selector+"`"+`))`) == "true" {
			return
		}
		p.do(chromedp.KeyEvent(kb.Tab))
	}
	p.t.Fatalf("%s cannot be reached by keyboard", selector)
}

// A telephone: nothing is cut off, a role is taken and answered with what a thumb
// reaches.
func TestPageOnASmallScreen(t *testing.T) {
	s := launch(t, freeAddr(t), filepath.Join(t.TempDir(), "worlds"))
	p := newPerson(t, "Cleo")
	p.do(chromedp.EmulateViewport(360, 740, func(m *emulation.SetDeviceMetricsOverrideParams, _ *emulation.SetTouchEmulationEnabledParams) {
		m.Mobile = true
	}))
	p.arrive(s)
	p.shot("phone-setup")
	p.types("problem", "Small screens")
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

// takeButton is what the stage bar offers while a role is open.
const takeButton = `Array.from(document.querySelectorAll('[data-testid="waiting"] button')).find(b => b.innerText.startsWith('Take the role'))`

// The same identity in a copied tab: the old one is told and can take over.
func TestPageOpenInTwoTabs(t *testing.T) {
	s := launch(t, freeAddr(t), filepath.Join(t.TempDir(), "worlds"), "-repo", repository(t))
	p := newPerson(t, "Ada")
	p.arrive(s)
	p.until("the realm", `document.querySelector('[data-testid^="join-"]')`)
	p.do(chromedp.Click(`[data-testid^="join-"]`))
	p.sees("game")
	ctx, cancel := chromedp.NewContext(p.ctx)
	defer cancel()
	second := &person{t: t, ctx: ctx, name: "Ada's second tab"}
	second.do(chromedp.Navigate("http://" + s.addr + "/"))
	second.sees("game") // one identity, two tabs
	p.until("one person", `window.__dungeon.connected`)
	p.types("prompt", "hello from the first")
	p.click("send")
	second.reads("hello from the first")
}
