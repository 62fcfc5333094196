package gate

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"agentdungeon/shared/wire"
)

// retentionTime is how long a pass that was asked for may take; what is left is done by the
// next one.
const retentionTime = 10 * time.Minute

// serveRetention says for hosts what retention would do in their tenant's realms (GET), or
// does it at once (POST; dryRun=1 only says it, force=1 does it although the clock is not
// trusted) (S1-25).
func (g *Gate) serveRetention(w http.ResponseWriter, r *http.Request, by *pass, _ string) {
	query := r.URL.Query()
	dryRun := query.Get("dryRun") == "1"
	if !takes(w, r, http.MethodGet, http.MethodPost) || !forHosts(w, by) {
		return
	}
	if r.Method == http.MethodGet && !dryRun {
		answerJSON(w, http.StatusBadRequest, wire.BadField, "GET changes nothing: say dryRun=1, or POST")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), retentionTime)
	defer cancel()
	report, err := g.cfg.Retention(ctx, by.tenant.Name, dryRun, query.Get("force") == "1")
	if err != nil {
		g.failed(w, by, "", err, "a retention pass was not done, or not to its end", "this cannot be done now; the server's log says more")
		return
	}
	body, err := json.Marshal(report)
	if err != nil {
		g.log.Error().Err(err).Msg("encode a report of retention")
		answerJSON(w, http.StatusInternalServerError, wire.Internal, "the report cannot be written")
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(append(body, '\n')); err != nil {
		g.log.Debug().Err(err).Msg("who asked for a retention pass has gone")
	}
}
