package gate

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// locked is the reason why a browser gets the locked page instead of the built page. The locked page is a single file,
// because the gate serves the files of the built page only to a sender with a token. The locked page runs no script and
// loads nothing, with one exception: if the browser has requested a place, one script keeps the fragment of the
// address, such as the line of a file (keepFragment).
type locked struct {
	Again bool   // the first request without a token, which the browser should repeat
	Link  bool   // the link's token is wrong
	Wrong bool   // the token that was entered is wrong
	Place string // the place (an address inside the page) that the browser has requested, "/" for none
}

// serveLocked answers with the locked page, which has a form for a token.
func serveLocked(w http.ResponseWriter, why locked) {
	// The default no-referrer would make the browser send "Origin: null" with the form, and access.checkOrigin
	// refuses that. same-origin does not reveal the address to other sites either.
	allow(w, "style-src", stylePolicy)
	if why.Place != "/" {
		allow(w, "script-src", scriptPolicy)
	}
	w.Header().Set("Referrer-Policy", "same-origin")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusUnauthorized)
	io.WriteString(w, lockedPage(why)) // a failed write means that the client has gone
}

// tokenIn returns the token in text that a person has pasted: the token of a link, or the text itself.
func tokenIn(pasted string) string {
	pasted = strings.TrimSpace(pasted)
	if u, err := url.Parse(pasted); err == nil && u.Query().Has("token") {
		return u.Query().Get("token")
	}
	return pasted
}

// pageStyle is the style of lockedPage and of entered. client/src/styles/tokens.css explains the colours.
const pageStyle = `
:root{color-scheme:dark;--ground:#0d0f1a;--panel:#151827;--line:#2c3350;--text:#f3ecd9;--quiet:#a9adc4;--accent:#ffd27a;
--on-accent:#0d0f1a;--field:#0f111e;--field-line:#565a7a;--focus:#4aa3df;--bad:#f0817b}
@media (prefers-color-scheme:light){:root{
color-scheme:light;--ground:#ebe2cb;--panel:#f3ecd9;--line:#cfc6ae;--text:#151827;--quiet:#565a7a;--accent:#8a4a12;
--on-accent:#fbf7ec;--field:#fffdf6;--field-line:#8d8a86;--focus:#27548a;--bad:#8f2f3a}}
*{box-sizing:border-box}
html{background:var(--ground);color:var(--text);-webkit-text-size-adjust:100%;
font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif}
body{align-content:center;display:grid;justify-items:center;margin:0;min-height:100vh;padding:24px 16px}
main{background:var(--panel);border:1px solid var(--line);border-radius:2px;
display:grid;gap:16px;max-width:520px;padding:24px;width:100%}
h1{align-items:center;display:flex;font-size:24px;gap:12px;line-height:1.2;margin:0}
svg{flex:none;height:40px;width:40px}
p{margin:0;overflow-wrap:anywhere}
a{color:var(--accent)}
form{display:grid;gap:8px}
label{font-weight:600}
input,button{border-radius:2px;color:inherit;font:inherit;min-height:44px;padding:8px 12px;width:100%}
input{background:var(--field);border:1px solid var(--field-line);font-size:16px}
button{background:var(--accent);border:1px solid var(--accent);color:var(--on-accent);cursor:pointer;font-weight:600}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
.quiet{color:var(--quiet);font-size:14px}
.bad{color:var(--bad)}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:13px}
`

// stylePolicy is the source of pageStyle in the Content-Security-Policy.
var stylePolicy = digest(pageStyle)

// pageHead is a part of the HTML head of lockedPage and of entered.
const pageHead = `<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<link rel="icon" href="data:,">
<style>` + pageStyle + `</style>`

// lockedPage returns the HTML of the locked page. It does not use html/template: the HTML contains no text
// from outside, and with html/template the linker could not drop unused methods, so that the program would
// become half as large again.
func lockedPage(why locked) string {
	refresh, field, to, script := "", "", "", ""
	if why.Place != "/" {
		to = `<input type="hidden" id="to" name="to" value="` + html.EscapeString(why.Place) + `">`
		script = runs(keepFragment)
	}
	if why.Again {
		// The browser repeats the request once. It sends no SameSite=Strict cookie when a person follows a
		// link from another site, but it sends the cookie with a refresh of this page.
		refresh = `<meta http-equiv="refresh" content="0;url=/?again=1">`
		if to != "" {
			refresh, script = onward(why.Place+"?again=1"), handOn(why.Place+"?again=1", "Try again")
		}
	}
	if why.Wrong || why.Link {
		field = ` autofocus aria-describedby="why" aria-invalid="true"`
	}
	says := `<p>This server lets people in by a link, and this browser has not opened one yet.</p>`
	switch {
	case why.Wrong:
		says = `<p class="bad" id="why" role="alert">This token is wrong.
Check that it is complete; a token changes when the server is started with another one.</p>`
	case why.Link:
		says = `<p class="bad" id="why" role="alert">This link is wrong.
Check that it is complete; links change when the server is started with another token.</p>`
	}
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">` + refresh + `
<title>Agent Dungeon: locked</title>
` + pageHead + `</head>
<body><main>
<h1><svg viewBox="0 0 16 16" shape-rendering="crispEdges" aria-hidden="true">
<path fill="#565a7a" d="M2 5h1V3h2V2h6v1h2v2h1v10H2z"/>
<path fill="#6b4a36" d="M4 6h1V5h1V4h4v1h1v1h1v9H4z"/>
<path fill="#9a7250" d="M5 6h1v9H5zm3-2h1v11H8zm2 2h1v9h-1z"/>
<path fill="#3b3f5c" d="M4 8h8v1H4zm0 4h8v1H4z"/>
<path fill="#ffd27a" d="M9 9h2v3H9z"/>
<path fill="#0d0f1a" d="M10 10h1v1h-1z"/></svg>The gate is locked</h1>
` + says + `
<p>When the server starts it prints links, one for hosts and one for spectators.
Open one of them, or paste it here. If somebody else runs the server, ask them for a link.</p>
<form method="post" action="/access">` + to + `<label for="token">Link or token</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required` + field + `>
<button>Open the gate</button></form>
<p class="quiet">Nothing is lost: what was said here is kept by the server.
If this page comes again and again, the browser keeps no cookies of this server.</p>
` + script + `</main></body></html>
`
}

// entered returns the HTML that answers a link with a token. It makes the browser load a place without the token in the
// address.
func entered(place string) string {
	refresh, on := `<meta http-equiv="refresh" content="0;url=/">`, `<p><a href="/">Enter</a></p>`
	if place != "/" {
		refresh, on = onward(place), handOn(place, "Enter")
	}
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">` + refresh + `<title>Agent Dungeon</title>
` + pageHead + `</head>
<body>` + on + `</body></html>
`
}
