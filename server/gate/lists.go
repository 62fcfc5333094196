package gate

import (
	"context"
	"net/http"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// listTime limits how long the gate writes a realm's conversations or audit.
const listTime = 2 * time.Minute

// serveConversations answers a host with a list of a realm's conversations (S1-25). ?format= is json (the
// default) or text. status=STATUS selects the conversations with this status. content=1 adds their rows.
func (g *Gate) serveConversations(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	query := r.URL.Query()
	format, contentType := listFormat(r)
	ctx, cancel := context.WithTimeout(r.Context(), listTime)
	defer cancel()
	g.list(w, by, id, contentType, "conversations", func(body *late) error {
		return g.cfg.Conversations(ctx, body, by.tenant.Name, id, format, query.Get("status"), query.Get("content") == "1")
	})
}

// serveAudit answers a host with a list of who changed what in a realm. ?since= is a time or a duration before
// now. format= is json (the default) or text.
func (g *Gate) serveAudit(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	since, err := world.ParseSince(r.URL.Query().Get("since"), time.Now())
	if err != nil {
		answerJSON(w, http.StatusBadRequest, wire.BadField,
			"since must be a time like 2026-01-31T10:00:00Z or a duration like 24h")
		return
	}
	format, contentType := listFormat(r)
	ctx, cancel := context.WithTimeout(r.Context(), listTime)
	defer cancel()
	g.list(w, by, id, contentType, "the audit", func(body *late) error {
		return g.cfg.Audit(ctx, body, by.tenant.Name, id, format, since)
	})
}

// listFormat returns the format of a list from the request's query, by default "json", and the content type of
// that format.
func listFormat(r *http.Request) (format, contentType string) {
	switch format = r.URL.Query().Get("format"); format {
	case "":
		return "json", "application/json"
	case "text":
		return format, "text/plain; charset=utf-8"
	}
	return format, "application/json" // an unknown format is passed on: the function that writes the list refuses it
}

// late is a response whose headers are set when its first bytes are written. If an error comes earlier, the
// answer can still have a status and headers of its own.
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

// list sends to the client what the function write writes to its argument, while write runs. If write fails after its
// first bytes, list cuts the connection, so that the client notices that the list is incomplete.
func (g *Gate) list(w http.ResponseWriter, by *pass, realm, contentType, what string, write func(body *late) error) {
	body := &late{to: w, kind: contentType}
	err := write(body)
	switch {
	case err == nil:
	case body.begun:
		g.log.Warn().Err(err).Str("tenant", by.tenant.Name).Str("realm", realm).Msg("the list of " + what + " was cut short")
		panic(http.ErrAbortHandler)
	default:
		g.fail(w, by, realm, err, what+" could not be listed", "this realm cannot be read now; try again in a moment")
	}
}
