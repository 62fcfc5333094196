package main

import (
	"net/http"
	"os"
	"syscall"
)

// accepting measures the time from the start of the process to the answer of /healthz, without realms.
func (b *bench) accepting() {
	f := b.row(seconds, noAim, "smallest Go HTTP server", "start to accepting (/healthz)")
	ask := func(s *socket) { s.request("/healthz", http.StatusOK, "") }
	b.times(3*b.runs, func() {
		ours := b.timedStart(ask, b.server, "-worlds", b.folder(), "-log-level", "error")
		f.addTook(ours, b.timedStart(ask, b.bare, "-http"))
	})
}

// restart measures the time from the start of the process to the last byte of world:state, for a realm of 10 MB
// that a killed server has left. The limit is a server that only reads as many bytes and sends them.
func (b *bench) restart() {
	killed := b.folder()
	_, size := b.largeRealm(killed)
	f := b.row(seconds, aim{below, 100e-3}, "stored bytes, raw TCP",
		"restart after SIGKILL to the first world:state, world of %.1f MB", float64(size)/(1<<20))
	stored := b.file("stored")
	b.warmTimes(2*b.runs, func() {
		worlds, state := b.folder(), 0
		copyFolder(killed, worlds)
		syscall.Sync() // the killed server has synced its journal, so its next start must not wait for this copy
		ours := b.timedStart(func(s *socket) {
			s.upgrade()
			s.send(`{"type":"hello","protocol":1}`)
			state = len(s.until(`"type":"world:state"`))
		}, b.server, "-worlds", worlds, "-log-level", "error")
		must(os.WriteFile(stored, make([]byte, state), 0o600))
		f.addTook(ours, b.timedStart(func(s *socket) {
			get(s.Write([]byte{'G'}))
			s.take(state)
		}, b.bare, "-file", stored))
	})
}
