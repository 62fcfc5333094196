package gate

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"agentdungeon/server/source"
	"agentdungeon/shared/wire"
)

// fileTime limits reading a file, which may have to open a realm or wait for a slow disk.
const fileTime = 20 * time.Second

// noFile is the answer to a client if a file could not be opened and only the log has the reason.
const noFile = "this file cannot be opened now; try again in a moment"

// The handlers of what is read about a realm's linked folder: the text of a file (P19.1), its git history (P19.4), a
// search for files and folders on the map (P19.8), and the findings that the repository accepts (P19.9). Whoever may
// watch the realm may search and may know what is accepted, because the rooms show the same names and the page the same
// findings.
var (
	serveFile = reads(fileTime, "a file could not be opened", noFile,
		func(ctx context.Context, c *Config, of asked) (*wire.FileText, error) {
			want, err := of.file()
			if err != nil {
				return nil, err
			}
			return c.File(ctx, of.tenant, of.realm, want)
		})
	servePast = reads(fileTime, "a file could not be opened", noFile,
		func(ctx context.Context, c *Config, of asked) (*wire.FilePast, error) {
			want, err := of.file()
			if err != nil {
				return nil, err
			}
			return c.Past(ctx, of.tenant, of.realm, want)
		})
	// The words of a search are not logged: they are private.
	serveFiles = reads(searchTime, "a search for files failed", "the files cannot be searched now; try again in a moment",
		func(ctx context.Context, c *Config, of asked) (*wire.FilesFound, error) {
			words := strings.ToValidUTF8(of.query.Get("q"), " ")
			if len(words) > maxQuery {
				return nil, wire.Errorf(wire.TooLarge, "q is too long")
			}
			return c.Files(ctx, of.tenant, of.realm, words)
		})
	serveAccepted = reads(fileTime, "the accepted findings could not be read",
		"the accepted findings cannot be read now; try again in a moment",
		func(ctx context.Context, c *Config, of asked) (*wire.FindingsAccepted, error) {
			return c.Accepted(ctx, of.tenant, of.realm)
		})
)

// asked is what a request asks for.
type asked struct {
	tenant, realm string
	query         url.Values
	host          bool // whether a host asks
}

// file returns the file that a request asks for. ?path= is the file's path, escaped as by dungeon.EncodePath; ?rev= is
// HEAD or nothing.
func (of asked) file() (want source.Want, err error) {
	want = source.Want{Path: of.query.Get("path"), Rev: of.query.Get("rev"), Host: of.host}
	if len(want.Path) > wire.MaxPath {
		return want, wire.Errorf(wire.TooLarge, "path is too long")
	}
	return want, nil
}

// reads returns a handler that answers with what read returns within a time limit. See Gate.fail for logged and shown.
func reads[T any](limit time.Duration, logged, shown string,
	read func(ctx context.Context, c *Config, of asked) (*T, error)) serve {
	return func(g *Gate, w http.ResponseWriter, r *http.Request, by *pass, id string) {
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		out, err := read(ctx, &g.cfg, asked{by.tenant.Name, id, r.URL.Query(), by.role == wire.RoleHost})
		if err != nil {
			g.fail(w, by, id, err, logged, shown)
			return
		}
		g.reply(w, out, "\n")
	}
}

// noAccept is the answer to a client if a finding could not be accepted and only the log has the reason.
const noAccept = "this finding cannot be accepted now; try again in a moment"

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

// fromHere reports whether a request comes from a browser on this machine, and no proxy has passed it on.
func fromHere(r *http.Request) bool {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && remote.Addr().Unmap().IsLoopback() && loopbackName(hostOnly(r.Host)) && !forwarded(r)
}
