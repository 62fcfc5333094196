package main

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/chromedp"
)

// refresh is how long a reload of the page takes until it shows the same map and agents
// as before (S3-23), for a country of 20,000 files with 200 heroes. The page itself tells
// the time since the reload began; the limit is an empty page of the same server.
func (b *bench) refresh(ctx context.Context) ([]figure, error) {
	st, err := newTheatre()
	if err != nil {
		return nil, err
	}
	defer st.close()
	tab, end, err := browser(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	f := figure{
		name: "refresh of the page to the same map and agents, 20,000 files, 200 heroes", unit: seconds,
		bare: "an empty page", aim: aim{below, 2},
	}
	for i := range b.fewRuns() + 1 {
		if err := b.breathe(ctx); err != nil {
			return nil, err
		}
		if err := st.enter(tab); err != nil {
			return nil, err
		}
		ours, err := reloaded(tab, whole)
		if err != nil {
			return nil, err
		}
		if err := chromedp.Do(tab, chromedp.Navigate(st.url+"empty")); err != nil {
			return nil, err
		}
		limit, err := reloaded(tab, "document.readyState === 'complete'")
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first warms up
			f.ours, f.limit = append(f.ours, ours.Seconds()), append(f.limit, limit.Seconds())
		}
	}
	return []figure{f}, nil
}

// whole says of the page that it is live, knows all heroes and has drawn the map with them.
const whole = `(() => {
	const d = window.__dungeon, canvas = document.querySelector('[data-testid="map"] canvas')
	return !!d?.connected && d.state().realm?.world.agents.length === 200 && d.map?.frames?.length > 0 && canvas?.checkVisibility()
})()`

// reloaded is how long after the beginning of a reload a condition holds, looked at about
// 200 times a second.
func reloaded(tab context.Context, holds string) (time.Duration, error) {
	if err := chromedp.Do(tab, chromedp.Reload()); err != nil {
		return 0, err
	}
	for limit := time.Now().Add(startTime); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		ms, err := chromedp.Run(tab, chromedp.Evaluate[float64](holds+" ? performance.now() : -1"))
		if err != nil {
			return 0, err
		}
		if ms >= 0 {
			return time.Duration(ms * float64(time.Millisecond)), nil
		}
	}
	return 0, errors.New("the page does not come back: " + holds)
}
