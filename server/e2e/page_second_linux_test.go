package e2e

import (
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
)

// overNothing is an expression: neither a name nor a control of the map is under the second scene.
const overNothing = `(b => b && [...document.querySelectorAll('.tag, .map button, .scene-why, .minimap')]
	.filter(e => !e.closest('.second-scene') && e.checkVisibility({ visibilityProperty: true }))
	.map(e => e.getBoundingClientRect())
	.every(a => a.right <= b.left || a.left >= b.right || a.bottom <= b.top || a.top >= b.bottom)
)(document.querySelector('[data-testid="second"]')?.getBoundingClientRect())`

// While a person looks around, an agent that waits for an answer elsewhere is shown in a small picture, which says what
// it is and covers nothing. A click or a key leads there, and it stays closed once it is closed. On a phone it is a line.
func TestPageShowsASecondScene(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	pid, start := process(t)
	r := d.claude("5d3c1a00-0000-4000-8000-00000000000c", pid)
	r.append(r.next())
	input := object{"command": "touch x"}
	call := []object{{"type": "tool_use", "id": "toolu_d", "name": "Bash", "input": input}}
	r.append(spoke(t, r.id, d.dir, "assistant", "d-1", call) + "\n")
	d.status(r, pid, start, "busy")
	l := d.home.Start()
	s := newTour(t, "Ada")
	s.do(chromedp.Navigate("http://" + l.Addr + "/?token=" + url.QueryEscape(l.Token("open"))))
	s.click("begin")
	s.types("identity-name", s.name)
	s.until("the realm", `document.querySelector('[data-testid^="join-"]')`)
	s.onElement(chromedp.Click(`[data-testid^="join-"]`))
	s.sees("drawn-map")
	s.until("the agent", `window.__dungeon.map?.heroes?.some(h => h.id.startsWith('claude'))`)
	ended := d.hook("claude", object{"hook_event_name": "PermissionRequest", "session_id": r.id, "cwd": d.dir,
		"tool_name": "Bash", "tool_input": input})
	s.until("the agent in the main view", `document.querySelector('[data-testid="scene"]')?.dataset.why === 'door'`)
	const none = `!document.querySelector('[data-testid="second"]')`
	s.until("no second scene of what the main view shows", none)

	away := func() {
		t.Helper()
		s.until("the folders", `[...document.querySelectorAll('.tree button')].some(b => b.textContent.startsWith('src'))`)
		s.eval(`([...document.querySelectorAll('.tree button')].find(b => b.textContent.startsWith('src')).click(), true)`)
		s.until("another room", `document.querySelector('[data-testid="drawn-map"]')?.dataset.place === 'room:src'`)
	}
	away()
	s.until("the question in a picture", `document.querySelector('[data-testid="second-show"]')?.dataset.why === 'door' && document.querySelector('.second-picture')`)
	s.until("what it is", `document.querySelector('.second-why').innerText.endsWith('waits for an answer')`)
	const painted = `(c => c && [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data].some((v, i) => i % 4 < 3 && v > 90))(document.querySelector('.second-picture'))`
	s.until("a picture that is drawn", painted)
	s.size(2)
	s.click("toggle-map") // the talk with the agent hid it
	s.until("a line on a phone", `document.querySelector('[data-testid="second"]')?.dataset.size === 'line' && !document.querySelector('.second-picture')`)
	s.look("second-scene")
	s.until("a picture on a desk", `document.querySelector('.second-picture')`)
	for n, size := range sizes {
		s.size(n)
		s.until("nothing under the second scene on a "+size.name, overNothing)
	}
	s.size(0)
	s.until("a picture again", painted)

	s.click("second-show")
	s.until("the agent in the main view", `window.__dungeon.map.following?.startsWith('claude')`)
	s.until("no second scene", none)
	away()
	s.sees("second")
	s.eval(`(document.querySelector('[data-testid="drawn-map"]').focus(), true)`)
	s.do(chromedp.KeyEvent("p"))
	s.until("the agent by a key", `window.__dungeon.map.following?.startsWith('claude')`)
	away()
	s.sees("second")
	s.click("second-close")
	s.until("it closed", none)
	s.do(chromedp.Reload())
	s.sees("drawn-map")
	s.click("open-preferences")
	s.until("a switch that is off", `document.querySelector('[data-testid="setting-second"]')?.checked === false`)
	if s.eval(none) != "true" {
		t.Error("a second scene that was closed is shown after a reload")
	}
	s.click("setting-second")
	s.leave()
	s.sees("second")
	s.click("door-allow")
	s.until("nothing after the answer", none)
	ended()
}
