package gate

import (
	"context"
	"net/http"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// eraseTime limits how long a request waits for an erasure. After that the erasure continues without the
// request.
const eraseTime = 10 * time.Minute

// serveErase erases a conversation or a person, for a host. The body is {"conversationId": ...} or
// {"spectatorId": ...}. serveErase answers with the receipt once the erased bytes are gone (S1-19).
func (g *Gate) serveErase(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	var asked wire.HistoryErase
	if !readJSON(w, r, &asked, "conversationId or spectatorId") {
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
		g.fail(w, by, id, err, "an erasure failed", "it could not be erased now; try again in a moment")
		return
	}
	g.reply(w, &receipt, "\n")
}

// retentionTime limits the duration of a retention pass that a host requests. The next pass continues where that one
// ended.
const retentionTime = 10 * time.Minute

// serveRetention runs a retention pass over the realms of a host's tenant (POST) and answers with its report
// (S1-25). With dryRun=1, which GET requires, it only reports what a pass would do. With force=1 the pass
// deletes even if the clock is not trusted.
func (g *Gate) serveRetention(w http.ResponseWriter, r *http.Request, by *pass, _ string) {
	query := r.URL.Query()
	dryRun := query.Get("dryRun") == "1"
	if r.Method == http.MethodGet && !dryRun {
		answerJSON(w, http.StatusBadRequest, wire.BadField, "GET changes nothing: add dryRun=1, or use POST")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), retentionTime)
	defer cancel()
	report, err := g.cfg.Retention(ctx, by.tenant.Name, dryRun, query.Get("force") == "1")
	if err != nil {
		g.fail(w, by, "", err, "a retention pass failed or was cut short",
			"retention cannot run now; the server's log has the error")
		return
	}
	g.reply(w, report, "\n")
}
