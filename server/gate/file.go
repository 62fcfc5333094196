package gate

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"agentdungeon/server/source"
	"agentdungeon/shared/wire"
)

// fileTime limits reading a file, which may have to open a realm or wait for a slow disk.
const fileTime = 20 * time.Second

// noFile is the answer if a file could not be opened for a reason that is in the log alone.
const noFile = "this file cannot be opened now; try again in a moment"

var (
	serveFile = serveOf(func(c *Config) opens[wire.FileText] { return c.File })
	servePast = serveOf(func(c *Config) opens[wire.FilePast] { return c.Past })
)

// opens reads what is known of a file of a realm's linked folder.
type opens[T any] func(ctx context.Context, tenant, realmID string, want source.Want) (*T, error)

// serveOf serves what a function of the Config reads of a file: its text (P19.1) or its past (P19.4). ?path= is the
// file's path in wire form, ?rev= HEAD or nothing.
func serveOf[T any](reader func(c *Config) opens[T]) serve {
	return func(g *Gate, w http.ResponseWriter, r *http.Request, by *pass, id string) {
		query := r.URL.Query()
		want := source.Want{Path: query.Get("path"), Rev: query.Get("rev"), Host: by.role == wire.RoleHost}
		if len(want.Path) > wire.MaxPath {
			answerJSON(w, http.StatusBadRequest, wire.TooLarge, "path is too long")
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), fileTime)
		defer cancel()
		out, err := reader(&g.cfg)(ctx, by.tenant.Name, id, want)
		if err != nil {
			g.fail(w, by, id, err, "a file could not be opened", noFile)
			return
		}
		g.reply(w, out, "\n")
	}
}

// noAccept is the answer if a finding could not be accepted for a reason that is in the log alone.
const noAccept = "this finding cannot be accepted now; try again in a moment"

// onlyHere is the answer to hosts elsewhere who accept a finding.
const onlyHere = "only hosts on the server's own machine write into the linked folder; copy the line instead"

// serveAccept accepts a finding in the linked folder (P19.7), which is the one thing that writes there.
func serveAccept(g *Gate, w http.ResponseWriter, r *http.Request, by *pass, id string) {
	if !fromHere(r) {
		answerJSON(w, http.StatusForbidden, wire.NotAllowed, onlyHere)
		return
	}
	var what wire.FindingAccept
	if !readJSON(w, r, &what, "findingId and reason") {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), fileTime)
	defer cancel()
	out, err := g.cfg.Accept(ctx, by.tenant.Name, id, what)
	if err != nil {
		g.fail(w, by, id, err, "a finding could not be accepted", noAccept)
		return
	}
	g.reply(w, out, "\n")
}

// fromHere reports whether a request comes from a browser on this machine, and no proxy has passed it on.
func fromHere(r *http.Request) bool {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !remote.Addr().Unmap().IsLoopback() || !loopbackName(hostOnly(r.Host)) {
		return false
	}
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Via"} {
		if len(r.Header.Values(name)) > 0 {
			return false
		}
	}
	return true
}
