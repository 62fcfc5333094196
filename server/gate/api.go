package gate

import (
	"agentdungeon/shared/pattern"
	"agentdungeon/shared/wire"
	"net/http"
	"slices"
	"strings"
)

// serve answers a request for a resource. realmID is the realm's id in the path, or "" if the path has none.
type serve func(g *Gate, w http.ResponseWriter, r *http.Request, by *pass, realmID string)

// apiRoute is a resource under /api.
type apiRoute struct {
	serve   serve
	methods []string
	hosts   bool // only for hosts
	owner   bool // only for the person who runs the server
}

var (
	get       = []string{http.MethodGet}
	post      = []string{http.MethodPost}
	getOrHead = []string{http.MethodGet, http.MethodHead}
	getOrPost = []string{http.MethodGet, http.MethodPost}
)

// apiRoutes has the resources by path. {realmId} stands for the id of a realm.
var apiRoutes = map[string]apiRoute{
	"/api/realms/{realmId}/export":        {serve: (*Gate).serveExport, methods: getOrHead},
	"/api/realms/{realmId}/conversations": {serve: (*Gate).serveConversations, methods: get, hosts: true},
	"/api/realms/{realmId}/erase":         {serve: (*Gate).serveErase, methods: post, hosts: true},
	"/api/realms/{realmId}/audit":         {serve: (*Gate).serveAudit, methods: get, hosts: true},
	"/api/realms/{realmId}/file":          {serve: serveFile, methods: get},
	"/api/realms/{realmId}/past":          {serve: servePast, methods: get},
	"/api/realms/{realmId}/files":         {serve: serveFiles, methods: get},
	"/api/realms/{realmId}/accept":        {serve: serveAccept, methods: post, hosts: true},
	"/api/realms/{realmId}/accepted":      {serve: serveAccepted, methods: get},
	"/api/offer":                          {serve: serveOffer, methods: get, hosts: true},
	"/api/search":                         {serve: (*Gate).serveSearch, methods: getOrHead},
	"/api/hook":                           {serve: (*Gate).serveHook, methods: getOrPost, owner: true},
	"/api/share": {serve: func(g *Gate, w http.ResponseWriter, r *http.Request, by *pass, _ string) {
		g.reply(w, g.access.share(r, by.tenant), "\n")
	}, methods: get, hosts: true},
	"/api/retention": {serve: (*Gate).serveRetention, methods: getOrPost, hosts: true},
}

var realmPath = pattern.New(`^/api/realms/([A-Za-z0-9_-]{1,64})/([a-z]+)$`)

// serveAPI serves a request under /api. by is the sender's pass. If the query has tenant=NAME, NAME must be the name of
// the sender's tenant.
func (g *Gate) serveAPI(w http.ResponseWriter, r *http.Request, by *pass, path string) {
	if asked := r.URL.Query()["tenant"]; len(asked) > 1 || len(asked) == 1 && asked[0] != by.tenant.Name {
		answerJSON(w, http.StatusForbidden, wire.NotAllowed, "this token belongs to another tenant")
		return
	}
	id := ""
	if m := realmPath.FindStringSubmatch(path); m != nil {
		path, id = "/api/realms/{realmId}/"+m[2], m[1]
	}
	switch route, ok := apiRoutes[path]; {
	case !ok:
		answerJSON(w, http.StatusNotFound, wire.NotFound, "there is no such resource")
	case !slices.Contains(route.methods, r.Method):
		w.Header().Set("Allow", strings.Join(route.methods, ", "))
		answerJSON(w, http.StatusMethodNotAllowed, wire.BadField,
			"this resource needs the method "+strings.Join(route.methods, " or "))
	case route.hosts && by.role != wire.RoleHost:
		answerJSON(w, http.StatusForbidden, wire.NotAllowed, onlyHosts)
	case route.owner && !by.owner:
		answerJSON(w, http.StatusForbidden, wire.NotAllowed, onlyOwner)
	default:
		route.serve(g, w, r, by, id)
	}
}
