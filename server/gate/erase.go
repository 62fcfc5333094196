package gate

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

var (
	erasePath = regexp.MustCompile(`^/api/realms/([A-Za-z0-9_-]{1,64})/erase$`)
	auditPath = regexp.MustCompile(`^/api/realms/([A-Za-z0-9_-]{1,64})/audit$`)
)

// eraseTime is how long an erasure is waited for: it goes on without whoever asked.
const eraseTime = 10 * time.Minute

// serveErase erases for a host: POST {"conversationId": ...} or {"spectatorId": ...}. The
// receipt answers once the bytes are gone (S1-19).
func (g *Gate) serveErase(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		answerJSON(w, http.StatusMethodNotAllowed, wire.BadField, "an erasure is asked for with POST")
		return
	case by.role != wire.RoleHost:
		answerJSON(w, http.StatusForbidden, wire.NotAllowed, "this is for hosts")
		return
	}
	var asked wire.HistoryErase
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, wire.MaxFrame))
	if err != nil || json.Unmarshal(body, &asked) != nil {
		answerJSON(w, http.StatusBadRequest, wire.BadJSON, "the body must be a JSON object with conversationId or spectatorId")
		return
	}
	if e := wire.Check(&asked); e != nil {
		answerJSON(w, http.StatusBadRequest, e.Code, e.Message)
		return
	}
	e := world.Erasure{SpectatorID: asked.SpectatorID, Reason: world.ErasedOnRequest, Who: "api"}
	if asked.ConversationID != "" {
		e.Conversations = []string{asked.ConversationID}
	}
	ctx, cancel := context.WithTimeout(r.Context(), eraseTime)
	defer cancel()
	receipt, err := g.cfg.Erase(ctx, by.tenant.Name, id, e)
	if err != nil {
		g.failed(w, err, id, "an erasure failed", "it could not be erased now; try again in a moment")
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(&receipt); err != nil {
		g.log.Debug().Err(err).Str("realm", id).Msg("nobody read a receipt; it is kept")
	}
}

// serveAudit lists who changed what for a host: ?since=TIME or a duration back from now,
// format=json (the default) or text.
func (g *Gate) serveAudit(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	query := r.URL.Query()
	switch {
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", "GET")
		answerJSON(w, http.StatusMethodNotAllowed, wire.BadField, "the audit is asked for with GET")
		return
	case by.role != wire.RoleHost:
		answerJSON(w, http.StatusForbidden, wire.NotAllowed, "this is for hosts")
		return
	}
	since, err := world.ParseSince(query.Get("since"), time.Now())
	if err != nil {
		answerJSON(w, http.StatusBadRequest, wire.BadField, "since must be a time like 2026-01-31T10:00:00Z or a duration like 24h")
		return
	}
	format, kind := query.Get("format"), "application/json"
	switch format {
	case "":
		format = "json"
	case "text":
		kind = "text/plain; charset=utf-8"
	}
	ctx, cancel := context.WithTimeout(r.Context(), listTime)
	defer cancel()
	body := &late{to: w, kind: kind}
	if err := g.cfg.Audit(ctx, body, by.tenant.Name, id, format, since); err != nil {
		if body.begun {
			g.log.Warn().Err(err).Str("realm", id).Msg("an audit was cut short")
			panic(http.ErrAbortHandler)
		}
		g.failed(w, err, id, "the audit could not be listed", "this realm cannot be read now; try again in a moment")
	}
}

// statusOf is the HTTP status of an error of the contract.
var statusOf = map[wire.Code]int{
	wire.NotFound: http.StatusNotFound, wire.Conflict: http.StatusConflict, wire.Unsaved: http.StatusServiceUnavailable,
	wire.NotReady: http.StatusServiceUnavailable, wire.RateLimited: http.StatusTooManyRequests,
}

// failed answers an error that came before the first byte: its own words where it has some
// for people, else what is given here.
func (g *Gate) failed(w http.ResponseWriter, err error, realm, logged, told string) {
	var e *wire.Error
	if errors.As(err, &e) {
		status := statusOf[e.Code]
		if status == 0 {
			status = http.StatusBadRequest
		}
		answerJSON(w, status, e.Code, e.Message)
		return
	}
	g.log.Warn().Err(err).Str("realm", realm).Msg(logged)
	answerJSON(w, http.StatusServiceUnavailable, wire.NotReady, told)
}
