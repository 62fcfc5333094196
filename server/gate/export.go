package gate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"agentdungeon/server/report"
	"agentdungeon/shared/wire"
)

// exportTime limits an export, which may have to open a realm or wait for a slow disk.
const exportTime = 20 * time.Second

// serveExport answers with the report of a realm as a file. ?format= is one of report.Formats. If the format
// is markdown, picture= is the file name by which the report refers to its map. With conversation=ID the report is
// about what was made in that conversation alone (P1.1). With ?session=ID, serveExport answers a host with that party
// session as a file instead (P14.16).
func (g *Gate) serveExport(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	query := r.URL.Query()
	ctx, cancel := context.WithTimeout(r.Context(), exportTime)
	defer cancel()
	var f *report.File
	var err error
	if query.Has("session") {
		if query.Has("format") {
			answerJSON(w, http.StatusBadRequest, wire.BadField, "a session has one format: give session or format")
			return
		}
		if by.role != wire.RoleHost {
			answerJSON(w, http.StatusForbidden, wire.NotAllowed, onlyHosts)
			return
		}
		f, err = g.cfg.Session(ctx, by.tenant.Name, id, query.Get("session"))
	} else {
		f, err = g.cfg.Export(ctx, by.tenant.Name, id, report.Want{
			Format: cmp.Or(query.Get("format"), report.FormatMarkdown), Picture: query.Get("picture"),
			Conversation: query.Get("conversation"), Public: by.role != wire.RoleHost,
		})
	}
	if err != nil {
		g.fail(w, by, id, err, "an export failed", "this realm cannot be exported now; try again in a moment")
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", f.Type)
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", f.Name))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.Data))
}
