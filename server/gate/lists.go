package gate

import (
	"context"
	"net/http"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// listTime limits the writing of a realm's conversations or audit.
const listTime = 2 * time.Minute

// serveConversations lists a realm's conversations for a host: ?format=json (the default) or
// text; status=STATUS selects those with one status; content=1 adds their rows (S1-25).
func (g *Gate) serveConversations(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	if !takes(w, r, http.MethodGet) || !forHosts(w, by) {
		return
	}
	query := r.URL.Query()
	format, contentType := listFormat(r)
	ctx, cancel := context.WithTimeout(r.Context(), listTime)
	defer cancel()
	g.list(w, by, id, contentType, "conversations", func(body *late) error {
		return g.cfg.Conversations(ctx, body, by.tenant.Name, id, format, query.Get("status"), query.Get("content") == "1")
	})
}

// serveAudit lists for a host who changed what: ?since= a time or a duration before now,
// format=json (the default) or text.
func (g *Gate) serveAudit(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	if !takes(w, r, http.MethodGet) || !forHosts(w, by) {
		return
	}
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
