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
