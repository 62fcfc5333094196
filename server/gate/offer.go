package gate

import (
	"context"
	"net/http"

	"agentdungeon/shared/wire"
)

// serveOffer answers with a preview of the map of the folder in which the server was started, before anybody links
// that folder (P5.1a).
func serveOffer(g *Gate, w http.ResponseWriter, r *http.Request, by *pass, _ string) {
	offer := by.tenant.About.Offer
	if offer == "" {
		answerJSON(w, http.StatusNotFound, wire.NotFound, "this server offers no folder to link")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), fileTime)
	defer cancel()
	out, err := by.tenant.Realms.Preview(ctx, offer)
	if err != nil {
		g.fail(w, by, "", err, "the offered folder has no preview", "this folder cannot be shown before it is linked")
		return
	}
	g.reply(w, out, "\n")
}
