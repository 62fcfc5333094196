package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/server/app"
	"agentdungeon/server/retention"
	"agentdungeon/shared/world"
)

// retain measures retention in a realm of n chats, a twentieth of them to delete and a twentieth to mark abandoned.
func (b *bench) retain(n int) {
	look := b.row(seconds, aim{below, 1}, "", "retention over %d conversations: a dry run", n)
	pass := b.row(seconds, noAim, "", "retention over %d conversations: marking and deleting a twentieth each", n)
	due := n / 20
	b.times(b.few(), func() {
		dir := b.folder()
		b.scope(func() { b.fillChats(dir, n, due) })
		limits := `{"retention":{"chat":{"completedDays":90,"abandonedDays":90,"abandonAfterDays":30}}}`
		write(filepath.Join(dir, "settings.json"), limits)
		retain := func(f *figure, dry bool) retention.Realm {
			begin := time.Now()
			report := get(app.RetentionInFolder(b.ctx, afero.NewOsFs(), dir, world.DefaultTenant, dry, true, zerolog.Nop()))
			f.add(time.Since(begin).Seconds())
			return report.Realms[0]
		}
		r := retain(look, true)
		if r.Due != 2*due || r.Conversations != n {
			failf("retention finds %d of %d conversations due, not %d", r.Due, r.Conversations, 2*due)
		}
		r = retain(pass, false)
		if r.Marked != due || r.Deleted != due || len(r.Problems) > 0 {
			failf("retention marked %d and deleted %d of %d conversations each: %v", r.Marked, r.Deleted, due, r.Problems)
		}
	})
}

// fillChats makes a worlds folder with a realm of n chats of four rows. The first ones, as many as due, ended 100 days
// ago; in as many others nobody has spoken for 40 days, in all others for ten.
func (b *bench) fillChats(dir string, n, due int) {
	words, today := newLanguage(), time.Now()
	t := b.newWorlds(dir, "Chats", world.TimeOf(today.AddDate(0, 0, -100)))
	for i := range n {
		age := 10
		switch {
		case i < due:
			age = 100
		case i < 2*due:
			age = 40
		}
		t.at = max(t.at, world.TimeOf(today.AddDate(0, 0, -age)))
		id := fmt.Sprintf("chat-%d", i)
		bodies := slices.Concat([]world.Body{chat(id, t.at)}, t.exchange(id, words), t.exchange(id, words))
		if age == 100 {
			bodies = append(bodies, &world.ConversationStatus{ConversationID: id, Status: world.ConversationCompleted})
		}
		t.commitAfter(bodies...)
	}
	t.checkpoint()
}
