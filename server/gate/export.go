package gate

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"agentdungeon/server/report"
)

// exportTime is how long an export may wait for a realm that is opened for it, or for
// a disk that is slow to make durable what it holds.
const exportTime = 20 * time.Second

// serveExport writes what a realm holds as a file: ?format=markdown, json or sarif.
func (g *Gate) serveExport(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	if !takes(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	format := r.URL.Query().Get("format")
	if format == "" {
		format = report.FormatMarkdown
	}
	ctx, cancel := context.WithTimeout(r.Context(), exportTime)
	defer cancel()
	f, err := g.cfg.Export(ctx, by.tenant.Name, id, format)
	if err != nil {
		g.failed(w, by, id, err, "an export failed", "this realm cannot be exported now; try again in a moment")
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", f.Type)
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", f.Name))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.Data))
}
