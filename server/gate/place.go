package gate

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"net/url"
	"strings"
)

// A place is an address of the page that shows something: a realm, a folder, a file, a finding, a conversation
// (P19.6). The gate answers each with the page, whether what it names exists or not, and only the page looks it up.
// So an address tells a stranger nothing.

// places is the prefix of the paths of all places.
const places = "/r/"

// maxPlace is the maximum length of a place, in bytes; a longer one is no address.
const maxPlace = 16 << 10

func isPlace(path string) bool { return strings.HasPrefix(path, places) }

// placeOf returns the place of a request as an address without host, query and token; "/" for every other path.
func placeOf(r *http.Request) string {
	if !isPlace(r.URL.Path) || len(r.URL.Path) > maxPlace {
		return "/"
	}
	return (&url.URL{Path: r.URL.Path}).EscapedPath()
}

// placeIn returns the place that a form of the locked page names: its path and its fragment. Everything else is "/",
// so that a form leads to no other site.
func placeIn(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || u.RawQuery != "" || !isPlace(u.Path) ||
		len(text) > maxPlace {
		return "/"
	}
	return (&url.URL{Path: u.Path, Fragment: u.Fragment}).String()
}

// keepFragment is the script of the two pages on the way to a place. A browser sends no fragment (the line of a file),
// so the script hands it on: to the address in the element "on", and to the form.
const keepFragment = `var on=document.getElementById("on"),to=document.getElementById("to");` +
	`if(to)to.value+=location.hash;if(on)location.replace(on.getAttribute("href")+location.hash)`

// scriptPolicy is the source of keepFragment in the Content-Security-Policy.
var scriptPolicy = func() string {
	sum := sha256.Sum256([]byte(keepFragment))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// allowScript sets the policy of a page that contains keepFragment and nothing else that runs.
func allowScript(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy",
		strings.Replace(h.Get("Content-Security-Policy"), "script-src 'self'", "script-src "+scriptPolicy, 1))
}

// onward returns the part of a head that leads to an address of this server by itself, and keeps the fragment if the
// browser runs scripts.
func onward(to string) string {
	return `<noscript><meta http-equiv="refresh" content="0;url=` + html.EscapeString(to) + `"></noscript>`
}

// handOn returns the end of a body that leads to an address; see onward. text is the link's.
func handOn(to, text string) string {
	return `<p><a id="on" href="` + html.EscapeString(to) + `">` + text + `</a></p>` + runs(keepFragment)
}

func runs(script string) string { return "<script>" + script + "</script>" }
