package e2e

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// A browser without a token is told what to do. A bad link and a bad token have different messages, and pasting the
// link that the server printed opens the page.
func TestPageLocked(t *testing.T) {
	t.Parallel()
	const token = "a-token-of-more-than-16"
	l := NewHome(t, server, "-token", token).Start()
	p := newPerson(t, "Ada")
	at := "http://" + l.Addr + "/"
	locked := func(says string) {
		t.Helper()
		p.until("the locked page: "+says, `document.querySelector('#token') && document.body.innerText.includes('`+says+`')`)
	}
	enter := func(what string) {
		t.Helper()
		p.eval(`document.querySelector('#token').value = ` + strconv.Quote(what))
		// The form is submitted as by its button: the browser loads another page and sends the Origin header.
		if _, err := chromedp.RunResponse(p.ctx, chromedp.Submit("form")); err != nil {
			t.Fatal(err)
		}
	}
	p.mu.Lock()
	p.expects = "401 (Unauthorized)"
	p.mu.Unlock()
	p.do(chromedp.Navigate(at + "?again=1")) // the address to which the locked page reloads itself, once
	locked("has not opened one yet")
	p.shot("locked")
	p.do(chromedp.EmulateViewport(360, 640))
	p.do(chromedp.Navigate(at + "?token=wrong"))
	locked("This link is wrong")
	p.shot("locked-phone")
	if wide := p.eval(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
		t.Error("the locked page is wider than a phone")
	}
	enter("wrong")
	locked("This token is wrong")
	enter(at + "?token=" + token)
	p.sees("splash")
	if where := p.eval(`location.href`); where != at {
		t.Errorf("the token stays in sight: %s", where)
	}
	p.do(chromedp.Navigate(at))
	p.sees("splash")
}
