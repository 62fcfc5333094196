package gate

import (
	"context"
	"net/http"
	"time"

	"agentdungeon/shared/wire"
)

// retentionTime limits a pass that was asked for; the next pass does the rest.
const retentionTime = 10 * time.Minute

// serveRetention reports to hosts what retention would do in their tenant's realms (GET), or
// runs a pass (POST). dryRun=1 only reports; force=1 acts even if the clock is not trusted
// (S1-25).
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
			"this cannot be done now; the server's log says more")
		return
	}
	g.reply(w, report, "\n")
}
