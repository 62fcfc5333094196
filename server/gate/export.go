package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"agentdungeon/server/report"
	"agentdungeon/shared/wire"
)

var exportPath = regexp.MustCompile(`^/api/realms/([A-Za-z0-9_-]{1,64})/export$`)

// exportTime is how long an export may wait for a realm that is opened for it, or for
// a disk that is slow to make durable what it holds.
const exportTime = 20 * time.Second

// serveExport writes what a realm holds as a file: ?format=markdown, json or sarif.
func (g *Gate) serveExport(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		answerJSON(w, http.StatusMethodNotAllowed, wire.BadField, "an export is asked for with GET")
		return
	}
	format := r.URL.Query().Get("format")
	if format == "" {
		format = report.FormatMarkdown
	}
	ctx, cancel := context.WithTimeout(r.Context(), exportTime)
	defer cancel()
	f, err := g.cfg.Export(ctx, by.tenant.Name, id, format)
	var we *wire.Error
	switch {
	case errors.As(err, &we) && we.Code == wire.NotFound:
		answerJSON(w, http.StatusNotFound, we.Code, we.Message)
		return
	case errors.As(err, &we):
		answerJSON(w, http.StatusBadRequest, we.Code, we.Message)
		return
	case err != nil:
		g.log.Warn().Err(err).Str("tenant", by.tenant.Name).Str("realm", id).Msg("an export failed")
		answerJSON(w, http.StatusServiceUnavailable, wire.NotReady, "this realm cannot be exported now; try again in a moment")
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", f.Type)
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", f.Name))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.Data))
}
