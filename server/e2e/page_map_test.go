package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// walkers is a script whose heroes read files until they are cut off.
const walkers = `{"version":1,"defaults":{"chunkMs":20},"turns":[{"steps":[{"read":"src/main.go"},{"say":"I walk to what I read. ","repeat":4000}]}]}`

// The drawn map: heroes walk to the files that they read and are there after a reload and after a kill, a change on
// disk glows, people enter and leave rooms, and the list says the same.
func TestPageMapIsDrawnAndFollows(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	home := pageHome(t, "-script", file(t, filepath.Join(t.TempDir(), "walk.json"), walkers))
	l := home.Start()
	p := newPerson(t, "Ada")
	p.prefers("no-preference")
	p.arrive(l)
	p.types("link-path", dir)
	p.click("link-submit")
	p.sees("drawn-map")
	p.until("the country", `window.__dungeon.map?.ready && window.__dungeon.map.scene === 'country'`)
	p.shot("map-country")
	p.click("open-realms")
	p.types("problem", "walk")
	p.click("start-process")
	p.sees("drawn-map")
	p.until("a hero on its way", `window.__dungeon.map?.heroes?.some(h => h.walking)`)
	p.until("a hero in the room of what it reads", `window.__dungeon.state().realm.world.agents.some(a => a.inside && a.realm === 'src')`)
	p.until("where it stands", `window.__dungeon.map?.heroes?.some(h => h.room === 'src' && !h.walking)`)
	stands := p.eval(`JSON.stringify(window.__dungeon.state().realm.world.agents.map(a => [a.id, a.realm, a.x, a.y]))`)
	fog := p.eval(`JSON.stringify(window.__dungeon.state().realm.world.fog)`)
	p.do(chromedp.Reload())
	p.sees("drawn-map")
	p.until("the map after a reload", `window.__dungeon.map?.ready`)
	l.Kill()
	home.Start()
	p.until("the server again", `window.__dungeon.connected`)
	p.until("the same heroes at the same places", "JSON.stringify(window.__dungeon.state().realm.world.agents.map(a => [a.id, a.realm, a.x, a.y])) === `"+stands+"`")
	if now := p.eval(`JSON.stringify(window.__dungeon.state().realm.world.fog)`); now != fog {
		t.Errorf("the fog is another after the kill: %.200s, not %.200s", now, fog)
	}
	p.eval(`(document.querySelector('[data-testid="drawn-map"]').focus(), true)`)
	p.eval(`([...document.querySelectorAll('.tree button')].find(b => b.textContent.startsWith('src')).click(), true)`)
	p.until("the room", `document.querySelector('[data-testid="drawn-map"]').dataset.place === 'room:src' && window.__dungeon.map.scene === 'room'`)
	p.until("where the server remembers the person", `Object.values(window.__dungeon.state().realm.world.navigationState.agentCurrentPath).includes('src')`)
	if err := os.WriteFile(filepath.Join(dir, "src", "main.go"), []byte("package main // changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.until("what changed", `document.querySelector('[data-testid="map-happening"]').innerText.includes('src/main.go changed')`)
	p.until("the room as it is now", `window.__dungeon.state().realm.rooms['0:src']?.room.objects.some(o => o.path === 'src/main.go' && o.what === 'changed')`)
	p.shot("map-room")
	p.do(chromedp.Reload())
	p.until("the room again, without a click", `document.querySelector('[data-testid="drawn-map"]')?.dataset.place === 'room:src'`)
	p.click("map-leave")
	p.until("the country again", `window.__dungeon.map?.scene === 'country'`)
	p.click("map-list")
	p.until("the whole folder as a list", `(r => r?.dataset.path === '' && r.innerText.includes('README.md'))(document.querySelector('[data-testid="room"]'))`)
	p.click("map-drawn")
	p.sees("minimap")
	for _, size := range []struct {
		name string
		w, h int64
	}{{"tablet", 1024, 768}, {"phone", 390, 844}} {
		p.do(chromedp.EmulateViewport(size.w, size.h))
		p.sees("drawn-map")
		p.until("a drawing as wide as its place", `(() => { const c = document.querySelector('.drawn canvas'); return c && Math.abs(c.getBoundingClientRect().width - c.parentElement.clientWidth) <= 2 })()`)
		if wide := p.eval(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
			t.Errorf("%s: the page is wider than the screen", size.name)
		}
		p.shot("map-" + size.name)
	}
	if strings.Contains(p.eval(`document.body.innerText`), "undefined") {
		t.Error("the page says undefined")
	}
}

// If its pictures cannot be loaded, the map is a list and says why it is not drawn.
func TestPageMapWithoutItsPictures(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server).Start()
	p := newPerson(t, "Ada")
	if _, err := chromedp.Call(p.ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	blocked := network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: "http://" + l.Addr + "/atlas/*", Block: true}}}
	if _, err := chromedp.Call(p.ctx, network.SetBlockedURLs, blocked); err != nil {
		t.Fatal(err)
	}
	p.arrive(l)
	p.types("link-path", repository(t))
	p.click("link-submit")
	p.until("the map as a list", `document.querySelector('[data-testid="map"]')?.dataset.form === 'list' && document.querySelector('[data-testid="room"]')?.innerText.includes('src')`)
	p.until("why", `document.querySelector('[data-testid="map-drawn"]').disabled && document.querySelector('[data-testid="map-drawn"]').title !== ''`)
}

// watchCanvas records, after each frame that the browser has painted, the canvas's size and whether it is dark at
// nine points. No land and no floor of the map is so dark.
const watchCanvas = `(() => {
	window.painted = []
	let place, width // the place of the canvas, and how wide it was when the browser painted it last
	const sizes = new ResizeObserver(() => { width = place.clientWidth })
	const look = () => {
		const c = document.querySelector('.drawn canvas')
		if (c && c.parentElement !== place) {
			sizes.disconnect()
			place = c.parentElement
			sizes.observe(place)
			return
		}
		if (!c || c.width === 0 || place.clientWidth !== width) return // another size, of which no frame is painted yet
		const g = c.getContext('2d')
		let dark = true
		for (const x of [0.3, 0.5, 0.7]) for (const y of [0.3, 0.5, 0.7]) {
			const [r, gr, b] = g.getImageData(Math.floor(c.width * x), Math.floor(c.height * y), 1, 1).data
			if (r + gr + b > 60) dark = false
		}
		window.painted.push({ size: c.width + 'x' + c.height, fits: Math.abs(c.getBoundingClientRect().width - c.parentElement.clientWidth) <= 2, dark })
	}
	const frame = () => { const { port1, port2 } = new MessageChannel(); port1.onmessage = look; port2.postMessage(0); requestAnimationFrame(frame) }
	requestAnimationFrame(frame)
	return true
})()`

// No painted frame is black: not while the window changes its size, nor while the map changes between country and
// room, nor if the size changes while the page waits for a room.
func TestPageMapIsNeverBlack(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "Ada")
	p.prefers("no-preference")
	p.arrive(NewHome(t, server).Start())
	p.types("link-path", repository(t))
	p.click("link-submit")
	p.sees("drawn-map")
	p.until("the country", `window.__dungeon.map?.ready && window.__dungeon.map.frames.length > 2`)
	p.eval(watchCanvas)
	resize := func(s [2]int64) {
		t.Helper()
		p.eval(`(window.painted.push({ size: 'next', fits: true, dark: false }), true)`)
		p.do(chromedp.EmulateViewport(s[0], s[1]))
		p.until("two frames of the new size", `(() => { const since = window.painted.slice(window.painted.findLastIndex(f => f.size === 'next') + 1); const c = document.querySelector('.drawn canvas'); return c && innerWidth === `+strconv.FormatInt(s[0], 10)+` && since.filter(f => f.fits && f.size === c.width + 'x' + c.height).length >= 2 })()`)
	}
	for _, s := range [][2]int64{{1440, 900}, {1024, 700}, {390, 844}, {360, 640}, {1440, 900}} {
		resize(s)
	}
	src := `[...document.querySelectorAll('.tree button')].find(b => b.textContent.startsWith('src'))`
	p.until("the folders beside the map", src)
	p.eval(`(() => { // holds back what the server says from the question for the room on
		const send = WebSocket.prototype.send
		window.held = []
		WebSocket.prototype.send = function (text) {
			WebSocket.prototype.send = send
			const hear = this.onmessage
			this.onmessage = (e) => window.held.push(e)
			window.letGo = () => { this.onmessage = hear; window.held.forEach(hear); return true }
			send.call(this, text)
		}
		return true
	})()`)
	p.eval(`(` + src + `.click(), true)`)
	p.until("an answer", `window.held.length > 0 && document.querySelector('[data-testid="drawn-map"]').dataset.place === 'room:src'`)
	for _, s := range [][2]int64{{1024, 700}, {1440, 900}} {
		resize(s)
	}
	p.eval(`window.letGo()`)
	p.until("the room", `window.__dungeon.map.scene === 'room' && document.querySelector('[data-testid="drawn-map"]').dataset.place === 'room:src'`)
	p.click("map-leave")
	p.until("the country again", `window.__dungeon.map.scene === 'country'`)
	if dark := p.eval(`JSON.stringify(window.painted.filter(f => f.dark || !f.fits))`); dark != "[]" {
		t.Errorf("frames that are black, or not as wide as their place: %s", dark)
	}
}

// Names on the map make room for a control that comes, grows or goes while nothing moves and no frame is due.
func TestPageMapKeepsNamesFromUnderControls(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "Ada") // with reduced motion
	p.links(NewHome(t, server).Start(), repository(t))
	p.sees("drawn-map")
	const names = `[...document.querySelectorAll('.tag-site')]`
	p.until("the names of houses", names+`.length > 1`)
	const under = names + `.some(e => { const a = e.getBoundingClientRect(), b = document.querySelector('#over').getBoundingClientRect(); return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top })`
	p.eval(`(() => {
		const [map, name] = [document.querySelector('.map').getBoundingClientRect(), document.querySelector('.tag-site').getBoundingClientRect()]
		window.word = document.querySelector('.tag-site').textContent
		const over = Object.assign(document.createElement('div'), { id: 'over', className: 'drawn-tools' })
		over.style.cssText = 'left:' + (name.left - map.left) + 'px;top:' + (name.top - map.top) + 'px;bottom:auto;width:10px;height:10px'
		document.querySelector('.map').append(over)
		return true
	})()`)
	p.framesLater("a name lies under a control that came", under)
	p.eval(`(document.querySelector('#over').style.width = '600px', document.querySelector('#over').style.height = '300px', true)`)
	p.framesLater("a name lies under a control that grew", under)
	p.eval(`(document.querySelector('.map').parentElement.style.visibility = 'hidden', document.querySelector('#over').style.width = '590px', true)`)
	p.framesLater("a name lies under a control of a map that is hidden", under)
	p.eval(`(document.querySelector('.map').parentElement.style.visibility = '', document.querySelector('#over').remove(), true)`)
	p.framesLater("the name does not come back", `!`+names+`.some(e => e.textContent === window.word)`)
}

// The map draws nothing while an open file or another tab of the browser hides it, even if a key asks for another
// view. As soon as the map is visible again, it draws its present state.
func TestPageMapDrawsNothingWhileHidden(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "Ada")
	p.links(NewHome(t, server).Start(), flawed(t))
	p.sees("drawn-map")
	p.until("a drawing", `window.__dungeon.map?.frames.length > 0`)
	p.eval(`(() => {
		window.draws = 0
		const draw = CanvasRenderingContext2D.prototype.drawImage
		CanvasRenderingContext2D.prototype.drawImage = function (...a) { window.draws++; return draw.apply(this, a) }
		window.press = () => document.querySelector('[data-testid="drawn-map"]').dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true }))
		return true
	})()`)
	p.eval(`(history.pushState(null, '', '/r/' + window.__dungeon.state().realm.id + '/f/main.go'), dispatchEvent(new PopStateEvent('popstate')), true)`)
	p.until("the open file", `document.querySelector('dialog.file-layer[open]')`)
	for _, hidden := range []struct{ by, ends string }{
		{"an open file", `document.querySelector('.file-layer').dispatchEvent(new Event('cancel', { cancelable: true }))`},
		{"another page", `delete document.hidden, document.dispatchEvent(new Event('visibilitychange'))`},
	} {
		if hidden.by == "another page" {
			p.eval(`(Object.defineProperty(document, 'hidden', { configurable: true, value: true }), true)`)
		}
		p.framesLater("frames that were asked for before", `false`)
		p.eval(`(window.draws = 0, window.press(), true)`)
		p.framesLater("the map is drawn while hidden by "+hidden.by, `window.draws > 0`)
		p.eval(`(` + hidden.ends + `, true)`)
		p.until("a drawing after "+hidden.by, `window.draws > 0`)
	}
}

// The legend opens from the map by keys alone, and shows the images with which the map is drawn.
func TestPageMapHasALegend(t *testing.T) {
	t.Parallel()
	p := newPerson(t, "Ada")
	p.links(NewHome(t, server).Start(), repository(t))
	p.sees("drawn-map")
	p.tabTo(id("open-legend"))
	p.do(chromedp.KeyEvent(kb.Enter))
	p.sees("legend")
	p.until("every piece drawn", `(pieces => pieces.length > 15 && pieces.every(c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v > 0)))([...document.querySelectorAll('.legend-piece')])`)
	p.until("the lands", `document.querySelector('[data-testid="legend"]').innerText.includes('Plains')`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("no dialog", `!document.querySelector('dialog[open]')`)
	p.until("the focus where it was", `document.activeElement?.dataset.testid === 'open-legend'`)
	p.do(chromedp.KeyEvent("?"))
	p.sees("legend")
}

// framesLater waits until the page has painted three frames. If expression is true then, the test fails with the text
// fault.
func (p *person) framesLater(fault, expression string) {
	p.t.Helper()
	p.eval(`(() => { window.painted3 = false; let n = 0; const f = () => ++n > 3 ? (window.painted3 = true) : requestAnimationFrame(f); requestAnimationFrame(f); return true })()`)
	p.until("three frames", `window.painted3`)
	if p.eval(`Boolean(`+expression+`)`) == "true" {
		p.t.Error(fault)
	}
}

// A map on which nothing moves takes another theme at once, whether the system or the person chooses it.
func TestPageMapTakesATheme(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server).Start()
	p := newPerson(t, "Ada")
	scheme := func(theme string) {
		t.Helper()
		features := []*emulation.MediaFeature{
			{Name: "prefers-reduced-motion", Value: "reduce"}, {Name: "prefers-color-scheme", Value: theme},
		}
		if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
			t.Fatal(err)
		}
	}
	scheme("dark")
	p.links(l, flawed(t))
	p.until("the country", `document.querySelector('.drawn canvas') && window.__dungeon.map?.frames.length > 0`)
	const light = `((c) => {
		const all = c.getContext('2d').getImageData(0, 0, c.width, c.height).data
		let sum = 0
		for (let i = 0; i < all.length; i++) sum += all[i]
		return sum / all.length
	})(document.querySelector('.drawn canvas'))`
	p.eval(`(window.before = ` + light + `, true)`)
	scheme("light")
	p.until("the light page", `matchMedia('(prefers-color-scheme: light)').matches`)
	p.framesLater("the map is as dark as before", light+` < window.before + 20`)
	p.shot("map-light")
	p.eval(`(window.before = ` + light + `, true)`)
	p.click("open-preferences")
	p.chooses("setting-theme", "dark")
	p.until("the dark page", `document.documentElement.dataset.theme === 'dark'`)
	p.framesLater("the map is as light as before", light+` > window.before - 20`)
	p.shot("map-dark")
}
