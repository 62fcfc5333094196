package gate

import (
	"html"
	"net/http"
	"net/url"
	"strings"
)

// A place is the address of something that the page can show: a realm, a folder, a file, a finding, a conversation
// (P19.6). The gate answers every place with the page, even if the thing does not exist; only the page finds that out.
// So a stranger cannot test what exists.

// places is the prefix of the paths of all places.
const places = "/r/"

// maxPlace is the maximum length of a place, in bytes. A longer path counts as "/".
const maxPlace = 16 << 10

func isPlace(path string) bool { return strings.HasPrefix(path, places) }

// placeOf returns the place of a request as an address without host, query and token; "/" for every other path.
func placeOf(r *http.Request) string {
	if !isPlace(r.URL.Path) || len(r.URL.Path) > maxPlace {
		return "/"
	}
	return (&url.URL{Path: r.URL.Path}).EscapedPath()
}

// placeIn returns the place, with its fragment, in text, a field of the form of the locked page. It returns "/" for any
// other text, so that the form cannot lead to another site.
func placeIn(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || u.RawQuery != "" || !isPlace(u.Path) ||
		len(text) > maxPlace {
		return "/"
	}
	return (&url.URL{Path: u.Path, Fragment: u.Fragment}).String()
}

// keepFragment is the script of the locked page and of the page that answers a valid token. A browser does not send the
// fragment of an address (the line of a file) to the server. So the script copies the fragment into the link with the
// id "on" and into the form.
const keepFragment = `var on=document.getElementById("on"),to=document.getElementById("to");` +
	`if(to)to.value+=location.hash;if(on)location.replace(on.getAttribute("href")+location.hash)`

// scriptPolicy is the hash by which the Content-Security-Policy allows keepFragment.
var scriptPolicy = digest(keepFragment)

// onward returns the part of an HTML head that makes the browser load the address in the parameter to. If the browser
// runs scripts, the script keepFragment does this instead and keeps the fragment.
func onward(to string) string {
	return `<noscript><meta http-equiv="refresh" content="0;url=` + html.EscapeString(to) + `"></noscript>`
}

// handOn returns the end of an HTML body: a link to the address in the parameter to, with the given text, and the
// script keepFragment.
func handOn(to, text string) string {
	return `<p><a id="on" href="` + html.EscapeString(to) + `">` + text + `</a></p>` + runs(keepFragment)
}

func runs(script string) string { return "<script>" + script + "</script>" }
