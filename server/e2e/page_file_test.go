package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A finding's address opens in a new tab after the token was entered, and its file opens from there: with numbers, in
// colours, with the finding below its line, what differs from the last commit, and its history. Back and forward lead
// through what was opened, the focus returns, and the line that accepts the finding is written and shown to everybody.
// P1.11, P19.1, P19.6, P19.7, P19.9.
func TestPageFileOfAFinding(t *testing.T) {
	t.Parallel()
	const token = "a-token-of-more-than-16"
	dir := flawed(t)
	git(t, dir, nil, "init", "-q")
	git(t, dir, nil, "add", ".")
	git(t, dir, nil, "commit", "-q", "-m", "begin")
	l := NewHome(t, server, "-pace", "instant", "-token", token).Start()
	p := newPerson(t, "Ada")
	p.do(chromedp.Navigate("http://" + l.Addr + "/?token=" + token))
	p.click("begin")
	p.types("identity-name", "Ada")
	p.types("link-path", dir)
	p.click("link-submit")
	p.sees("map")
	p.click("open-realms")
	p.types("problem", "Review it.")
	p.click("start-process")
	p.until("the end of the review", `window.__dungeon.state().realm.world.processState.status === 'completed'`)
	flow := p.eval(`window.__dungeon.state().realm.world.findings.find(f => f.check === 'sentinel/command-injection').id`)
	realm := p.eval(`window.__dungeon.state().realm.id`)
	line := p.eval(`window.__dungeon.state().realm.world.findings.find(f => f.id === '` + flow + `').line`)

	q := newPerson(t, "Ben")
	q.mu.Lock()
	q.expects = "401 (Unauthorized)"
	q.mu.Unlock()
	q.do(chromedp.Navigate("http://" + l.Addr + "/r/" + realm + "/f/main.go?again=1#L" + line))
	q.until("the locked page", `document.querySelector('#token') && document.querySelector('#to').value.endsWith('/f/main.go#L`+line+`')`)
	q.eval(`document.querySelector('#token').value = ` + strconv.Quote(token))
	if _, err := chromedp.RunResponse(q.ctx, chromedp.Submit("form")); err != nil {
		t.Fatal(err)
	}
	q.until("the place after the login", `location.pathname.endsWith('/f/main.go') && location.hash === '#L`+line+`'`)

	p.do(chromedp.Navigate("http://" + l.Addr + "/r/" + realm + "/finding/" + flow))
	finding := `document.querySelector('[data-testid="finding-` + flow + `"]')`
	p.until("the finding of the address, open", finding+`?.querySelector('[data-testid="finding-path"]') != null`)
	p.eval(`(` + finding + `.querySelector('[data-testid="finding-path"]').focus(), ` + finding + `.querySelector('[data-testid="finding-path"]').click(), true)`)
	p.until("the file at its line", `location.hash === '#L`+line+`' && document.querySelector('.file-line-marked')?.textContent.includes('exec.Command')`)
	p.until("colours", `document.querySelector('.file-text .tok-keyword') !== null`)
	p.until("numbers beside the lines", `(() => {
		const [line, number] = ['.file-line-marked', '.cm-lineNumbers .cm-gutterElement:nth-child(`+line+` of :not([style*="hidden"]))'].map(s => document.querySelector('.file-text ' + s)?.getBoundingClientRect())
		return line && number && number.right <= line.left && Math.abs(number.top - line.top) < 4
	})()`)
	p.until("keywords in a colour of their own", `getComputedStyle(document.querySelector('.file-text .tok-keyword')).color !== getComputedStyle(document.querySelector('.cm-content')).color`)
	p.until("the finding in line", `document.querySelector('[data-testid="file-finding-`+flow+`"]')?.innerText.length > 0`)
	p.until("who looks", `window.__dungeon.state().spectators.list.some(s => s.path === 'main.go')`)
	p.shot("file")
	p.click("file-history")
	p.until("commits", `document.querySelectorAll('.file-commits li').length > 0`)
	main, err := os.ReadFile(filepath.Join(dir, "main.go"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), append(main, "\n// a later word\n"...), 0o644))
	p.until("the file as it is now", `document.querySelector('[data-testid="file-facts"]').dataset.head === 'differs'`)
	p.click("file-changes")
	p.until("what differs", `[...document.querySelectorAll('.cm-changedLine, .cm-insertedLine')].some(e => e.textContent.includes('a later word'))`)
	p.shot("file-changes")
	for _, size := range []struct {
		name string
		w, h int64
	}{{"tablet", 1024, 700}, {"phone", 390, 844}, {"small", 360, 640}} {
		p.do(chromedp.EmulateViewport(size.w, size.h))
		p.until("the text at "+size.name, `document.querySelector('.file-text')?.getBoundingClientRect().height > 100`)
		if wide := p.eval(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
			t.Errorf("%s: the page is wider than the screen", size.name)
		}
		p.shot("file-" + size.name)
	}
	p.do(chromedp.EmulateViewport(1440, 900))
	p.until("a desk again", `document.querySelector('.layout-desk') !== null`)

	p.eval(`(history.back(), true)`)
	p.until("the finding again", `location.pathname.endsWith('/finding/`+flow+`') && document.querySelector('[data-testid="file"]') === null`)
	p.eval(`(history.forward(), true)`)
	p.until("the file again", `document.querySelector('[data-testid="file"]')?.dataset.state === 'read'`)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("no file", `document.querySelector('[data-testid="file"]') === null`)

	p.until("the form to accept it", finding+`?.querySelector('[data-testid="finding-accept-reason"]') != null`)
	p.until("why the line cannot be written yet", `(() => {
		const write = document.querySelector('[data-testid="finding-accept-write"]')
		return write.getAttribute('aria-disabled') === 'true' && document.getElementById(write.getAttribute('aria-describedby')).innerText === 'Write a reason first.'
	})()`)
	p.types("finding-accept-reason", "only the owner runs it")
	p.until("the line that is written", finding+`.querySelector('[data-testid="finding-accept"]').innerText.endsWith(' -- only the owner runs it')`)
	p.click("finding-accept-write")
	p.sees("finding-accepted")
	said := p.eval(finding + `.querySelector('[data-testid="finding-accept"]').innerText`)
	if written, err := os.ReadFile(filepath.Join(dir, ".agentdungeon-review")); err != nil || !strings.HasSuffix(string(written), said+"\n") {
		t.Errorf("P19.7: written %q, shown %q (%v)", written, said, err)
	}
	p.do(chromedp.Navigate("http://" + l.Addr + "/r/" + realm + "/finding/" + flow))
	badge := finding + `?.querySelector('[data-testid="finding-accepted-badge"]')?.innerText === 'accepted'`
	p.until("the finding marked as accepted after a reload", badge)
	q.do(chromedp.Navigate("http://" + l.Addr + "/r/" + realm + "/finding/" + flow))
	q.until("the finding marked as accepted for another person", badge)
	must(t, os.Remove(filepath.Join(dir, ".agentdungeon-review")))
	q.until("a mark that goes with the line", finding+` && !(`+badge+`)`)
}
