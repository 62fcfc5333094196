package gate

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// maxHook limits what a hook sends, in bytes. A longer payload is refused; the agent's terminal asks then.
const maxHook = 1 << 20

// exitHeader is the header of an answer that a hook writes to standard error, to end with that exit code.
const exitHeader = "Agentdungeon-Exit"

// onlyOwner is the answer to everybody else who wants to answer for the person who runs the server.
const onlyOwner = "this runs commands as the person who started the server; open the link that the server printed"

// serveHook serves the hooks of coding agents (P17.8). POST handles what a hook sends and answers 204, or 200 with
// what the hook prints. GET says when each program was last heard.
func (g *Gate) serveHook(w http.ResponseWriter, r *http.Request, by *pass, _ string) {
	hooks := by.tenant.Hooks
	if hooks == nil {
		answerJSON(w, http.StatusNotFound, wire.NotFound, "this server takes no hooks")
		return
	}
	if r.Method == http.MethodGet {
		g.reply(w, struct {
			Heard map[string]world.Time `json:"heard"`
		}{hooks.Heard()}, "\n")
		return
	}
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHook))
	if err != nil {
		var long *http.MaxBytesError
		if errors.As(err, &long) {
			answerJSON(w, http.StatusRequestEntityTooLarge, wire.BadField, "the payload is too long")
		}
		return
	}
	// A hook waits for a person: longer than the server's timeouts allow.
	control := http.NewResponseController(w)
	if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
		g.log.Debug().Err(err).Msg("the time limits of a hook's connection could not be lifted")
	}
	query := r.URL.Query()
	answer, err := hooks.Handle(r.Context(), query.Get("program"), query.Get("wake") == "1", payload)
	switch {
	case err != nil:
		g.fail(w, by, "", err, "a hook was not handled", "the hook cannot be handled now")
	case answer.Text == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Cache-Control", "no-store")
		if w.Header().Set("Content-Type", "application/json"); answer.Wake {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set(exitHeader, "2")
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(answer.Text)))
		_, err := w.Write(answer.Text)
		if errors.Join(err, control.Flush()) != nil && answer.Lost != nil { // the agent has gone
			answer.Lost()
		}
	}
}
