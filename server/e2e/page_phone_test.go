package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// tap touches an element that is visible with a finger.
func (p *person) tap(testid string) {
	p.t.Helper()
	p.until("all of "+testid, uncovered(id(testid)))
	p.onElement(chromedp.Tap(id(testid)))
}

// tapUntil taps an element until the page shows the effect, as people do: while a review runs, the element may move
// away from under the finger.
func (p *person) tapUntil(testid, what, expression string) {
	p.t.Helper()
	for end := time.Now().Add(Patience); p.eval("Boolean("+expression+")") != "true"; {
		p.eval(`(window.waits = 0, true)`)
		if p.eval(uncovered(id(testid))) == "true" {
			p.onElement(chromedp.Tap(id(testid)))
		}
		p.until(what+" or a while", "window.waits++ > 20 || "+expression)
		if time.Now().After(end) {
			p.t.Fatalf("%s does not see %s", p.name, what)
		}
	}
}

// oneRoom returns a folder without folders, so that all heroes of a review crowd in one room.
func oneRoom(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small")
	for name, text := range map[string]string{
		"go.mod":    "module example.org/small\n\ngo 1.26\n",
		"README.md": "# small\n\nRead [the guide](docs/guide.md).\n",
		"main.go": "package main\n\nimport (\n\t\"net/http\"\n\t\"os/exec\"\n)\n\nfunc main() {\n\thttp.HandleFunc(\"/\", remove)\n}\n\n" +
			"func remove(w http.ResponseWriter, r *http.Request) {\n" +
			"\t_ = exec.Command(\"sh\", \"-c\", \"rm \"+r.FormValue(\"name\")).Run()\n}\n",
		"notes.txt": "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n",
	} {
		file(t, filepath.Join(dir, name), text)
	}
	for n := range 12 { // which they read for a while
		file(t, filepath.Join(dir, fmt.Sprintf("part%d.go", n)), "package main\n\nvar _ = "+strconv.Itoa(n)+"\n")
	}
	return dir
}

// countFrames makes the page count the frames that it paints, also after a reload.
const countFrames = `window.frames_ = 0; requestAnimationFrame(function next() { window.frames_++; requestAnimationFrame(next) })`

// alive fails the test at once if the page does not paint another frame within a minute: it hangs, and each later
// question to it would wait until the whole test is over.
func (p *person) alive(when string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	const next = `new Promise(done => { const before = window.frames_; (function look() {
		window.frames_ > before ? done(true) : setTimeout(look, 20)
	})() })`
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](next, chromedp.EvalAwaitPromise)); err != nil {
		p.t.Fatalf("the page paints no frame %s: %v", when, err)
	}
}

// A person with nothing but a phone comes by fingers alone, without a text typed, from a linked folder through a
// running review to its report. The page lives all the time, and the map shows heroes at what they read. The review
// is paused as soon as it runs, and not by a finger, because on a slow machine its result would come before the last tap
// and cover the tabs.
func TestPageOfAPhoneFromTheFolderToTheReport(t *testing.T) {
	t.Parallel()
	for _, size := range startSizes[2:] {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			l := NewHome(t, server, "-repo", oneRoom(t)).Start()
			p := newPerson(t, "Nobody")
			p.prefers("no-preference")
			p.do(chromedp.EmulateViewport(size[0], size[1], chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulateScale(3)))
			p.do(chromedp.Navigate("http://" + l.Addr + "/"))
			p.eval(`(() => { ` + countFrames + `; return true })()`)
			p.until("the review that is offered", `document.querySelector('[data-testid="start-now"]')?.dataset.start === 'review'`)
			p.tap("start-now")
			p.until("a review that runs, paused by the page's own button",
				`(b => b && (b.click(), true))(document.querySelector('[data-testid="talk-pause"]'))`)
			p.sees("drawn-map")
			p.eval(watchHeroes)
			p.sees("resume")
			p.tapsTheTabs()
			p.until("heroes that rest", `document.querySelector('[data-testid="waiting"]')?.dataset.code === 'paused'`)
			p.dragsTheMap()
			p.tapUntil("resume", "heroes that go on", `!document.querySelector('[data-testid="resume"]')`)
			p.until("heroes in view at their files after the touch, or the end", `window.moments.seen >= 3 || window.moments.over`)
			// A page that a busy machine lets look only a few times before the review is over cannot tell.
			if p.eval(`window.moments.seen < 3 && window.moments.all >= 10`) == "true" {
				t.Errorf("a hero is in view in too few moments: %s", p.eval(`JSON.stringify(window.moments)`))
			}
			p.shot(fmt.Sprintf("phone-running-%d", size[0]))
			p.until("the end of the review", `window.moments.over`)
			p.alive("at the end of the review")
			p.tapsTheResult(fmt.Sprintf("phone-report-%d", size[0]))
		})
	}
}

// action is an expression: whether the map follows the action.
const action = `document.querySelector('[data-testid="follow-action"]').dataset.state`

// dragsTheMap moves the map with a finger, up and down again, and gives it back to the director.
func (p *person) dragsTheMap() {
	p.t.Helper()
	touch := func(kind input.DispatchTouchEventType, at ...*input.TouchPoint) {
		p.t.Helper()
		params := input.DispatchTouchEventParams{Type: kind, TouchPoints: at}
		if _, err := chromedp.Call(p.ctx, input.DispatchTouchEvent, params); err != nil {
			p.t.Fatalf("%s: %v", p.name, err)
		}
	}
	// On a small phone the line of a second scene covers the middle of the map.
	const free = `(b => [0.5, 0.6, 0.7, 0.8, 0.4].map(n => [b.left + b.width / 2, b.top + b.height * n])
		.find(([x, y]) => document.elementFromPoint(x, y)?.closest('.drawn, .map-marks'))?.join(' ') ?? '')(
		document.querySelector('.drawn').getBoundingClientRect())`
	p.until("a part of the map that nothing covers", free)
	var x, y float64
	at := p.eval(free)
	_, err := fmt.Sscan(at, &x, &y)
	must(p.t, err)
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y})
	for n := range 40 { // each frame puts the names of the heroes somewhere else
		y += []float64{-5, 4}[n/20]
		touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: x, Y: y})
		p.alive("while a finger moves the map")
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
	p.until("a director who lets the finger move the map", action+` === 'off'`)
	p.tapUntil("follow-action", "the director again", action+` !== 'off'`)
}

// tapsTheTabs taps each tab of a phone.
func (p *person) tapsTheTabs() {
	p.t.Helper()
	for _, tab := range []string{"quests", "artifacts", "roster", "talk", "findings"} {
		p.tap("tab-" + tab)
		p.until("the tab "+tab, `document.querySelector('`+id("tab-"+tab)+`').getAttribute('aria-selected') === 'true'
			&& document.querySelector('#tab-panel').clientHeight > 80`)
		p.alive("with the tab " + tab)
	}
}

// tapsTheResult goes from the result of a review to the end of its report, to a finding, and to the map.
func (p *person) tapsTheResult(picture string) {
	p.t.Helper()
	p.sees("completion")
	p.until("what is wider than the phone: nothing", `document.documentElement.scrollWidth <= innerWidth`)
	p.shot(picture)
	p.until("the download of the report", uncovered(id("completion")+" "+id("export-markdown")))
	get(p.t, p.eval(`document.querySelector('[data-testid="completion"] [data-testid="export-markdown"]').href`))
	const last = `[...document.querySelectorAll('[data-testid="completion"] .markdown > *')].at(-1)`
	p.eval(`(` + last + `.scrollIntoView({ block: 'end' }), true)`)
	p.until("the end of the report", `(e => { const box = e.getBoundingClientRect()
		return e.contains(document.elementFromPoint(box.left + box.width / 2, box.bottom - 4)) })(`+last+`)`)
	p.eval(`(document.querySelector('[data-testid="completion"]').scrollTo(0, 0), true)`)
	p.tap("to-findings")
	p.until("a finding, open", `document.querySelector('[data-testid="finding-evidence"]')?.checkVisibility()`)
	p.until("the map again", `document.querySelector('.drawn')?.clientHeight > 100`)
	p.tap("toggle-map")
	p.until("no map", `document.querySelector('[data-testid="toggle-map"]').getAttribute('aria-pressed') === 'false'`)
	p.tap("toggle-map")
	p.until("the map as before", `document.querySelector('.drawn')?.clientHeight > 100`)
	p.alive("after the review")
}
