package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The owner watches an agent in a terminal, answers its question and sends it a word, on a desktop and on a phone;
// another tab sees who answered (P17.8, P17.14).
func TestPageOfAnAgentAtWork(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]struct{ width, height int64 }{
		"desk":  {1440, 900},
		"phone": {390, 844},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pageOfAnAgent(t, name, size.width, size.height)
		})
	}
}

func pageOfAnAgent(t *testing.T, name string, width, height int64) {
	d := newDesk(t)
	pid, start := process(t)
	s := d.touches("5d3c1a00-0000-4000-8000-00000000000a", pid)
	l := d.home.Start()
	link := "http://" + l.Addr + "/?token=" + url.QueryEscape(l.Token("open"))

	p := newPerson(t, "Ada")
	p.do(chromedp.EmulateViewport(width, height,
		func(m *emulation.SetDeviceMetricsOverrideParams, _ *emulation.SetTouchEmulationEnabledParams) {
			m.Mobile = name == "phone"
		}))
	fits := func(what string) {
		t.Helper()
		p.shot("agent-" + what + "-" + name)
		if p.eval("document.documentElement.scrollWidth <= innerWidth") != "true" {
			t.Errorf("%s: the page is wider than the screen", what)
		}
	}
	p.do(chromedp.Navigate(link))
	p.click("begin")
	p.types("identity-name", p.name)
	p.until("the realm", `document.querySelector('[data-testid^="join-"]')`)
	p.onElement(chromedp.Click(`[data-testid^="join-"]`))
	p.sees("game")
	if name == "phone" {
		p.sees("tell-deaf") // of the agent's session, before its first hook
		p.do(chromedp.EmulateViewport(360, 640))
		p.withMap()
		p.until("room for the session beside the map of a small phone", roomOf+` >= 110`)
		fits("deaf")
		p.do(chromedp.EmulateViewport(width, height))
		p.click("tab-roster")
	}
	p.until("an agent at work", `document.querySelector('`+id("agent-doing")+`')?.innerText.includes('touch x')`)
	fits("watched")

	ended := d.hook("claude", d.aboutTouch(s, "PermissionRequest"))
	p.sees("door")
	p.until("the count in the title", `document.title.startsWith('(1)')`)
	fits("asked")
	ctx, cancel := chromedp.NewContext(p.ctx)
	defer cancel()
	second := &person{t: t, ctx: ctx, name: "Ada's second tab"}
	second.do(chromedp.Navigate("http://" + l.Addr + "/"))
	second.sees("door")
	p.onElement(chromedp.Click(id("door") + " .link")) // its session
	p.reads(strings.TrimPrefix(s.rows[0], "user "))
	p.click("door-allow")
	if did := ended(); !strings.HasPrefix(did, "0 ") || !strings.Contains(did, `\"behavior\":\"allow\"`) {
		t.Errorf("the hook did %s", did)
	}
	second.sees("door-over")
	second.reads("Ada")
	p.until("no count in the title", `!document.title.startsWith('(')`)
	result := []object{{"type": "tool_result", "tool_use_id": "toolu_d", "content": "done"}}
	s.append(spoke(t, s.id, d.dir, "user", "d-2", result) + "\n")
	s.append(spoke(t, s.id, d.dir, "assistant", "d-3", []object{{"type": "text", "text": "The file is there."}}) + "\n")
	d.status(s, pid, start, "idle")
	p.reads("The file is there.")
	fits("answered")

	field := id("tell") + " input"
	p.until("a field for a word", `document.querySelector('`+field+`')?.checkVisibility()`)
	p.onElement(chromedp.SendKeys(field, "Look at the docs, too."+kb.Enter))
	is := func(state string) {
		t.Helper()
		p.until("a word that is "+state, `document.querySelector('`+id("tell-word")+`')?.dataset.state === '`+state+`'`)
	}
	is("queued")
	fits("told")
	did := d.hook("-wake claude", d.aboutTouch(s, "Stop"))()
	if !strings.HasPrefix(did, `2 "" "`) || !strings.Contains(did, "Look at the docs, too.") {
		t.Fatalf("the hook did %s", did)
	}
	is("handed")
	handed := did[len(`2 "" "`) : len(did)-1]
	s.append(spoke(t, s.id, d.dir, "user", "w-1", "Stop hook feedback: "+handed) + "\n")
	is("delivered")
	p.until("whose word it is", `[...document.querySelectorAll('.who')].at(-1)?.innerText === 'Ada'`)
	fits("heard")
}

// A person without a name answers the question of an agent: the page asks for a name beside the buttons, and one press
// on the suggestion sends the answer.
func TestPageOfADeskWithoutAName(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	pid, start := process(t)
	s := d.touches("5d3c1a00-0000-4000-8000-00000000000d", pid)
	d.status(s, pid, start, "busy")
	l := d.home.Start()
	p := newPerson(t, "Nobody")
	p.do(chromedp.Navigate("http://" + l.Addr + "/?token=" + url.QueryEscape(l.Token("open"))))
	p.click("start-now")
	p.sees("game")
	ended := d.hook("claude", d.aboutTouch(s, "PermissionRequest"))
	p.click("door-allow")
	p.sees("ask-name")
	for _, size := range sizes {
		p.do(chromedp.EmulateViewport(size.width, size.height))
		p.until("the question beside the button on a "+size.name, `(([a, b]) => innerWidth === `+fmt.Sprint(size.width)+` &&
			a.top >= b.bottom && a.top - b.bottom < 20 && a.left <= b.right && a.right <= innerWidth && a.bottom <= innerHeight
		)(['ask-name', 'door-allow'].map(id => document.querySelector('[data-testid="' + id + '"]').getBoundingClientRect()))`)
		p.shot("door-name-" + size.name)
	}
	p.click("ask-name-yes")
	if did := ended(); !strings.HasPrefix(did, "0 ") || !strings.Contains(did, `\"behavior\":\"allow\"`) {
		t.Errorf("the hook did %s", did)
	}
	p.sees("door-over")
}
