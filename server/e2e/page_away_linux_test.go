package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"agentdungeon/server/mirror/redistest"
)

// The page shows that the board's Redis is away, that the disk cannot be written, and that both are away. What people
// said meanwhile waits and is there once afterwards (S3-15, P12.1).
func TestPageWhileRedisAndTheDiskAreAway(t *testing.T) {
	t.Parallel()
	redis := redistest.New(t, "")
	disk := newDisk(t, 24)
	home := NewHome(t, server)
	home.Worlds = filepath.Join(disk.dir, "worlds")
	home.Env = []string{"REDIS_URL=" + redis.URL()}
	l := home.Start()
	p := newPerson(t, "Ada")
	p.arrive(l)
	p.types("problem", "What is kept?")
	p.chooses("template", "standard_brainstorm")
	p.click("start-process")
	p.sees("game")
	gone := func(testid string) {
		t.Helper()
		p.until("no "+testid, `!document.querySelector('[data-testid="`+testid+`"]')`)
	}
	gone("board-banner")
	redis.Kill()
	p.sees("board-banner")
	p.shot("board-away")
	p.do(chromedp.Reload()) // a new client is told too
	p.sees("board-banner")
	disk.fill()
	p.eval(`window.filler = setInterval(() => {
		if (document.querySelector('[data-testid="save-banner"]')) return clearInterval(window.filler)
		const box = document.querySelector('[data-testid="prompt"]')
		box.value = 'filler ' + 'x'.repeat(15000)
		box.dispatchEvent(new Event('input', {bubbles: true}))
		setTimeout(() => document.querySelector('[data-testid="send"]').click(), 20)
	}, 100), 'on'`)
	p.sees("save-banner")
	p.until("both", `document.querySelector('[data-testid="save-banner"]').innerText.includes('Redis does not answer')`)
	p.shot("disk-and-board-away")
	p.types("prompt", "said while nothing could be saved")
	p.click("send")
	disk.free()
	gone("save-banner")
	p.sees("board-banner")
	p.reads("said while nothing could be saved")
	must(t, redis.Start())
	gone("board-banner")
	p.until("it once", `document.querySelector('[data-testid="transcript"]').innerText.split('said while nothing could be saved').length === 2`)
	if code := l.Stop(); code != 0 || strings.Contains(l.Log(), "broken") {
		t.Errorf("exit code %d\n%s", code, l.Log())
	}
}
