package main

import (
	"fmt"
	"path/filepath"
	"time"
)

// idle measures the processor time of idle realms, each with a linked folder and a viewer of its own.
func (b *bench) idle(counts ...int) {
	for _, n := range counts {
		f := b.row(seconds, noAim, "raw TCP, as many idle readers", "CPU a minute, %d idle realms", n)
		b.times(1, func() {
			ours, bare := b.serve(b.folder()), b.start(b.bare)
			for i := range n {
				repo := filepath.Join(b.folder(), fmt.Sprintf("repo%02d", i))
				write(filepath.Join(repo, "notes.md"), "idle")
				b.guest(ours).link(repo)
			}
			b.listeners(bare.addr, n)
			time.Sleep(2 * settle)                             // until the last checkpoint is written
			long := time.Duration(b.size(60, 3)) * time.Second // a minute is the longest period of a realm's timers
			var limit time.Duration
			used := ours.cpu(func() { limit = bare.cpu(func() { time.Sleep(long) }) })
			f.add(used.Seconds()/long.Minutes(), limit.Seconds()/long.Minutes())
		})
	}
}
