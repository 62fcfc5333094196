package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// On a small phone all of the menu of the last hero can be reached, also after a process, whose stage titles end with
// its result.
func TestPageOnASmallPhone(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server, "-pace", "instant").Start()
	p := newPerson(t, "Ada")
	p.reviews(l, flawed(t))
	p.sees("completion")
	p.click("keep-reading")
	p.sees("drawn-map")
	p.do(chromedp.EmulateViewport(360, 640))
	p.sees("tab-roster")
	p.framesLater("the title of a stage after the result", `document.querySelector('[data-testid="stage-title"]')`)
	p.click("tab-roster")
	p.sees("roster")
	last := p.eval(`[...document.querySelectorAll('[data-testid^="hero-menu-"]')].at(-1).dataset.testid`)
	p.eval(`(document.querySelector('` + id(last) + `').scrollIntoView({ block: 'end' }), true)`)
	p.click(last)
	p.until("all of the menu", `(items => items.length >= 3 && items.every(e => {
		const box = e.getBoundingClientRect()
		return [box.top + 3, box.bottom - 3].every(y => e.contains(document.elementFromPoint(box.left + box.width / 2, y)))
	}))([...document.querySelectorAll('.hero-items > button')])`)
	p.shot("small-hero-menu")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("the focus at the menu's button", `document.activeElement?.dataset.testid === '`+last+`'`)
}
