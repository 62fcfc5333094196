package main

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// frame measures the script and the draw submission of a frame of the map while 200 heroes walk, over the whole
// country and near, and the share of time for which an idle page has tasks. Frame rates are not measured, because
// without a graphics card they depend on the browser's software rendering.
func (b *bench) frame() {
	for _, view := range []struct {
		name string
		near bool
	}{{"the whole country", false}, {"near", true}} {
		f := b.row(seconds, aim{below, 4e-3}, "", "script and drawing of a frame, %s walking, %s, p95", crowdedMap, view.name)
		b.times(b.few(), func() {
			tab := b.watching(false)
			if view.near {
				zoomIn(tab)
			}
			time.Sleep(time.Duration(b.size(10, 2)) * time.Second) // more frames than the page remembers
			samples := get(chromedp.Run(tab, chromedp.Evaluate[[]float64](`[...window.__dungeon.map.frames]`)))
			slices.Sort(samples)
			f.add(samples[int(math.Ceil(0.95*float64(len(samples))))-1] / 1e3)
		})
	}
	f := b.row(part, aim{below, 0.02}, "", "page on which nothing happens, %s: TaskDuration", crowdedMap)
	b.times(b.few(), func() {
		tab := b.watching(true)
		get(chromedp.Call(tab, performance.Enable, performance.EnableParams{}))
		time.Sleep(settle)
		before, began := taskDuration(tab), time.Now()
		time.Sleep(time.Duration(b.size(20, 2)) * time.Second)
		f.add((taskDuration(tab) - before) / time.Since(began).Seconds())
	})
}

// nearZoom is the map's zoom of the near view: pixels of the screen for one pixel of the world.
const nearZoom = 2

// zoomIn presses + until the map has the zoom of the near view, because the zoom at which the map begins, and so the
// number of presses, depends on the size of the canvas.
func zoomIn(tab context.Context) {
	const zoom, presses = `window.__dungeon.map.zoom`, 8 // more than the map has steps
	for range presses {
		if get(chromedp.Run(tab, chromedp.Evaluate[float64](zoom))) >= nearZoom {
			return
		}
		must(chromedp.Do(tab, chromedp.Focus(`[data-testid="drawn-map"]`), chromedp.KeyEvent("+")))
	}
	if got := get(chromedp.Run(tab, chromedp.Evaluate[float64](zoom))); got < nearZoom {
		failf("after %d presses of + the map's zoom is %g, below %d", presses, got, nearZoom)
	}
}

// watching opens the theatre's map in a tab. still: no hero walks.
func (b *bench) watching(still bool) context.Context {
	st, tab := b.newTheatre(), b.browser()
	st.still = still
	st.enter(tab)
	limit := time.Now().Add(startTime)
	for !get(chromedp.Run(tab, chromedp.Evaluate[bool](whole))) {
		if time.Now().After(limit) {
			said := get(chromedp.Run(tab, chromedp.Evaluate[string](`document.body.innerText`)))
			failf("the page does not show the map: %s", said)
		}
		time.Sleep(settle / 30)
	}
	return tab
}

// taskDuration returns for how many seconds the page has had tasks.
func taskDuration(tab context.Context) float64 {
	for _, m := range get(chromedp.Call(tab, performance.GetMetrics, cdp.Empty{})).Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	failf("the browser does not say TaskDuration")
	return 0
}
