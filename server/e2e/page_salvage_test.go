package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The page says which part of a damaged realm could be read, as long as the realm exists, and marks the damaged rows
// (S3-17). On a phone it shows one notice at a time. P7.4a.
func TestPageOfASalvagedRealm(t *testing.T) {
	t.Parallel()
	home := pageHome(t, "-script", file(t, filepath.Join(t.TempDir(), "talk.json"), pageTalkers), "-pace", "instant")
	l := home.Start()
	p := newPerson(t, "Ada")
	p.arrive(l)
	p.types("link-path", flawed(t))
	p.click("link-submit")
	p.sees("talk")
	p.click("talk-new")
	p.sees("talk-kind")
	p.chooses("talk-kind", "chat")
	p.click("talk-start-go")
	p.until("the chat", `document.querySelector('[data-testid="conversation"]')?.dataset.kind === 'chat'`)
	const damaged = "the third stone bridge"
	const questions = 8
	for i := range questions {
		about := "the old north tower"
		if i == 6 {
			about = damaged
		}
		p.pastes("talk-prompt", fmt.Sprintf("Question %d is about %s. %s", i, about, strings.Repeat("Who built it, and of what? ", 12)))
		p.click("talk-send")
		p.until("an answer", fmt.Sprintf(`[...document.querySelectorAll('[data-testid="message"][data-role="assistant"][data-status="done"]')].some(e => e.textContent.includes('Question %d is'))`, i))
	}
	// The server is killed when state.json has the realm's last event. Then the page has the same position as the
	// restored world, and must nevertheless get a snapshot.
	var dir string
	eventually(t, "the checkpoint with all rows", func() bool {
		found, err := filepath.Glob(filepath.Join(home.Worlds, "*", "state.json"))
		must(t, err)
		if len(found) != 1 {
			return false
		}
		dir = filepath.Dir(found[0])
		raw, err := os.ReadFile(found[0])
		if errors.Is(err, fs.ErrNotExist) { // state.json is being replaced
			return false
		}
		must(t, err)
		var state struct{ Messages int }
		must(t, json.Unmarshal(raw, &state))
		return state.Messages == 3*questions // each question has a tool call and an answer
	})
	l.Kill()
	takeLog(t, dir)
	path := filepath.Join(dir, "realm.db")
	flipMessage(t, path, "about "+damaged)
	garble(t, path, "stone bridge") // flip has changed a letter of "third"

	l = home.Start()
	p.sees("salvage")
	p.until("a row with other words", `[...document.querySelectorAll('[data-testid="damaged"]')].some(e => e.innerText.includes('may differ from what was said'))`)
	if said := p.eval(`document.querySelector('[data-testid="restored"]')?.innerText ?? ''`); strings.Contains(said, "state file was damaged") {
		t.Errorf("the state file was whole, and the page says: %s", said)
	}
	p.until("the figures", `/The realm’s database was damaged. What could be read is here: \d+ of \d+ messages, \d+ of \d+ events/.test(document.querySelector('[data-testid="salvage"]').innerText)`)
	for name, size := range map[string][2]int64{"salvage": {1440, 900}, "salvage-phone": {390, 844}} {
		p.do(chromedp.EmulateViewport(size[0], size[1]))
		p.until("the size", fmt.Sprintf(`innerWidth === %d`, size[0]))
		p.until("the damaged row in sight", `(() => {
			const t = document.querySelector('[data-testid="transcript"]'), d = [...document.querySelectorAll('[data-testid="damaged"]')].find(e => e.innerText.includes('may differ'))
			if (!t || !d) return false
			const box = t.getBoundingClientRect(), at = d.getBoundingClientRect()
			if (at.top > box.top && at.bottom < box.bottom - 60) return true
			t.scrollTop += at.top - (box.top + box.bottom) / 2
			return false
		})()`)
		p.framesLater("too little room for the transcript beside the map and the notices", roomOf+` < 240`)
		p.shot(name)
		p.eval(`(document.querySelector('[data-testid="salvage"]').open = true)`)
		p.shot(name + "-open")
		p.eval(`(document.querySelector('[data-testid="salvage"]').open = false)`)
		if wide := p.eval(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
			t.Errorf("the page is wider than %d", size[0])
		}
	}
	p.until("a row without words", `(() => {
		if (document.body.innerText.includes('was damaged on the server’s disk and cannot be read')) return true
		const t = document.querySelector('[data-testid="transcript"]')
		t.scrollTop -= 150
		return false
	})()`)
	p.do(chromedp.Reload())
	p.sees("salvage") // it lasts
	p.do(chromedp.EmulateViewport(390, 844))
	l.Kill()
	const shows = `['banner', 'salvage', 'notices-more'].map(id => document.querySelector('[data-testid="' + id + '"]')?.checkVisibility() ?? false).join()`
	p.until("the most urgent notice alone on a phone", shows+` === 'true,false,true'`)
	p.shot("notices-folded")
	p.click("notices-more")
	p.until("both notices", shows+` === 'true,true,true'`)
	p.shot("notices")
	p.do(chromedp.EmulateViewport(1440, 900))
	p.until("both notices on a desk", shows+` === 'true,true,false'`)
}
