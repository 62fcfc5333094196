package gate

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"time"

	"agentdungeon/shared/wire"
)

var conversationsPath = regexp.MustCompile(`^/api/realms/([A-Za-z0-9_-]{1,64})/conversations$`)

// listTime is how long writing a realm's conversations may take.
const listTime = 2 * time.Minute

// serveConversations lists a realm's conversations for a host: ?format=json (the default)
// or text, content=1 for what was said in them (S1-25).
func (g *Gate) serveConversations(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	query := r.URL.Query()
	format := query.Get("format")
	if format == "" {
		format = "json"
	}
	switch {
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", "GET")
		answerJSON(w, http.StatusMethodNotAllowed, wire.BadField, "conversations are asked for with GET")
		return
	case by.role != wire.RoleHost:
		answerJSON(w, http.StatusForbidden, wire.NotAllowed, "this is for hosts")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), listTime)
	defer cancel()
	kind := "application/json"
	if format == "text" {
		kind = "text/plain; charset=utf-8"
	}
	body := &late{to: w, kind: kind}
	err := g.cfg.Conversations(ctx, body, by.tenant.Name, id, format, query.Get("status"), query.Get("content") == "1")
	var we *wire.Error
	switch {
	case err == nil:
	case body.begun: // the reader sees that it ends in the middle
		g.log.Warn().Err(err).Str("tenant", by.tenant.Name).Str("realm", id).Msg("a list of conversations was cut short")
		panic(http.ErrAbortHandler)
	case errors.As(err, &we) && we.Code == wire.NotFound:
		answerJSON(w, http.StatusNotFound, we.Code, we.Message)
	case errors.As(err, &we):
		answerJSON(w, http.StatusBadRequest, we.Code, we.Message)
	default:
		g.log.Warn().Err(err).Str("tenant", by.tenant.Name).Str("realm", id).Msg("conversations could not be listed")
		answerJSON(w, http.StatusServiceUnavailable, wire.NotReady, "this realm cannot be read now; try again in a moment")
	}
}

// late writes its header with the first bytes, so that an error before them can still
// have a status of its own.
type late struct {
	to    http.ResponseWriter
	kind  string
	begun bool
}

func (l *late) Write(p []byte) (int, error) {
	if !l.begun {
		l.begun = true
		l.to.Header().Set("Cache-Control", "no-store")
		l.to.Header().Set("Content-Type", l.kind)
	}
	return l.to.Write(p)
}
