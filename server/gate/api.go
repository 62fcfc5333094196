package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"agentdungeon/shared/wire"
)

// The resources under /api answer one request each, for the page and for programs. An error is
// {code, message} with a code of the contract.

// apiRoutes has the resources. {realmId} stands for a realm's id; for resources without it the
// handler gets "".
var apiRoutes = map[string]func(g *Gate, w http.ResponseWriter, r *http.Request, by *pass, realmID string){
	"/api/realms/{realmId}/export":        (*Gate).serveExport,
	"/api/realms/{realmId}/conversations": (*Gate).serveConversations,
	"/api/realms/{realmId}/erase":         (*Gate).serveErase,
	"/api/realms/{realmId}/audit":         (*Gate).serveAudit,
	"/api/search":                         (*Gate).serveSearch,
	"/api/retention":                      (*Gate).serveRetention,
}

var realmPath = regexp.MustCompile(`^/api/realms/([A-Za-z0-9_-]{1,64})/([a-z]+)$`)

// serveAPI serves /api to one tenant. A request with tenant=NAME is refused if its token is of
// another tenant.
func (g *Gate) serveAPI(w http.ResponseWriter, r *http.Request, by *pass, path string) {
	if asked := r.URL.Query()["tenant"]; len(asked) > 1 || len(asked) == 1 && asked[0] != by.tenant.Name {
		answerJSON(w, http.StatusForbidden, wire.NotAllowed, "this token belongs to another tenant")
		return
	}
	route, id := path, ""
	if m := realmPath.FindStringSubmatch(path); m != nil {
		route, id = "/api/realms/{realmId}/"+m[2], m[1]
	}
	serve := apiRoutes[route]
	if serve == nil {
		answerJSON(w, http.StatusNotFound, wire.NotFound, "there is no such resource")
		return
	}
	serve(g, w, r, by, id)
}

// takes reports whether a request has one of the methods. If not, it has answered.
func takes(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	answerJSON(w, http.StatusMethodNotAllowed, wire.BadField, "ask for this with "+strings.Join(methods, " or "))
	return false
}

// forHosts reports whether the sender is a host. If not, it has answered.
func forHosts(w http.ResponseWriter, by *pass) bool {
	if by.role == wire.RoleHost {
		return true
	}
	answerJSON(w, http.StatusForbidden, wire.NotAllowed, "this is for hosts")
	return false
}

// listFormat returns the query's format of a list, json by default, and its content type.
func listFormat(r *http.Request) (format, contentType string) {
	switch format = r.URL.Query().Get("format"); format {
	case "":
		return "json", "application/json"
	case "text":
		return format, "text/plain; charset=utf-8"
	}
	return format, "application/json" // the list's writer refuses unknown formats
}

// statusOf maps codes of the contract to HTTP statuses. Codes that are not here get 400.
var statusOf = map[wire.Code]int{
	wire.NotFound: http.StatusNotFound, wire.Conflict: http.StatusConflict, wire.Unsaved: http.StatusServiceUnavailable,
	wire.NotReady: http.StatusServiceUnavailable, wire.RateLimited: http.StatusTooManyRequests,
}

// failed answers an error before the first byte of the body. A *wire.Error answers for itself.
// Other errors are logged as logged and answered as told.
func (g *Gate) failed(w http.ResponseWriter, by *pass, realm string, err error, logged, told string) {
	var e *wire.Error
	if errors.As(err, &e) {
		status := statusOf[e.Code]
		if status == 0 {
			status = http.StatusBadRequest
		}
		answerJSON(w, status, e.Code, e.Message)
		return
	}
	g.log.Warn().Err(err).Str("tenant", by.tenant.Name).Str("realm", realm).Msg(logged)
	answerJSON(w, http.StatusServiceUnavailable, wire.NotReady, told)
}

// answerJSON answers a request with an error. code and text are the gate's own words.
func answerJSON(w http.ResponseWriter, status int, code wire.Code, text string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, "{\"code\":%q,\"message\":%q}\n", code, text)
}

// reply answers a request with v as JSON and the end that the answer has always had.
func (g *Gate) reply(w http.ResponseWriter, v any, end string) {
	body, err := json.Marshal(v)
	if err != nil {
		g.log.Error().Err(err).Msg("encode an answer")
		answerJSON(w, http.StatusInternalServerError, wire.Internal, "the answer cannot be written")
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.Write(append(body, end...)) // a failed write means that the client has gone
}

// late sets the headers of a response with its first bytes, so that an error before them can
// still have its own status.
type late struct {
	to    http.ResponseWriter
	kind  string
	begun bool
}

func (l *late) Write(p []byte) (int, error) {
	if !l.begun {
		l.begun = true
		l.to.Header().Set("Cache-Control", "no-store")
		l.to.Header().Set("Content-Type", l.kind)
	}
	return l.to.Write(p)
}

// list streams what write writes as the answer. An error in the middle cuts the connection, so
// that the client notices that the list is incomplete.
func (g *Gate) list(w http.ResponseWriter, by *pass, realm, contentType, what string, write func(body *late) error) {
	body := &late{to: w, kind: contentType}
	err := write(body)
	switch {
	case err == nil:
	case body.begun:
		g.log.Warn().Err(err).Str("tenant", by.tenant.Name).Str("realm", realm).Msg("the list of " + what + " was cut short")
		panic(http.ErrAbortHandler)
	default:
		g.failed(w, by, realm, err, what+" could not be listed", "this realm cannot be read now; try again in a moment")
	}
}
