package e2e

import (
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
)

// overNothing is an expression that is true if neither a name nor a control of the map is under the second scene.
const overNothing = `(b => b && [...document.querySelectorAll('.tag, .map button, .scene-why, .minimap')]
	.filter(e => !e.closest('.second-scene') && e.checkVisibility({ visibilityProperty: true }))
	.map(e => e.getBoundingClientRect())
	.every(a => a.right <= b.left || a.left >= b.right || a.bottom <= b.top || a.top >= b.bottom)
)(document.querySelector('[data-testid="second"]')?.getBoundingClientRect())`

// While a person looks around, an agent that waits for an answer elsewhere is shown in a small picture, which says
// what it is and covers nothing. A click or a key leads to the agent, and a picture that was closed stays closed. On
// a phone a line replaces the picture.
func TestPageShowsASecondScene(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	pid, start := process(t)
	r := d.touches("5d3c1a00-0000-4000-8000-00000000000c", pid)
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
	ended := d.hook("claude", d.aboutTouch(r, "PermissionRequest"))
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
	s.until("an agent that stands", `window.__dungeon.map.heroes.every(h => !h.walking)`)
	s.eval(`(() => {
		window.repaints = 0
		const draw = CanvasRenderingContext2D.prototype.drawImage
		CanvasRenderingContext2D.prototype.drawImage = function (...a) { if (this.canvas.matches('.second-picture')) window.repaints++; return draw.apply(this, a) }
		document.querySelector('[data-testid="drawn-map"]').dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true }))
		return true
	})()`)
	s.framesLater("a picture in which nothing has changed is drawn again", `window.repaints > 0`)

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
