package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"agentdungeon/server/mirror/redistest"
)

// These tests run the built page in a real browser against the real binary. They keep pictures in test-artifacts for
// people to look at.

// chrome has the browser that all tests of the page share.
var chrome struct {
	once sync.Once
	ctx  context.Context
	stop func()
	err  error
}

// browser returns a context of the browser. If there is no browser, it skips the test with a loud message, or fails it
// if AGENTDUNGEON_REQUIRE_BROWSER is set.
func browser(t *testing.T) context.Context {
	t.Helper()
	without := t.Skipf
	if os.Getenv("AGENTDUNGEON_REQUIRE_BROWSER") == "1" {
		without = t.Fatalf
	}
	path := ""
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); name != "" && err == nil {
			path = p
			break
		}
	}
	if path == "" {
		without("NO CHROMIUM: the page is not tested in a browser")
	}
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	// Without the built page the binary serves a placeholder.
	if data, err := os.ReadFile(filepath.Join(root, "client/dist/index.html")); err != nil || len(data) == 0 {
		without("NO PAGE: it is not built (make page) and not tested in a browser")
	}
	chrome.once.Do(func() {
		alloc, cancel := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.WSURLReadTimeout(Patience), chromedp.WindowSize(1440, 900),
			// Chromium drops clicks that come before the first frame of a page, which takes seconds on a busy machine.
			chromedp.Flag("allow-pre-commit-input", true))...)
		ctx, end := chromedp.NewContext(alloc)
		chrome.ctx, chrome.stop = ctx, func() { end(); cancel() }
		chrome.err = chromedp.Do(ctx)
	})
	if chrome.err != nil {
		t.Fatal(chrome.err)
	}
	return chrome.ctx
}

// person is a person with a browser of their own. The browser asks for reduced motion until a test calls prefers,
// because without a GPU the maps of a few open pages use most of two cores.
type person struct {
	t    *testing.T
	ctx  context.Context
	name string

	mu      sync.Mutex
	bad     []string // errors in the console
	expects string   // a text of console errors that are allowed, "" for none
}

func newPerson(t *testing.T, name string) *person {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext())
	ctx, stop := context.WithTimeout(ctx, 2*Patience) // against a hang
	p := &person{t: t, ctx: ctx, name: name}
	messages := chromedp.Console(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range messages {
			if err != nil {
				return // the tab is closed
			}
			// In some tests the server is away on purpose.
			if (m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException) && !strings.Contains(m.Text, "net::ERR_") && !strings.Contains(m.Text, "WebSocket connection") {
				p.mu.Lock()
				if p.expects == "" || !strings.Contains(m.Text, p.expects) {
					p.bad = append(p.bad, m.Text+" "+m.URL)
				}
				p.mu.Unlock()
			}
		}
	}()
	p.prefers("reduce")
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

// pageHome returns a home whose servers all use one address, so that pages find the next server.
func pageHome(t *testing.T, args ...string) *Home {
	t.Helper()
	port, err := redistest.HoldPort()
	must(t, err)
	t.Cleanup(func() { must(t, port.Release()) })
	return NewHome(t, server, append([]string{"-addr", port.Addr}, args...)...)
}

func id(testid string) string { return `[data-testid="` + testid + `"]` }

func (p *person) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
}

// click clicks an element that is visible.
func (p *person) click(testid string) {
	p.t.Helper()
	p.sees(testid)
	p.onElement(chromedp.Click(id(testid)))
}

// onElement clicks or types. If the page replaces the element after chromedp has found it, nothing has been clicked
// or typed, and onElement finds the element again: a person would not notice.
func (p *person) onElement(step chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	for end := time.Now().Add(Patience); ; {
		err := chromedp.Do(p.ctx, step)
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "node with given id") || time.Now().After(end) {
			p.t.Fatalf("%s: %v", p.name, err)
		}
	}
}

// types types text into a field as a person does.
func (p *person) types(testid, text string) {
	p.t.Helper()
	p.sees(testid)
	p.onElement(chromedp.SendKeys(id(testid), text))
}

// pastes puts a long text into a field in one step, because each typed letter costs three messages to the browser and a
// rendering.
func (p *person) pastes(testid, text string) {
	p.t.Helper()
	p.sees(testid)
	p.onElement(chromedp.Focus(id(testid)))
	if _, err := chromedp.Call(p.ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
}

// prefers sets the media feature prefers-reduced-motion for pages that are loaded from now on: "reduce" or
// "no-preference".
func (p *person) prefers(motion string) {
	p.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: motion}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		p.t.Fatalf("%s: %v", p.name, err)
	}
}

// chooses selects an entry of a list.
func (p *person) chooses(testid, value string) {
	p.t.Helper()
	p.sees(testid)
	p.do(chromedp.SetValue(id(testid), value))
	p.eval(`document.querySelector('` + id(testid) + `').dispatchEvent(new Event('change', {bubbles: true}))`)
}

// seen is a JavaScript expression for what the error of a failed wait shows: the address, what is opened, where the
// focus is, and the text.
const seen = `[
  location.href,
  "open: " + [...document.querySelectorAll('[aria-expanded="true"], [aria-selected="true"]')].map(e => e.innerText).join(" | "),
  "focus: " + document.activeElement?.outerHTML.slice(0, 200),
  document.body.innerText.slice(0, 1500),
].join("\n")`

// until polls the page until expression is true. It survives reloads and redirections.
func (p *person) until(what, expression string) {
	p.t.Helper()
	poll := chromedp.Poll[bool]("Boolean("+expression+")",
		chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(Patience))
	for end := time.Now().Add(Patience); ; {
		_, err := chromedp.Run(p.ctx, poll)
		if err == nil {
			return
		}
		gone := strings.Contains(err.Error(), "Cannot find context") || strings.Contains(err.Error(), "navigated or closed")
		if !gone || time.Now().After(end) {
			page, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](seen))
			p.t.Fatalf("%s does not see %s: %v\n%s", p.name, what, err, page)
		}
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

// shot saves a picture of the page.
func (p *person) shot(name string) {
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = keep(name+".png", png)
	}
	if err != nil {
		p.t.Logf("no screenshot %s: %v", name, err)
	}
}

// keep writes an artifact of the tests.
func keep(name string, data []byte) error {
	root, err := Root()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "test-artifacts")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), data, 0o644)
}

// closeBrowser ends the browser, if one was started.
func closeBrowser() {
	if chrome.stop != nil {
		chrome.stop()
	}
}

// arrive opens the page as on a first visit, leaves the start screen for the form in which a realm is chosen, and
// types the person's name.
func (p *person) arrive(l *Life) {
	p.t.Helper()
	p.do(chromedp.Navigate("http://" + l.Addr + "/"))
	p.click("begin")
	p.sees("setup")
	p.types("identity-name", p.name)
}

// links arrives, links a folder and waits for its map.
func (p *person) links(l *Life, folder string) {
	p.t.Helper()
	p.arrive(l)
	p.types("link-path", folder)
	p.click("link-submit")
	p.sees("map")
}

// tabTo presses the Tab key until the element with the selector has the focus.
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
