package gate

import (
	"context"
	"fmt"
	stdlog "log"
	"net/http"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/shared/wire"
)

// Server returns an http.Server that serves Handler with timeouts for idle and slow requests. The caller runs
// and closes it. Closing it does not close the WebSocket connections; Shutdown does.
func (g *Gate) Server() *http.Server {
	return &http.Server{
		Handler:           g.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          stdlog.New(httpLog{g.log}, "", 0),
	}
}

type httpLog struct{ log zerolog.Logger }

func (l httpLog) Write(line []byte) (int, error) {
	l.log.Debug().Str("from", "net/http").Msg(clip(string(line)))
	return len(line), nil
}

// Handler returns the handler of all requests to the gate.
func (g *Gate) Handler() http.Handler { return http.HandlerFunc(g.serve) }

func (g *Gate) serve(w http.ResponseWriter, r *http.Request) {
	if err := g.access.checkOrigin(r); err != nil {
		g.refused.foreign(r, err)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	secure(w, r)
	switch path := r.URL.Path; {
	case path == "/healthz":
		answer(w, http.StatusOK, "ok")
	case path == "/readyz":
		g.serveReady(w)
	case path == "/ws":
		g.serveSocket(w, r)
	case path == "/access":
		g.serveAccess(w, r)
	case path == "/mcp":
		g.serveFacts(w, r)
	default:
		g.serveRest(w, r, path)
	}
}

func (g *Gate) serveReady(w http.ResponseWriter) {
	select {
	case <-g.ctx.Done():
		answer(w, http.StatusServiceUnavailable, "the server is stopping")
		return
	default:
	}
	select {
	case <-g.ready:
	default:
		answer(w, http.StatusServiceUnavailable, "the realms are being restored")
		return
	}
	if reason := g.cfg.Unsaved(); reason != "" {
		answer(w, http.StatusServiceUnavailable, "nothing can be saved: "+reason)
		return
	}
	answer(w, http.StatusOK, "ready")
}

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, text) // a failed write means that the client has gone
}

func (g *Gate) serveRest(w http.ResponseWriter, r *http.Request, path string) {
	api := strings.HasPrefix(path+"/", "/api/")
	by := g.access.pass(r)
	switch {
	case by == nil:
		g.refused.unknown(r)
		w.Header().Set("WWW-Authenticate", `Bearer realm="agentdungeon"`)
		if api {
			answerJSON(w, http.StatusUnauthorized, wire.NotAllowed, "a token is needed")
			return
		}
		serveLocked(w, locked{Again: r.URL.RawQuery == "", Link: r.URL.Query().Has("token"), Place: placeOf(r)})
	case api:
		g.serveAPI(w, r, by, path)
	case len(g.access.grants) > 0 && r.URL.Query().Has("token"):
		// Answer with a page that loads the page again without the token in the address; the cookie replaces
		// the token. A redirect would not work: after a click on a link on another site, the browser follows
		// the redirect without the SameSite=Strict cookie.
		g.access.admit(w, r, by)
		allow(w, "style-src", stylePolicy)
		allow(w, "script-src", scriptPolicy)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, entered(placeOf(r)))
	default:
		g.page.serve(w, r)
	}
}

// serveFacts answers the questions of coding agents (P17.13). The answers have what the owner may see, so the sender
// must send the owner's token, even on loopback.
func (g *Gate) serveFacts(w http.ResponseWriter, r *http.Request) {
	by := g.access.pass(r)
	switch {
	case by == nil:
		g.refused.unknown(r)
		w.Header().Set("WWW-Authenticate", `Bearer realm="agentdungeon"`)
		answerJSON(w, http.StatusUnauthorized, wire.NotAllowed, "a token is needed")
	case !by.owner:
		g.refused.add()
		answerJSON(w, http.StatusForbidden, wire.NotAllowed, onlyOwnerReads)
	case by.tenant.Facts == nil:
		answerJSON(w, http.StatusNotFound, wire.NotFound, "this server does not answer questions of coding agents")
	default:
		select {
		case <-g.ready:
			w.Header().Set("Cache-Control", "no-store")
			by.tenant.Facts.ServeHTTP(w, r)
		default:
			answerJSON(w, http.StatusServiceUnavailable, wire.NotReady, "the realms are being restored")
		}
	}
}

// onlyOwnerReads is the answer to a sender who has not proved to be the person who runs the server.
const onlyOwnerReads = "only the person who started the server may ask: send the token of the link that it printed, " +
	"as Authorization: Bearer TOKEN; the command agentdungeon mcp does that by itself"

// serveAccess handles the form of the locked page, in which a person enters a token or a link with a token.
func (g *Gate) serveAccess(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		http.Error(w, "send the token with the method POST", http.StatusMethodNotAllowed)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10+2*maxPlace)
	to := placeIn(r.PostFormValue("to"))
	by := g.access.passOf(tokenIn(r.PostFormValue("token")))
	if by == nil && len(g.access.grants) > 0 {
		g.refused.wrong()
		serveLocked(w, locked{Wrong: true, Place: to})
		return
	}
	g.access.admit(w, r, by)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// Shutdown closes every socket with the code 1001, cancels the long commands that can be cancelled, and waits
// for the sockets' goroutines. If ctx ends first, Shutdown cuts the connections and returns ctx's error. The
// caller stops the realms afterwards, so that clients get 1001 and not the code of a closed realm.
func (g *Gate) Shutdown(ctx context.Context) error {
	g.mu.Lock()
	g.stopping = true
	g.mu.Unlock()
	g.stop()
	for _, s := range g.all() {
		s.close(wire.CloseGoingAway, "the server is going away")
	}
	done := make(chan struct{})
	go func() {
		g.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		for _, s := range g.all() {
			s.link.cut()
		}
		return fmt.Errorf("wait for %d sockets to close: %w", g.Stats().Sockets, context.Cause(ctx))
	}
}
