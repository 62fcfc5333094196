package gate

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

// secure sets the headers of every response (P1.11). The browser runs only the page's own scripts, loads nothing from
// elsewhere, lets no page frame this one, and sends no referrer. Styles come from the page's own files. The index, the
// locked page and the page that answers a link also have inline styles or scripts; allow adds the sources for these.
func secure(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	// In some browsers 'self' does not include ws: URLs. checkOrigin has checked r.Host, so it is safe in a
	// header.
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; "+
		"img-src 'self' data:; connect-src 'self' ws://"+r.Host+" wss://"+r.Host+"; base-uri 'none'; "+
		"form-action 'self'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// allow replaces the sources of a directive that secure has set to 'self'.
func allow(w http.ResponseWriter, directive, sources string) {
	h := w.Header()
	h.Set("Content-Security-Policy",
		strings.Replace(h.Get("Content-Security-Policy"), directive+" 'self'", directive+" "+sources, 1))
}

// digest returns the source that allows an inline script or style with this text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
