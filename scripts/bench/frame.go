package main

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// frame measures two things: the processor time that the page's script needs for a frame of the map while 200
// heroes walk, with the whole country and with a near view; and the share of a core that an idle page uses, shown and
// hidden. Frame rates are not measured, because without a graphics card they depend on the browser's software rendering.
func (b *bench) frame() {
	for _, view := range []struct {
		name string
		near bool
	}{{"the whole country", false}, {"near", true}} {
		f := b.row(seconds, aim{below, 4e-3}, "", "script and drawing of a frame, CPU, %s walking, %s, p95",
			crowdedMap, view.name)
		b.times(b.few(), func() {
			tab := b.watching(false)
			if view.near {
				zoomIn(tab)
			}
			time.Sleep(settle) // until the images of the first frames are made
			samples := b.frames(tab, time.Duration(b.size(10, 2))*time.Second)
			slices.Sort(samples)
			f.add(samples[int(math.Ceil(0.95*float64(len(samples))))-1])
		})
	}
	f := b.row(part, aim{below, 0.02}, "", "page on which nothing happens, %s: TaskDuration, CPU", crowdedMap)
	hidden := b.row(part, aim{below, 0.001}, "", "the same page while it is hidden")
	b.times(b.few(), func() {
		tab := b.watching(true)
		get(chromedp.Call(tab, performance.Enable, performance.EnableParams{
			TimeDomain: performance.EnableTimeDomainThreadTicks, // processor time
		}))
		f.add(b.busy(tab))
		hide(tab)
		hidden.add(b.busy(tab))
	})
}

// hide minimizes the window of a tab, and collects the garbage of the time before. The browser would do that once, in the
// first half minute in which the page is hidden.
func hide(tab context.Context) {
	window := get(chromedp.Call(tab, browser.GetWindowForTarget, browser.GetWindowForTargetParams{})).WindowID
	get(chromedp.Call(tab, browser.SetWindowBounds, browser.SetWindowBoundsParams{
		WindowID: window, Bounds: &browser.Bounds{WindowState: browser.WindowStateMinimized},
	}))
	get(chromedp.Call(tab, heapprofiler.CollectGarbage, cdp.Empty{}))
	time.Sleep(settle)
	if !get(chromedp.Run(tab, chromedp.Evaluate[bool]("document.hidden"))) {
		failf("the page of a minimized window is not hidden")
	}
}

// busy returns the share of some seconds during which tasks of the page run.
func (b *bench) busy(tab context.Context) float64 {
	time.Sleep(settle)
	before, began := taskDuration(tab), time.Now()
	time.Sleep(time.Duration(b.size(20, 2)) * time.Second)
	return (taskDuration(tab) - before) / time.Since(began).Seconds()
}

// frames returns, in seconds, the processor time of the script of each animation frame during a while. Elapsed time
// would also count the time in which other programs have the processor.
func (b *bench) frames(tab context.Context, during time.Duration) (took []float64) {
	var mu sync.Mutex // guards took
	ended := make(chan struct{})
	must(chromedp.Listen(tab, func(event any) {
		switch event := event.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, raw := range event.Value {
				var e struct {
					Name string
					CPU  float64 `json:"tdur"` // microseconds
				}
				if json.Unmarshal(raw, &e) == nil && e.Name == "FireAnimationFrame" {
					took = append(took, e.CPU/1e6)
				}
			}
		case *tracing.EventTracingComplete:
			close(ended)
		}
	}))
	get(chromedp.Call(tab, tracing.Start, tracing.StartParams{
		TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"devtools.timeline"}},
	}))
	time.Sleep(during)
	get(chromedp.Call(tab, tracing.End, cdp.Empty{}))
	await(b.patient("the trace of the page"), ended)
	mu.Lock()
	defer mu.Unlock()
	if len(took) == 0 {
		failf("the trace has no animation frames")
	}
	return took
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

// watching opens the map of a new theatre (the server's stand-in) in a tab. If still is set, no hero walks.
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

// taskDuration returns how long the page's tasks have taken, in seconds.
func taskDuration(tab context.Context) float64 {
	for _, m := range get(chromedp.Call(tab, performance.GetMetrics, cdp.Empty{})).Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	failf("the browser does not report TaskDuration")
	return 0
}
