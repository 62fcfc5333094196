package gate

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"agentdungeon/server/shadow"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// maxHook is the maximum length, in bytes, of what a hook of a coding agent sends. The gate refuses a longer payload,
// and the agent then asks in its own terminal.
const maxHook = 1 << 20

// exitHeader is the header of an answer with an exit code. The hook command writes such an answer to standard error and
// ends with that exit code.
const exitHeader = "Agentdungeon-Exit"

// onlyOwner is the answer to a sender who wants to make programs run as the person who runs the server, and has not
// proved by a token to be that person.
const onlyOwner = "this runs commands as the person who started the server; open the link that the server printed"

// serveHook serves the hooks of coding agents (P17.8). POST handles what a hook sends and answers 204, or 200 with
// what the hook prints. GET answers, for each program, when one of its hooks last sent something.
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
	// A hook may wait for a person's answer longer than the timeouts of the HTTP server allow, so lift them.
	control := http.NewResponseController(w)
	if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
		g.log.Debug().Err(err).Msg("the time limits of the connection of a coding agent's hook could not be lifted")
	}
	query := r.URL.Query()
	answer, err := hooks.Handle(r.Context(), shadow.Caller{
		Program: query.Get("program"), Wake: query.Get("wake") == "1", Again: query.Get("again") == "1",
	}, payload)
	switch {
	case err != nil:
		g.fail(w, by, "", err, "the request of a hook could not be handled", "the hook cannot be handled now")
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
		// The answer could not be sent, because the agent has gone.
		if errors.Join(err, control.Flush()) != nil && answer.Lost != nil {
			answer.Lost()
		}
	}
}
