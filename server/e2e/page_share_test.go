package e2e

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// shared is an expression for the link in the dialog Share.
const shared = `document.querySelector('[data-testid="share-link"]')?.value`

// A host shares a link, and a stranger who opens it is at the same place, as a spectator or as a host. P2.7.
func TestPageShare(t *testing.T) {
	t.Parallel()
	l := NewHome(t, server, "-repo", flawed(t), "-token", strings.Repeat("h", 20)).Start()
	p := newPerson(t, "Ada")
	p.do(chromedp.Navigate("http://" + l.Addr + "/?token=" + url.QueryEscape(l.Token("open"))))
	p.sees("start-look")
	p.click("start-look")
	p.sees("game")
	for _, c := range []struct{ role, says string }{{"spectator", "cannot open files"}, {"host", "all that you may"}} {
		p.click("open-share")
		p.sees("share-link")
		p.chooses("share-role", c.role)
		p.until("what a "+c.role+" may do", `document.querySelector('[data-testid="share-may"]')?.innerText.includes('`+c.says+`')`)
		p.until("that others do not reach it", `document.querySelector('[data-testid="share"]').innerText.includes('own machine only')`)
		link := p.eval(shared)
		p.eval(`(document.querySelector('dialog[open]').dispatchEvent(new Event('cancel', {cancelable: true})), true)`)
		p.until("no dialog", `!document.querySelector('dialog[open]')`)
		q := newPerson(t, c.role)
		q.do(chromedp.Navigate(link))
		q.sees("game")
		q.until("the role of the link", `window.__dungeon.state().server.role === '`+c.role+`'`)
		q.until("the place of the link, without its token", `location.pathname === new URL('`+link+`').pathname && location.search === ''`)
		if has := q.eval(`document.querySelector('[data-testid="open-share"]') !== null`); (has == "true") != (c.role == "host") {
			t.Errorf("P2.7: a %s is offered to share: %s", c.role, has)
		}
	}
}
