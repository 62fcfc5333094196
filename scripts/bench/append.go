package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// appendPace is the number of events committed in a second, one event in each commit.
const appendPace = 500

const bareAppend = "append, fsync"

// durable measures commits of the journal without the rest of the server: one event of 1 KB in each, at a steady
// pace.
func (b *bench) durable() {
	add := b.percentiles(aim{below, 20e-3}, bareAppend, "durable append of 1 KB at %d/s, ", appendPace)
	t, appendLine := b.newTalk(filepath.Join(b.folder(), "talk")), b.appender()
	b.times(b.runs, func() {
		took := pace(appendPace, b.during, func(int) { t.commit(spoken(say())) })
		add(took, pace(appendPace, b.during, func(int) { appendLine(frameLine) }))
	})
}

// frameLine is a line as long as the frame of an event.
var frameLine = []byte(strings.Repeat("x", frameBytes))

// appender returns a function that appends a line to a new file and syncs the file.
func (b *bench) appender() func(line []byte) {
	log := get(os.OpenFile(filepath.Join(b.folder(), "appended"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))
	b.after(func() { must(log.Close()) })
	return func(line []byte) {
		get(log.Write(line))
		must(log.Sync())
	}
}

// commands measures the round trip of a command through the whole server, at a steady pace.
func (b *bench) commands() {
	add := b.percentiles(aim{below, 20e-3}, bareAppend, "command to answer at %d/s (decided, committed, answered), ", appendPace)
	people, appendLine := b.spectators(b.linked().addr, 2*appendPace/50, nil), b.appender()
	delay := b.readDelays(people, `"type":"command:reply","requestId":"n`)
	b.times(b.runs, func() {
		took := b.paced(delay, 1, appendPace, func(k int) {
			const command = `{"type":"spectator:command","text":"%s","requestId":"n%s"}`
			people[k%len(people)].send(command, say(), stamp())
		})
		add(took, pace(appendPace, b.during, func(int) { appendLine(frameLine) }))
	})
}

// talkAppend measures commits of a chat's messages in a realm that already has many rows. The time includes
// encoding the events.
func (b *bench) talkAppend(held int) {
	add := b.percentiles(aim{below, 20e-3}, bareAppend,
		"append of a chat's messages at %d/s (row, run, search index; %d rows there before), ", appendPace, held)
	t := b.openTalk(b.fillLibrary(held).home)
	b.books = nil // the library gets more rows below, and its texts take memory
	t.n = held    // new runs and rows get new ids
	appendLine, words, run := b.appender(), newLanguage(), 0
	b.times(b.runs, func() {
		run++
		messages := t.messages(fmt.Sprintf("more%d", run), "person", words, b.during)
		lines := make([][]byte, len(messages)) // the same events as lines of a plain log
		took := pace(appendPace, b.during, func(i int) {
			for _, rec := range t.commit(messages[i]...).Records {
				lines[i] = append(append(lines[i], rec.Frame...), '\n')
			}
		})
		add(took, pace(appendPace, b.during, func(i int) { appendLine(lines[i]) }))
	})
}
