package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// idle measures the processor time of open realms in which nothing happens. Each realm has a
// linked folder of its own and one attached viewer.
func (b *bench) idle(counts ...int) {
	for _, n := range counts {
		f := b.row(seconds, noAim, "raw TCP, as many idle readers", "CPU a minute, %d idle realms", n)
		b.times(1, func() {
			long := time.Minute // as long as the longest period of a realm's timers
			if b.quick {
				long = 3 * time.Second
			}
			ours, bare := b.serve(b.folder()), b.start(b.bare)
			for i := range n {
				repo := filepath.Join(b.folder(), fmt.Sprintf("repo%02d", i))
				must(os.Mkdir(repo, 0o755), os.WriteFile(filepath.Join(repo, "notes.md"), []byte("idle"), 0o644))
				s := b.dial(ours.addr)
				must(s.hello())
				get(s.link(repo))
			}
			b.gather(n, listen(bare.addr))
			time.Sleep(2 * settle) // until the last checkpoint is written
			used, limit := get(cpuTime(ours.pid())), get(cpuTime(bare.pid()))
			time.Sleep(long)
			used, limit = get(cpuTime(ours.pid()))-used, get(cpuTime(bare.pid()))-limit
			f.add(used.Seconds()/long.Minutes(), limit.Seconds()/long.Minutes())
		})
	}
}
