package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// watchHeroes makes the page count, twice a second while a review runs, the moments at which a hero is in view: drawn 24
// pixels high or higher, inside of the canvas, not covered by the page, and standing in the room that is shown at the
// file that the map names for it.
const watchHeroes = `(() => {
	window.moments = { seen: 0, all: 0, over: false, home: false };
	const inView = h => {
		if (!h.box || h.box.height < 24 || h.walking || !h.file || document.querySelector('.drawn').dataset.place !== 'room:' + h.room) return false;
		const at = document.querySelector('.drawn canvas').getBoundingClientRect();
		const x = at.left + h.box.left + h.box.width / 2, y = at.top + h.box.top + h.box.height / 2;
		if (x < at.left || x > at.right || y < at.top || y > at.bottom) return false;
		return Boolean(document.elementFromPoint(x, y)?.closest('.drawn'));
	};
	setInterval(() => {
		const map = window.__dungeon.map, status = window.__dungeon.state().realm?.world.processState.status;
		window.moments.over ||= status === 'completed';
		window.moments.home ||= status === 'completed' && map?.heroes.some(h => h.walking) && !document.querySelector('[data-testid="completion"]');
		if (!map?.ready || status !== 'running') return;
		window.moments.all++;
		if (map.heroes.some(inView)) window.moments.seen++;
	}, 500);
	return true;
})()`

// While a review runs, the director shows heroes at the files that they read at least half of the time, without a
// touch of the map. The page itself counts the moments: on a slow machine there are fewer, and the share stays the
// same. At the end the heroes walk home, and then the result comes.
func TestPageShowsHeroesAtWork(t *testing.T) {
	for _, screen := range []struct {
		name, motion string
		w, h         int64
	}{{"desk", "no-preference", 1440, 900}, {"phone", "reduce", 390, 844}} {
		t.Run(screen.name, func(t *testing.T) {
			t.Parallel() // with the other one alone: more pages at work would need more than two cores
			l := NewHome(t, server).Start()
			p := newPerson(t, "Ada")
			p.prefers(screen.motion)
			p.reviews(l, flawed(t))
			p.do(chromedp.EmulateViewport(screen.w, screen.h))
			p.until("a review that runs", `window.__dungeon.state().realm?.world.processState.status === 'running'`)
			p.eval(watchHeroes)
			p.until("a hero at its file", `window.moments.seen >= 5`)
			p.until("a lit switch", `document.querySelector('[data-testid="follow-action"]').dataset.state === 'on'`)
			p.shot("director-" + screen.name)
			p.until("the end of the review", `window.moments.over`)
			t.Logf("seen and all moments: %s", p.eval(`JSON.stringify(window.moments)`))
			if p.eval(`window.moments.all >= 10 && 2 * window.moments.seen >= window.moments.all`) != "true" {
				t.Errorf("a hero is in view in too few moments: %s", p.eval(`JSON.stringify(window.moments)`))
			}
			p.sees("completion")
			if want := strconv.FormatBool(screen.motion != "reduce"); p.eval(`Boolean(window.moments.home)`) != want {
				t.Errorf("heroes were seen on their way home before the result: not %s", want)
			}
		})
	}
}

// Every finding is marked on the country, a mark explains itself and leads to its findings by keyboard, and a touch
// of the map is never undone by the director.
func TestPageMarksFindingsOnTheCountry(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server, "-pace", "instant").Start()
	p := newPerson(t, "Ada")
	p.reviews(l, flawed(t))
	p.until("the end of the review", `window.__dungeon.state().realm.world.processState.status === 'completed'`)
	p.click("keep-reading")
	p.sees("drawn-map")
	const standing = `window.__dungeon.state().realm.world.findings.filter(f => !f.withdrawn && (f.proof || f.confidence !== 'low'))`
	p.until("a mark for every finding", standing+`.length > 2 && [...document.querySelectorAll('.map-mark-house')]`+
		`.reduce((n, m) => n + Number(m.dataset.total), 0) === `+standing+`.length`)
	p.until("the worst first", `document.querySelector('[data-testid="mark-"]').dataset.severity === 'critical'`)
	p.until("what it means", `/^flawed: [0-9]+ findings: 1 critical/.test(document.querySelector('[data-testid="mark-"]').getAttribute('aria-label'))`)
	p.shot("marks")
	p.until("the director, at rest", `document.querySelector('[data-testid="scene"]')?.dataset.why === 'rest'`)
	p.until("a switch that is on and not lit", `document.querySelector('[data-testid="follow-action"]').dataset.state === 'rest'`)
	// Wait for the mark: the camera still moves home from the last hero, and the keys lead only to marks on the
	// screen.
	p.until("a mark on the screen", `getComputedStyle(document.querySelector('[data-testid="mark-a"]')).visibility === 'visible'`)
	p.tabTo(`.map-mark`)
	for range 10 { // arrow keys go from mark to mark
		if p.eval(`document.activeElement.dataset.testid`) != "mark-a" {
			p.do(chromedp.KeyEvent(kb.ArrowRight))
		}
	}
	p.until("an explanation at the focus", `getComputedStyle(document.querySelector('[data-testid="mark-a"] .mark-tip')).display === 'block'`)
	p.until("a camera that the focus does not take", `document.querySelector('[data-testid="follow-action"]').ariaPressed === 'true'`)
	p.holdsTheMapByItsMark("mark-a")
	p.tabTo(`[data-testid="mark-a"]`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the findings of that folder", `document.querySelector('[data-testid="findings-filter-folder"]')?.value === 'a'`)
	p.eval(`(document.querySelector('[data-testid="drawn-map"]').focus(), true)`)
	p.do(chromedp.KeyEvent(kb.ArrowLeft))
	p.until("a camera in the person's hand", `document.querySelector('[data-testid="follow-action"]').ariaPressed === 'false' && !document.querySelector('[data-testid="scene"]')`)
	p.do(chromedp.Reload())
	p.until("which the tab remembers", `document.querySelector('[data-testid="follow-action"]')?.ariaPressed === 'false'`)
	p.click("follow-action")
	p.until("the director again", `document.querySelector('[data-testid="scene"]')?.dataset.why === 'rest'`)
	p.click("follow-sentinel")
	p.until("a hero that the person follows", `document.querySelector('[data-testid="scene"]')?.dataset.why === 'follows' && window.__dungeon.map.following === 'sentinel'`)
	p.until("everybody at home", `window.__dungeon.map.heroes.length === 11`)
}

// holdsTheMapByItsMark drags from a mark of the country, and turns the wheel over it. Both move the map under the person's
// hand and do not click the mark. In the end the director has the camera again.
func (p *person) holdsTheMapByItsMark(testid string) {
	p.t.Helper()
	var x, y float64
	at := p.eval(`(b => [b.left + b.width / 2, b.bottom - 6].join(' '))(document.querySelector('` + id(testid) + `').getBoundingClientRect())`)
	_, err := fmt.Sscan(at, &x, &y)
	must(p.t, err)
	mouse := func(m input.DispatchMouseEventParams) {
		p.t.Helper()
		m.X, m.Y = x, y
		if _, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, m); err != nil {
			p.t.Fatalf("%s: %v", p.name, err)
		}
	}
	drag := func() {
		p.t.Helper()
		held := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1}
		mouse(held)
		held.Type = input.DispatchMouseEventTypeMouseMoved
		for range 2 {
			x, y = x+30, y-10
			mouse(held)
		}
		held.Type = input.DispatchMouseEventTypeMouseReleased
		mouse(held)
	}
	drag()
	const inHand = `document.querySelector('[data-testid="follow-action"]').ariaPressed === 'false'`
	p.until("a camera that the drag takes", inHand)
	p.click("follow-action")
	x, y = x-60, y+20 // the whole country is on the screen, so nothing has moved
	const zoom, center = `window.__dungeon.map.zoom`, `JSON.stringify(window.__dungeon.map.center)`
	p.until("the mark under the mouse", `document.elementFromPoint(`+strings.Replace(at, " ", ",", 1)+`)?.closest('`+id(testid)+`')`)
	before := p.eval(zoom)
	mouse(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, DeltaX: 1, DeltaY: -100})
	p.until("a map that the wheel over a mark enlarges", zoom+` > `+before+` && `+inHand)
	before = p.eval(center)
	p.until("the mark under the mouse again", `document.elementFromPoint(`+strings.Replace(at, " ", ",", 1)+`)?.closest('`+id(testid)+`')`)
	drag()
	p.until("a map that moves with its mark", center+` !== '`+before+`'`)
	if folder := p.eval(`document.querySelector('[data-testid="findings-filter-folder"]')?.value ?? ''`); folder != "" {
		p.t.Errorf("a drag from %s shows the findings of %s", testid, folder)
	}
	p.click("follow-action")
	p.until("a mark where it was", `document.querySelector('[data-testid="scene"]')?.dataset.why === 'rest' && getComputedStyle(document.querySelector('`+id(testid)+`')).visibility === 'visible'`)
}

// reviews links a folder and starts a review of it.
func (p *person) reviews(l *Life, dir string) {
	p.t.Helper()
	p.links(l, dir)
	p.click("open-realms")
	p.types("problem", "Review it.")
	p.click("start-process")
}
