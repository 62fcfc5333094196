package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// On a small phone all entries of the menus of the last hero and of a conversation can be reached. After the result
// of a process the page shows no title of a stage.
func TestPageOnASmallPhone(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server, "-pace", "instant").Start()
	p := newPerson(t, "Ada")
	p.reviews(l, flawed(t))
	p.sees("completion")
	p.click("keep-reading")
	p.sees("drawn-map")
	p.do(chromedp.EmulateViewport(360, 640))
	p.click("tab-findings")
	p.sees("findings-suspected")
	p.until("all of the first finding under the map", `document.querySelector('.drawn').checkVisibility({ visibilityProperty: true }) && (e =>
		[e.querySelector('h3'), e.querySelector('.meta')].map(line => line.getBoundingClientRect())
			.every(box => [box.top + 1, box.bottom - 1].every(y => e.contains(document.elementFromPoint(box.left + 1, y))))
	)(document.querySelector('.finding'))`)
	p.shot("small-findings")
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

	p.click("tab-talk")
	p.click("talk-more")
	p.until("all of the menu of the talk", `(items => items.length >= 2 && items.every(e => {
		const box = e.getBoundingClientRect()
		return box.height >= 40 && [box.top + 3, box.bottom - 3].every(y => e.contains(document.elementFromPoint(box.left + box.width / 2, y)))
	}))([...document.querySelectorAll('.head-items button')])`)
	p.shot("small-talk-menu")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("the focus at the button of that menu", `document.activeElement?.dataset.testid === 'talk-more' && !document.querySelector('.head-items')`)

	p.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	p.types("palette-text", "a ") // findings, whose titles take several lines, and more entries than the list has room for
	p.until("no entry of the palette over the next one", `(all => all.length > 10 && all.some(e => e.clientHeight > 50)
		&& all.every(e => e.scrollHeight <= e.clientHeight + 1))([...document.querySelectorAll('[data-testid="palette-entry"]')])`)
	p.shot("small-palette")
}

// watchStage makes the page look at the stage bar ten times a second while a review runs. It counts for each width
// how often the bar said who is at work, and records the texts that did not fit.
const watchStage = `(() => {
	window.stages = { seen: {}, cut: [] };
	const seen = e => e?.checkVisibility({ visibilityProperty: true });
	setInterval(() => {
		const bar = document.querySelector('[data-testid="stage-bar"]'), says = bar?.querySelector('.who-says');
		if (bar?.dataset.status !== 'running' || !seen(says) || !/at work|Working/.test(says.innerText)) return;
		window.stages.seen[innerWidth] = (window.stages.seen[innerWidth] ?? 0) + 1;
		for (const e of bar.querySelectorAll('.stage-at, h2, .who-fit, .who-says, .goal')) {
			if (seen(e) && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 4)) window.stages.cut.push(innerWidth + ': ' + e.innerText);
		}
	}, 100);
	return true;
})()`

// While a review runs, the stage bar says at every size who is at work, in words that fit, and the map of a small
// phone has at least half of the page.
func TestPageOfEverySizeShowsTheStage(t *testing.T) {
	t.Parallel()
	script := file(t, filepath.Join(t.TempDir(), "stage.json"),
		`{"version":1,"turns":[{"steps":[{"say":"I read. "},{"stall":true}]}]}`)
	l := NewHome(t, server, "-script", script).Start()
	p := newPerson(t, "Ada")
	p.reviews(l, flawed(t))
	p.eval(watchStage)
	for n := range sizes { // all heroes stay at work in the first stage
		size := sizes[len(sizes)-1-n]
		p.do(chromedp.EmulateViewport(size.width, size.height))
		p.until("those at work on a "+size.name, fmt.Sprintf(`window.stages.seen[%d] >= 5`, size.width))
		if n == 0 {
			p.until("the map", halfIsMap)
			p.until("the drawing", `document.querySelector('.drawn').clientHeight >= 270`)
		}
		p.shot("stage-" + size.name)
	}
	if cut := p.eval(`[...new Set(window.stages.cut)].join(', ')`); cut != "" {
		t.Errorf("the stage bar is cut: %s", cut)
	}
}

// halfIsMap is an expression: whether the map has at least half of the height of the page.
const halfIsMap = `document.querySelector('.map').checkVisibility({ visibilityProperty: true }) &&
	document.querySelector('.map').clientHeight * 2 >= innerHeight`

// roomOf is an expression for the height in pixels of the visible part of the transcript.
const roomOf = `(document.querySelector('.window-box')?.clientHeight ?? 0)`

// On a small phone the map has half of the page while a process waits for a role to be taken: what it waits for is one
// line, with the button that takes the role. The page hides the map in favour of the transcript while the person has
// the turn, and whenever the person wants that.
func TestPageOfASmallPhoneShowsTheTranscript(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server).Start()
	p := newPerson(t, "Ada")
	p.arrive(l)
	p.do(chromedp.EmulateViewport(360, 640))
	p.types("problem", "How does the server start faster, without more memory?")
	p.chooses("template", "standard_brainstorm")
	p.click("start-process")
	p.until("a role to take", takeButton)
	p.until("the map", halfIsMap)
	p.until("all of the line", uncovered(id("waiting")+" > p")+` && document.querySelector('[data-testid="waiting"]').clientHeight <= 48`)
	p.shot("small-role-to-take")
	p.click("waiting-more")
	p.until("what else can be done", uncovered(id("waiting-skip")))
	p.click("waiting-more")
	p.click("toggle-map")
	const noMap = `document.querySelector('[data-testid="toggle-map"]').getAttribute('aria-pressed') === 'false'`
	p.until("no map", noMap)
	p.until("room for the transcript", roomOf+` >= 200`)
	p.click("toggle-map")
	p.until("the map again", halfIsMap)
	p.eval(takeButton + `.click()`)
	p.sees("my-turn")
	p.until("no map during the turn", noMap)
	p.until("room for the transcript of the turn", roomOf+` >= 180`)
	p.until("all of the question", `(e => e.scrollHeight <= e.clientHeight + 1)(document.querySelector('.asked-text'))`)
	p.shot("small-turn")
}

// During a person's turn the transcript keeps a share of every page, and more of it while the person writes an answer of
// several lines: the card with the task then folds to its first line, and unfolds when the person wants to read it. All
// of the button that sends stays on the page. The lowest page is that of a phone above its keyboard.
func TestPageOfATurnKeepsTheTranscript(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server).Start()
	p := newPerson(t, "Ada")
	p.arrive(l)
	p.types("problem", "How does a new colleague find out in the first week where everything is, and whom to ask?")
	p.chooses("template", "standard_brainstorm")
	p.click("start-process")
	p.until("a role to take", takeButton)
	p.eval(takeButton + `.click()`)
	p.sees("my-turn")
	p.types("prompt", "A map of the code for the first day.")
	p.click("send")
	p.reads("A map of the code")
	p.until("the other role to take", takeButton)
	p.eval(takeButton + `.click()`)
	for _, page := range []struct{ width, height, reads, writes int64 }{
		{1440, 900, 150, 240}, {1024, 700, 110, 110}, {390, 844, 240, 200}, {360, 380, 0, 110},
	} {
		p.do(chromedp.EmulateViewport(page.width, page.height), chromedp.Reload())
		size := fmt.Sprintf("%dx%d", page.width, page.height)
		p.sees("my-turn")
		p.until("the transcript beside the task at "+size, fmt.Sprintf(`%s >= %d`, roomOf, page.reads))
		p.until("the task at "+size, `document.querySelector('[data-testid="asked-task"]')`)
		p.shot("turn-" + size)
		p.pastes("prompt", strings.Repeat("one more line\n", 5))
		p.until("the transcript beside the answer at "+size, fmt.Sprintf(`%s >= %d`, roomOf, page.writes))
		p.until("all of the button at "+size, uncovered(id("send")))
		p.shot("turn-written-" + size)
		if p.eval(`String(!!document.querySelector('[data-testid="task-show"]'))`) == "true" {
			p.click("task-show")
			p.until("the task again at "+size, `document.querySelector('[data-testid="asked-task"]')`)
			p.pastes("prompt", "and one")
			p.until("the task that the person wants at "+size, `document.querySelector('[data-testid="asked-task"]')`)
		}
		p.eval(`(e => { e.value = ''; e.dispatchEvent(new Event('input', { bubbles: true })) })(document.querySelector('[data-testid="prompt"]')) ?? ''`)
	}
}

// uncovered returns an expression that is true if the selector finds an element and nothing covers any of those that
// it finds.
func uncovered(selector string) string {
	return `(all => all.length > 0 && all.every(e => {
		const box = e.getBoundingClientRect(), x = box.left + box.width / 2
		return [box.top + 2, box.bottom - 2].every(y => e.contains(document.elementFromPoint(x, y)))
	}))([...document.querySelectorAll('` + selector + `')])`
}

// withMap shows the map, if the page has hidden it.
func (p *person) withMap() {
	p.t.Helper()
	const shown = `document.querySelector('.map')?.checkVisibility({ visibilityProperty: true })`
	if p.eval("String("+shown+")") != "true" {
		p.click("toggle-map")
	}
	p.until("the map", shown+` && document.querySelector('.map').clientHeight > 120`)
}

// On a small phone, a person who shows the map while they read a conversation still sees what they need of it: all
// answers of a forge below its question, and the buttons of a party that has just begun.
func TestPageOfASmallPhoneShowsTheMapAndAConversation(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server).Start()
	p := newPerson(t, "Ada")
	p.links(l, flawed(t))
	p.do(chromedp.EmulateViewport(360, 640))
	for _, talk := range []struct{ kind, begin, seen string }{
		{"forge", "forge-go", ".options .option"},
		{"party", "team-go", ".conversation-buttons button"},
	} {
		p.click("talk-back")
		p.click("talk-new")
		p.sees("talk-kind")
		p.chooses("talk-kind", talk.kind)
		p.click(talk.begin)
		p.until("the "+talk.kind, `document.querySelector('[data-testid="conversation"]')?.dataset.kind === '`+talk.kind+`'`)
		p.withMap()
		p.until("what belongs to the "+talk.kind, uncovered(talk.seen))
		if talk.kind == "forge" {
			p.until("room for the question", roomOf+` >= 80`)
		}
		p.shot("small-" + talk.kind + "-and-map")
	}
}
