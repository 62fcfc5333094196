package gate

import (
	"context"
	"net/http"
	"time"

	"agentdungeon/server/source"
	"agentdungeon/shared/wire"
)

// fileTime limits reading a file, which may have to open a realm or wait for a slow disk.
const fileTime = 20 * time.Second

// noFile is the answer if a file could not be opened for a reason that is in the log alone.
const noFile = "this file cannot be opened now; try again in a moment"

// serveFile answers with a file of the linked folder (P19.1). ?path= is its path in wire form, ?rev= HEAD or nothing.
func (g *Gate) serveFile(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	serveOf(g, w, r, by, id, g.cfg.File)
}

// servePast answers with what git knows of the file at ?path= (P19.4).
func (g *Gate) servePast(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	serveOf(g, w, r, by, id, g.cfg.Past)
}

func serveOf[T any](g *Gate, w http.ResponseWriter, r *http.Request, by *pass, id string,
	read func(ctx context.Context, tenant, realmID string, want source.Want) (*T, error)) {
	query := r.URL.Query()
	want := source.Want{Path: query.Get("path"), Rev: query.Get("rev"), Host: by.role == wire.RoleHost}
	if len(want.Path) > wire.MaxPath {
		answerJSON(w, http.StatusBadRequest, wire.TooLarge, "path is too long")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), fileTime)
	defer cancel()
	out, err := read(ctx, by.tenant.Name, id, want)
	if err != nil {
		g.fail(w, by, id, err, "a file could not be opened", noFile)
		return
	}
	g.reply(w, out, "\n")
}
