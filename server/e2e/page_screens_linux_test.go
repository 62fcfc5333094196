package e2e

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// sizes has the sizes at which the screens are checked. targets is how many pixels wide and high what a finger
// touches must be; 0 is for a mouse.
var sizes = []struct {
	name          string
	width, height int64
	targets       int
}{
	{"desk", 1440, 900, 0},
	{"tablet", 1024, 700, 0},
	{"phone", 390, 844, 40},
	{"small", 360, 640, 40},
}

//go:embed screens.js
var screensScript string

// tour is a person who sees one screen after the other. Each screen is checked in all sizes: nothing covers anything,
// what a finger touches is large enough, and axe finds nothing. With AGENTDUNGEON_GALLERY it also takes a picture of
// each, dark and light ("make gallery").
type tour struct {
	*person
	axe     string // the source of axe-core
	gallery string // the folder for pictures, "" for none
}

func newTour(t *testing.T, name string) *tour {
	t.Helper()
	p := newPerson(t, name)
	root, err := Root()
	must(t, err)
	axe, err := os.ReadFile(filepath.Join(root, "client/node_modules/axe-core/axe.min.js"))
	must(t, err)
	return &tour{person: p, axe: string(axe), gallery: os.Getenv("AGENTDUNGEON_GALLERY")}
}

func (s *tour) size(n int) {
	s.t.Helper()
	s.do(chromedp.EmulateViewport(sizes[n].width, sizes[n].height,
		func(m *emulation.SetDeviceMetricsOverrideParams, _ *emulation.SetTouchEmulationEnabledParams) {
			m.Mobile = sizes[n].targets > 0
		}))
	s.until("the size", fmt.Sprintf("innerWidth === %d", sizes[n].width))
	s.settle()
}

// settle waits for two frames, after which the page has drawn what it knows.
func (s *tour) settle() {
	s.t.Helper()
	s.eval(`(window.__settled = false, requestAnimationFrame(() => requestAnimationFrame(() => { window.__settled = true })), true)`)
	s.until("two frames", `window.__settled`)
}

// look looks at a screen in all sizes and returns to that of a desk.
func (s *tour) look(screen string) {
	s.t.Helper()
	var faults []string
	in := map[string][]string{}
	for n, size := range sizes {
		s.size(n)
		for _, f := range append(s.covered(size.targets), s.inaccessible()...) {
			if in[f] == nil {
				faults = append(faults, f)
			}
			in[f] = append(in[f], size.name)
		}
	}
	s.pictures(screen)
	for _, f := range faults {
		s.t.Errorf("%s (%s): %s", screen, strings.Join(in[f], ", "), f)
	}
	s.size(0)
}

// covered returns what the page shows over something else, and what is too small to touch.
func (s *tour) covered(targets int) (out []string) {
	s.t.Helper()
	must(s.t, json.Unmarshal([]byte(s.eval(fmt.Sprintf("JSON.stringify((%s)({targets: %d}))", screensScript, targets))), &out))
	return out
}

// inaccessible returns what axe finds.
func (s *tour) inaccessible() (out []string) {
	s.t.Helper()
	if s.eval("String(window.axe !== undefined)") != "true" {
		s.eval("(() => { " + s.axe + "\n; return true })()")
	}
	s.eval(`(window.__axe = null, axe.run(document, {resultTypes: ['violations']}).then(
	  (r) => { window.__axe = r.violations.map((v) => v.id + ' (' + v.impact + '): ' + v.help + ': ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')) },
	  (err) => { window.__axe = ['axe failed: ' + err] }), true)`)
	s.until("axe", "window.__axe !== null")
	must(s.t, json.Unmarshal([]byte(s.eval("JSON.stringify(window.__axe)")), &out))
	return out
}

// pictures takes pictures of the page for people, in both themes and all sizes.
func (s *tour) pictures(screen string) {
	s.t.Helper()
	if s.gallery == "" {
		return
	}
	must(s.t, os.MkdirAll(s.gallery, 0o755))
	for _, theme := range []string{"dark", "light"} {
		s.size(0) // with everything that a theme is drawn in
		s.scheme(theme)
		s.until("the theme", `matchMedia('(prefers-color-scheme: `+theme+`)').matches`)
		s.settle()
		for n, size := range sizes {
			s.size(n)
			png, err := chromedp.Run(s.ctx, chromedp.CaptureScreenshot())
			must(s.t, err)
			must(s.t, os.WriteFile(filepath.Join(s.gallery, screen+"-"+size.name+"-"+theme+".png"), png, 0o644))
		}
	}
}

func (s *tour) scheme(theme string) {
	s.t.Helper()
	features := []*emulation.MediaFeature{
		{Name: "prefers-reduced-motion", Value: "reduce"}, {Name: "prefers-color-scheme", Value: theme},
	}
	if _, err := chromedp.Call(s.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		s.t.Fatal(err)
	}
}

// tab chooses a tab of the side, which on a desk is always shown.
func (s *tour) tab(name string) {
	s.t.Helper()
	s.eval(`(document.querySelector('` + id("tab-"+name) + `').click(), true)`)
	s.settle()
}

// leave closes a dialog.
func (s *tour) leave() {
	s.t.Helper()
	s.eval(`(document.querySelector('dialog[open], [role="dialog"]')?.dispatchEvent(new Event('cancel', {cancelable: true})), true)`)
	s.until("no dialog", `!document.querySelector('dialog[open], [aria-modal="true"]')`)
}

// The tour checks all screens of a review, from the first visit to the report.
func TestPageScreensOfAReview(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server, "-pace", "instant")
	l := home.Start()
	s := newTour(t, "Ada")
	s.do(chromedp.Navigate("http://" + l.Addr + "/"))
	s.sees("begin")
	s.look("start")
	s.arrive(l)
	s.look("setup")
	s.types("link-path", flawed(t))
	s.click("link-submit")
	s.sees("map")
	s.sees("scene") // the line of the director comes a moment later
	s.look("realm")
	for _, tab := range []string{"findings", "quests", "artifacts", "talk"} {
		s.tab(tab)
		s.look("realm-" + tab)
	}
	s.click("open-settings")
	s.sees("settings")
	s.look("settings")
	s.leave()
	for _, dialog := range []struct{ name, opened string }{
		{"preferences", "preferences"}, {"share", "share-link"}, {"palette", "palette-text"}, {"legend", "legend"},
	} {
		s.click("open-" + dialog.name)
		s.sees(dialog.opened)
		s.look(dialog.name)
		s.leave()
	}
	s.size(len(sizes) - 1)
	s.click("open-menu")
	s.sees("menu-dialog")
	s.look("menu")
	s.leave()
	s.click("map-list")
	s.look("map-as-list")
	s.click("map-drawn")
	s.click("new-process")
	s.sees("start-dialog")
	s.look("start-a-process")
	s.types("problem", "Review it.")
	s.click("start-process")
	s.sees("completion")
	s.look("completed")
	s.click("keep-reading")
	s.tab("findings")
	s.until("findings", `document.querySelectorAll('[data-testid^="finding-s-"]').length >= 2`)
	s.look("findings")
	s.eval(`(document.querySelector('` + id("finding-open") + `').click(), true)`)
	s.sees("finding-evidence")
	s.look("finding")
	s.click("finding-path")
	s.until("the file", `document.querySelector('[data-testid="file"]')?.dataset.state === 'read'`)
	s.look("file")
	s.click("file-close")
	s.tab("quests")
	s.look("quests")
	s.tab("artifacts")
	s.look("artifacts")
	s.eval(`([...document.querySelectorAll('.tree button')].find(e => e.innerText.startsWith('src')).click(), true)`)
	s.until("the room", `document.querySelector('[data-testid="drawn-map"]')?.dataset.place === 'room:src'`)
	s.look("room")
	s.click("map-leave")
	l.Kill()
	s.sees("banner")
	s.look("server-away")
}

// The tour checks what a spectator sees first, and the question for a name.
func TestPageScreensOfASpectator(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server, "-repo", flawed(t), "-token", strings.Repeat("h", 20)).Start()
	s := newTour(t, "Nobody")
	s.do(chromedp.Navigate("http://" + l.Addr + "/?token=" + url.QueryEscape(l.Token("spectators"))))
	s.sees("game")
	s.sees("map")
	s.look("spectator-start")
	s.types("prompt", "Hello.")
	s.click("send")
	s.sees("ask-name")
	s.look("ask-name")
}

// The tour checks a process that people play, with a problem of several lines: the stage bar has three lines on a
// desk and a tablet, and shows all of the problem when asked.
func TestPageScreensOfAProblem(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server).Start()
	s := newTour(t, "Ada")
	s.arrive(l)
	s.types("problem", strings.Repeat("How long is a problem that no line can hold? ", 8))
	s.chooses("template", "standard_brainstorm")
	s.click("start-process")
	s.sees("stage-problem")
	s.until("a role to take", takeButton)
	s.look("people-process")
	const lines = `(e => (e.lastElementChild.getBoundingClientRect().bottom - e.getBoundingClientRect().top) / parseFloat(getComputedStyle(e.firstElementChild).lineHeight))(document.querySelector('.stage-main'))`
	for n := range 2 {
		s.size(n)
		s.until("at most three lines on a "+sizes[n].name, lines+` < 3.5`)
		s.until("the name of the stage", `(e => e.checkVisibility() && e.scrollWidth <= e.clientWidth + 1)(document.querySelector('.stage-head h2'))`)
		s.until("More", `document.querySelector('[data-testid="stage-more"]')?.checkVisibility()`)
	}
	s.click("stage-more")
	s.until("all of the problem", `(e => e.scrollHeight <= e.clientHeight + 2 || getComputedStyle(e).overflowY === 'auto')(document.querySelector('[data-testid="stage-problem"]'))`)
	s.look("people-process-whole")
}

// The tour checks an agent at work that asks for permission, as its owner and as a spectator see it.
func TestPageScreensOfAnAgent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	pid, start := process(t)
	r := d.touches("5d3c1a00-0000-4000-8000-00000000000b", pid)
	d.status(r, pid, start, "busy")
	l := d.home.Start()
	for _, who := range []string{"host", "spectator"} {
		s := newTour(t, who)
		link := "http://" + l.Addr + "/"
		if who == "host" {
			link += "?token=" + url.QueryEscape(l.Token("open"))
		}
		s.do(chromedp.Navigate(link))
		s.click("begin")
		s.types("identity-name", s.name)
		s.until("the realm", `document.querySelector('[data-testid^="join-"]')`)
		s.look(who + "-setup")
		s.onElement(chromedp.Click(`[data-testid^="join-"]`))
		s.sees("game")
		s.until("the agent", `document.body.innerText.includes('touch x') || document.querySelector('[data-state]')`)
		s.look(who + "-agent")
		if who == "host" {
			ended := d.hook("claude", d.aboutTouch(r, "PermissionRequest"))
			s.sees("door")
			s.look("door")
			s.onElement(chromedp.Click(id("door") + " .link"))
			s.look("session")
			s.click("door-allow")
			if did := ended(); !strings.HasPrefix(did, "0 ") {
				t.Errorf("the hook did %s", did)
			}
			s.sees("door-over")
			s.look("door-answered")
		}
	}
}

// The tour checks conversations: a chat, a council, a forge and a party.
func TestPageScreensOfTalks(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "talk.json")
	file(t, script, pageTalkers)
	home := NewHome(t, server, "-script", script, "-pace", "instant")
	l := home.Start()
	s := newTour(t, "Ada")
	s.links(l, flawed(t))
	begin := func(kind string) {
		t.Helper()
		s.click("talk-new")
		s.sees("talk-kind")
		s.chooses("talk-kind", kind)
	}
	begin("chat")
	s.look("new-talk")
	s.click("talk-start-go")
	s.until("the chat", `document.querySelector('[data-testid="conversation"]')?.dataset.kind === 'chat'`)
	s.types("talk-prompt", "How many?")
	s.click("talk-send")
	s.until("the answer", `[...document.querySelectorAll('[data-testid="message"][data-role="assistant"] strong')].some(e => e.textContent === '41')`)
	s.look("chat")
	begin("council")
	s.eval(`([...document.querySelectorAll('[data-testid^="talk-member-"]')].filter(e => !e.dataset.testid.endsWith('self')).slice(0, 2).forEach(e => e.checked || e.click()), true)`)
	s.types("talk-task", "Weigh it together.")
	s.look("new-council")
	s.click("talk-start-go")
	s.until("its end", `document.querySelector('[data-testid="talk-head"]')?.dataset.status === 'completed'`)
	s.look("council")
	begin("forge")
	s.look("new-forge")
	s.click("forge-go")
	s.sees("forge-phase")
	s.until("the cursor in its box", `document.activeElement?.dataset.testid === 'talk-prompt'`)
	s.look("forge")
	begin("party")
	s.look("new-party")
	s.click("team-go")
	s.until("the party", `document.querySelector('[data-testid="conversation"]')?.dataset.kind === 'party'`)
	s.look("party")
	s.types("talk-prompt", "Who is there?")
	s.click("talk-send")
	s.until("the message", `document.querySelector('[data-testid="message"]')?.textContent.includes('Who is there?')`)
	s.look("party-said")
}
