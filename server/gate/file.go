package gate

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"agentdungeon/server/source"
	"agentdungeon/shared/wire"
)

// fileTime limits reading a file, which may have to open a realm or wait for a slow disk.
const fileTime = 20 * time.Second

// noFile is the answer to a client if a file could not be opened and only the log has the reason.
const noFile = "this file cannot be opened now; try again in a moment"

var (
	serveFile = serveOf(func(c *Config) opens[wire.FileText] { return c.File })
	servePast = serveOf(func(c *Config) opens[wire.FilePast] { return c.Past })
)

// opens is a function that reads data about one file in a realm's linked folder, such as its text or its git history.
type opens[T any] func(ctx context.Context, tenant, realmID string, want source.Want) (*T, error)

// serveOf returns the handler for one of the two functions of the Config that read a file: its text (P19.1) or its
// git history (P19.4). ?path= is the file's path, escaped as by dungeon.EncodePath; ?rev= is HEAD or nothing.
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

// serveFiles serves the search for files and folders on a realm's map (P19.8): those that match the words of ?q=.
// Whoever may watch the realm may search: its rooms show the same names.
func (g *Gate) serveFiles(w http.ResponseWriter, r *http.Request, by *pass, id string) {
	words := strings.ToValidUTF8(r.URL.Query().Get("q"), " ")
	if len(words) > maxQuery {
		answerJSON(w, http.StatusBadRequest, wire.TooLarge, "q is too long")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), searchTime)
	defer cancel()
	out, err := g.cfg.Files(ctx, by.tenant.Name, id, words)
	if err != nil { // the words are not logged: they are private
		g.fail(w, by, id, err, "a search for files failed", "the files cannot be searched now; try again in a moment")
		return
	}
	g.reply(w, out, "\n")
}

// noAccept is the answer to a client if a finding could not be accepted and only the log has the reason.
const noAccept = "this finding cannot be accepted now; try again in a moment"

// noAccepted is the answer to a client if the accepted findings could not be read and only the log has the reason.
const noAccepted = "the accepted findings cannot be read now; try again in a moment"

// onlyHere is the answer to a host on another machine who accepts a finding.
const onlyHere = "only hosts on the server's own machine write into the linked folder; copy the line instead"

// serveAccept accepts a finding (P19.7): it adds a line to a file of the linked folder. Nothing else writes into a
// linked folder.
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

// serveAccepted serves which findings the linked repository accepts (P19.9). Whoever may watch the realm may know: they
// see the same findings.
var serveAccepted serve = func(g *Gate, w http.ResponseWriter, r *http.Request, by *pass, id string) {
	ctx, cancel := context.WithTimeout(r.Context(), fileTime)
	defer cancel()
	out, err := g.cfg.Accepted(ctx, by.tenant.Name, id)
	if err != nil {
		g.fail(w, by, id, err, "the accepted findings could not be read", noAccepted)
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
