package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentdungeon/shared/world"
)

// appendPace is the number of events committed in a second, one event in each commit.
const appendPace = 500

// durable measures a commit of the journal alone: one event of 1 KB in each, at a steady pace.
func (b *bench) durable() {
	add := b.percentiles(aim{below, 20e-3}, "append, fsync", "durable append of 1 KB at %d/s, ", appendPace)
	realm := world.Realm{ID: "realm", Name: "Realm", Tenant: "default"}
	o := b.open(filepath.Join(b.folder(), "realm"), realm)
	w := &writer{o: o, w: o.Saved.World}
	must(w.commit(&world.RealmCreated{Realm: realm, Settings: world.DefaultSettings()}))
	appendAlone := b.appender("appended-alone")
	line := []byte(strings.Repeat("x", frameBytes))
	b.times(b.runs, func() {
		took := get(pace(appendPace, b.during, func(i int) error {
			return w.commit(&world.SpectatorCommand{SpectatorID: "s", Name: "person", Color: "#aabbcc", Text: say(i)})
		}))
		add(took, get(pace(appendPace, b.during, func(int) error { return appendAlone(line) })))
	})
}

// appender returns a function that appends a line to a new file and syncs the file.
func (b *bench) appender(name string) func(line []byte) error {
	log := get(os.OpenFile(b.file(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))
	b.after(func() { must(log.Close()) })
	return func(line []byte) error {
		_, err := log.Write(line)
		return errors.Join(err, log.Sync())
	}
}

// commands measures the round trip of a command through the whole server, at a steady pace.
func (b *bench) commands() {
	add := b.percentiles(aim{below, 20e-3}, "append, fsync",
		"command to answer at %d/s (decided, committed, answered), ", appendPace)
	ours, appendAlone := b.linked(), b.appender("commands-alone")
	people := b.gather(2*appendPace/50, spectate(ours.addr))
	const command = `{"type":"spectator:command","text":"%s","requestId":"n%0*d"}`
	p := newPacer(ours.pid(), people, false, `"type":"command:reply","requestId":"n`, appendPace, b.during, func(k int) error {
		return people.sockets[k%len(people.sockets)].send(command, say(k), markDigits, k)
	})
	line := []byte(strings.Repeat("x", frameBytes))
	b.times(b.runs, func() {
		took, _ := p.run()
		add(took, get(pace(appendPace, b.during, func(int) error { return appendAlone(line) })))
	})
}

func finding(n int, text string) *world.FindingPosted {
	return &world.FindingPosted{Finding: world.Finding{
		ID: fmt.Sprintf("f%d", n), AgentID: "scout", Severity: "low", Title: fmt.Sprintf("finding %d", n),
		Text: text, Path: "server/gate/socket.go", Line: n, At: now(),
	}}
}
