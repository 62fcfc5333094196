package gate

import (
	"net/http"
	"regexp"

	"agentdungeon/shared/wire"
)

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
