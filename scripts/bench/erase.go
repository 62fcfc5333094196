package main

import (
	"fmt"
	"path/filepath"
	"time"

	"agentdungeon/shared/world"
)

// erase measures an erasure in a realm of n messages while a writer appends: the time until no file holds the erased
// bytes, and the p99 of the appends.
func (b *bench) erase(n int) {
	l := b.fillLibrary(n)
	size := float64(b.sizesOf(l.home).folder) / (1 << 20)
	for _, kind := range []struct {
		name string
		of   world.Erasure
	}{
		{"a conversation of about 100 messages", world.Erasure{Conversations: []string{"c7"}}},
		{"a person who said half of everything", world.Erasure{SpectatorID: "person"}},
	} {
		name := fmt.Sprintf("erasing %s in a realm of %.0f MB", kind.name, size)
		took := b.row(seconds, noAim, "copy of the folder", "%s: until the bytes are gone", name)
		p99 := b.row(seconds, aim{below, 50e-3}, "the same appends without it, p99",
			"%s: appends meanwhile (%d/s), p99", name, appendPace)
		b.times(b.few(), func() { b.eraseOnce(l, kind.of, took, p99) })
	}
}

func (b *bench) eraseOnce(l *library, e world.Erasure, took, p99 *figure) {
	home := filepath.Join(b.folder(), "erased")
	copied := timed(func() { copyFolder(l.home, home) })
	t := b.openTalk(home)
	t.n = l.n
	words := newLanguage()
	paced := func(id string, during time.Duration) []time.Duration {
		messages := t.messages(id, "other", words, during)
		return pace(appendPace, during, func(i int) { t.commit(messages[i]...) })
	}
	alone := paced("alone", b.during)

	j, begin := t.o.Eraser, time.Now()
	e.ErasureID, e.Reason, e.Who, e.At = "e1", world.ErasedOnRequest, "bench", world.TimeOf(begin)
	must(j.IntendErasure(e))
	scope := get(j.ScopeErasure(b.ctx, e, nil, false))
	erased := &world.HistoryErased{ErasureID: e.ErasureID, SpectatorID: e.SpectatorID, Reason: e.Reason, Conversations: scope.Conversations}
	t.commit(erased)
	var ended time.Duration
	var beside []time.Duration
	round := 0
	meanwhile(func() {
		red := get(j.Redact(b.ctx, e.ErasureID))
		get(j.EndErasure(b.ctx, e, world.NewReceipt(e, nil, &world.World{}, red.Changed, nil, nil), time.Now))
		ended = time.Since(begin)
	}, func() {
		round++
		beside = append(beside, paced(fmt.Sprintf("more%d", round), time.Second)...)
	})
	took.addTook(ended, copied)
	p99.addPercentile(99, beside, alone)
}
