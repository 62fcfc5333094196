package gate

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"agentdungeon/shared/wire"
)

// What lies under /api: one question and one answer, for the page and for programs. An
// answer that is not the one asked for is {code, message} in the contract's words.

// apiRoutes are the resources; {realmId} stands for the id of a realm, which the others are
// not told.
var apiRoutes = map[string]func(g *Gate, w http.ResponseWriter, r *http.Request, by *pass, realmID string){
	"/api/realms/{realmId}/export":        (*Gate).serveExport,
	"/api/realms/{realmId}/conversations": (*Gate).serveConversations,
	"/api/realms/{realmId}/erase":         (*Gate).serveErase,
	"/api/realms/{realmId}/audit":         (*Gate).serveAudit,
	"/api/search":                         (*Gate).serveSearch,
	"/api/retention":                      (*Gate).serveRetention,
}

var realmPath = regexp.MustCompile(`^/api/realms/([A-Za-z0-9_-]{1,64})/([a-z]+)$`)

// serveAPI serves what lies under /api to one tenant. A program that holds the token of
// another tenant than it means to ask says so with tenant=NAME, and gets nothing.
func (g *Gate) serveAPI(w http.ResponseWriter, r *http.Request, by *pass, path string) {
	if asked := r.URL.Query()["tenant"]; len(asked) > 1 || len(asked) == 1 && asked[0] != by.tenant.Name {
		answerJSON(w, http.StatusForbidden, wire.NotAllowed, "this token is of another tenant")
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

// takes says whether a request comes with one of the methods; it has been answered where
// it does not.
func takes(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	answerJSON(w, http.StatusMethodNotAllowed, wire.BadField, "this is asked for with "+strings.Join(methods, " or "))
	return false
}

// forHosts says whether a host asks; a spectator has been answered.
func forHosts(w http.ResponseWriter, by *pass) bool {
	if by.role == wire.RoleHost {
		return true
	}
	answerJSON(w, http.StatusForbidden, wire.NotAllowed, "this is for hosts")
	return false
}

// listFormat is ?format= of a list: json unless given.
func listFormat(r *http.Request) (format, contentType string) {
	switch format = r.URL.Query().Get("format"); format {
	case "":
		return "json", "application/json"
	case "text":
		return format, "text/plain; charset=utf-8"
	}
	return format, "application/json" // whoever writes the list refuses one that is unknown
}

// statusOf is the HTTP status of an error of the contract; 400 for those that are not here.
var statusOf = map[wire.Code]int{
	wire.NotFound: http.StatusNotFound, wire.Conflict: http.StatusConflict, wire.Unsaved: http.StatusServiceUnavailable,
	wire.NotReady: http.StatusServiceUnavailable, wire.RateLimited: http.StatusTooManyRequests,
}

// failed answers an error that came before the first byte: its own words where it has some
// for people, else told; then it is logged.
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

// answerJSON writes what every part of /api answers when it cannot serve. code and
// text are the gate's own words.
func answerJSON(w http.ResponseWriter, status int, code wire.Code, text string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, "{\"code\":%q,\"message\":%q}\n", code, text)
}

// late writes its header with the first bytes, so that an error before them can still
// have a status of its own.
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

// list answers with what write writes, as it is written. What fails in the middle cuts the
// connection, so that the reader sees that the list has no end.
func (g *Gate) list(w http.ResponseWriter, by *pass, realm, contentType, what string, write func(body *late) error) {
	body := &late{to: w, kind: contentType}
	err := write(body)
	switch {
	case err == nil:
	case body.begun:
		g.log.Warn().Err(err).Str("tenant", by.tenant.Name).Str("realm", realm).Msg("a list of " + what + " was cut short")
		panic(http.ErrAbortHandler)
	default:
		g.failed(w, by, realm, err, what+" could not be listed", "this realm cannot be read now; try again in a moment")
	}
}
