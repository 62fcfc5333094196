package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// countDraws is an expression that makes the page count in window.draws the images that it draws on canvases.
const countDraws = `(() => {
	window.draws = 0
	const draw = CanvasRenderingContext2D.prototype.drawImage
	CanvasRenderingContext2D.prototype.drawImage = function (...a) { window.draws++; return draw.apply(this, a) }
	return true
})()`

// onTheMap is an expression for what a page knows of the process and of the heroes' places.
const onTheMap = `JSON.stringify((w => [w.processState.status, w.processState.currentStageIndex, w.findings.length, w.agents.map(a => [a.id, a.realm, a.x, a.y])])(window.__dungeon.state().realm.world))`

// Ten people watch a process, one of them in a hidden page. That page draws nothing, whatever happens, and shows the
// present state as soon as it is seen again.
func TestPageTenViewersOfWhomOneIsHidden(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server, "-script", file(t, filepath.Join(t.TempDir(), "walk.json"), walkers)).Start()
	host := newPerson(t, "Viewer 0")
	host.links(l, repository(t))
	viewers := []*person{host}
	for n := range 9 {
		p := newPerson(t, fmt.Sprint("Viewer ", n+1))
		p.arrive(l)
		p.until("the realm", `document.querySelector('[data-testid^="join-"]')`)
		p.onElement(chromedp.Click(`[data-testid^="join-"]`))
		viewers = append(viewers, p)
	}
	for _, p := range viewers {
		p.until("a map that is drawn", `window.__dungeon.map?.ready && window.__dungeon.map.frames.length > 0`)
		p.eval(countDraws)
	}
	host.until("ten people", `window.__dungeon.state().spectators.count === 10`)
	hidden := viewers[9]
	hidden.eval(`(Object.defineProperty(document, 'hidden', { configurable: true, value: true }), document.dispatchEvent(new Event('visibilitychange')), true)`)
	hidden.framesLater("frames that were asked for before", `false`)
	hidden.eval(`(window.draws = 0, true)`)

	host.click("open-realms")
	host.types("problem", "walk")
	host.click("start-process")
	for _, p := range viewers[:9] {
		p.eval(`(window.draws = 0, true)`)
	}
	for _, p := range viewers[:9] {
		p.until("heroes in the room of what they read", `window.__dungeon.map?.heroes.some(h => h.room === 'src')`)
		p.until("drawings of it", `window.draws > 0`)
	}
	hidden.until("what happens", `window.__dungeon.state().realm.world.agents.some(a => a.inside && a.realm === 'src')`)
	hidden.framesLater("a hidden page draws", `window.draws > 0`)
	hidden.eval(`(delete document.hidden, document.dispatchEvent(new Event('visibilitychange')), true)`)
	hidden.until("a drawing", `window.draws > 0`)
	hidden.until("heroes where they are", `window.__dungeon.map.heroes.some(h => h.room === 'src')`)
	want := host.eval(onTheMap)
	hidden.until("the state that others see", onTheMap+" === `"+want+"`")
	hidden.until("the stage that others see", `document.querySelector('[data-testid="stage-bar"]')?.dataset.status === 'running'`)
	hidden.shot("viewer-shown-again")
}
