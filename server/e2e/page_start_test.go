package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// startSizes are the widths and heights of screens at which the page is tried.
var startSizes = [][2]int64{{1440, 900}, {1024, 700}, {390, 844}, {360, 640}}

// resize gives the person's page the size of a screen.
func (p *person) resize(size [2]int64) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(size[0], size[1], func(m *emulation.SetDeviceMetricsOverrideParams, _ *emulation.SetTouchEmulationEnabledParams) {
		m.Mobile = size[0] < 700
	}))
}

// A new person comes from the link to a running review by one click, without a text typed. A name is asked for when
// they speak, and the suggested one is accepted by a click.
func TestPageFromTheLinkToARunningReview(t *testing.T) {
	for _, size := range startSizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			l := NewHome(t, server, "-repo", flawed(t), "-pace", "instant").Start()
			p := newPerson(t, "Nobody")
			p.resize(size)
			p.do(chromedp.Navigate("http://" + l.Addr + "/"))
			p.until("the review that is offered", `document.querySelector('[data-testid="start-now"]')?.dataset.start === 'review'`)
			p.shot("start-" + p.eval("innerWidth"))
			if p.eval("document.documentElement.scrollWidth <= innerWidth") != "true" {
				t.Error("the start screen is wider than the screen")
			}
			p.click("start-now")
			p.sees("game")
			p.until("the review", `['running', 'completed'].includes(window.__dungeon.state().realm?.world.processState.status)`)
			p.until("a finding", `window.__dungeon.state().realm.world.findings.length > 0`)
			if p.eval("localStorage.getItem('agentDungeon.identity')") != "null" {
				t.Error("a name was entered")
			}
			p.do(chromedp.Reload())
			p.sees("game")
			p.types("prompt", "what is risky here?")
			p.click("send")
			p.sees("ask-name")
			p.until("the focus in its field", `document.activeElement?.dataset.testid === 'ask-name-field'`)
			p.shot("ask-name-" + p.eval("innerWidth"))
			p.click("ask-name-yes")
			p.until("the words", `window.__dungeon.pending.length === 0 && JSON.stringify(window.__dungeon.state().realm).includes('what is risky here?')`)
			if name := p.eval("JSON.parse(localStorage.getItem('agentDungeon.identity')).name"); name == "" {
				t.Error("the suggested name is not kept")
			}
		})
	}
}

// Who gives a name to speak goes on typing in the text box, without a click.
func TestPageGoesOnTypingAfterTheName(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server).Start()
	ada, nora := newPerson(t, "Ada"), newPerson(t, "Nora")
	ada.arrive(l)
	ada.types("problem", "How do we learn of changes?")
	ada.chooses("template", "standard_brainstorm")
	ada.click("start-process")
	ada.sees("game")
	nora.do(chromedp.Navigate("http://" + l.Addr + ada.eval("location.pathname")))
	nora.types("prompt", "hello")
	nora.eval(`document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))`)
	nora.types("ask-name-field", "Nora")
	nora.click("ask-name-yes")
	nora.until("the words", `!document.querySelector('dialog') && window.__dungeon.pending.length === 0`)
	nora.do(chromedp.KeyEvent("and more"))
	nora.until("what was typed", `document.querySelector('[data-testid="prompt"]').value === 'and more'`)
}

// The country behind the words of the start screen is that of the offered folder, before anything is linked and after.
// P5.1a.
func TestPageShowsTheOfferedCountry_P5_1a(t *testing.T) {
	t.Parallel()
	h := NewHome(t, server, "-pace", "instant")
	h.Dir = flawed(t)
	l := h.Start()
	p := newPerson(t, "Nobody")
	p.do(chromedp.Navigate("http://" + l.Addr + "/"))
	p.until("the country of the offered folder", `document.querySelector('[data-testid="backdrop"] canvas') && window.__dungeon.map?.ready`)
	p.shot("start-offered")
	status, body := fetch(t, "GET", "http://"+l.Addr+"/api/offer", "")
	offered := string(body)
	if status != 200 || !strings.Contains(offered, `"name":"`+filepath.Base(h.Dir)+`"`) {
		t.Fatalf("P5.1a: %d %s", status, offered)
	}
	p.click("start-now")
	p.sees("game")
	p.until("the review", `window.__dungeon.state().realm?.world.findings.length > 0`)
	if id := p.eval("window.__dungeon.state().realm.id"); !strings.Contains(offered, `"realmId":"`+id+`"`) {
		t.Errorf("P5.1a: the realm is %s, the preview was %s", id, offered[:min(len(offered), 80)])
	}
}

// The link of a spectator shows the realm at once, asks for nothing, and shows no path of the server's disk.
func TestPageOfASpectatorShowsTheRealmAtOnce(t *testing.T) {
	dir := flawed(t)
	l := NewHome(t, server, "-repo", dir, "-token", strings.Repeat("h", 20)).Start()
	p := newPerson(t, "Nobody")
	p.do(chromedp.Navigate("http://" + l.Addr + "/?token=" + l.Token("spectators")))
	p.sees("game")
	if p.eval("Boolean(document.querySelector('dialog, [data-testid=\"identity-name\"]'))") == "true" {
		t.Error("the page asks a spectator for something")
	}
	html := p.eval("document.documentElement.outerHTML + JSON.stringify(window.__dungeon.state())")
	if strings.Contains(html, dir) {
		t.Error("the page of a spectator names the linked folder's path")
	}
	p.shot("spectator")
}
