package gate

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Bounds of a search.
const (
	searchTime  = 10 * time.Second
	maxQuery    = 1_000 // maximum length of the query, in bytes
	defaultHits = 20
	maxHits     = 100
)

// serveSearch answers with the transcript rows that contain the words of ?q=. realm=ID selects a realm, by
// default the last active one. conversation=ID selects a conversation. limit= is the maximum number of rows, 1
// to 100.
func (g *Gate) serveSearch(w http.ResponseWriter, r *http.Request, by *pass, _ string) {
	query := r.URL.Query()
	q := world.SearchQuery{
		Words: strings.ToValidUTF8(query.Get("q"), " "), ConversationID: query.Get("conversation"), Limit: defaultHits,
		Public: by.role != wire.RoleHost,
	}
	if n := query.Get("limit"); n != "" {
		limit, err := strconv.Atoi(n)
		if err != nil || limit < 1 || limit > maxHits {
			answerJSON(w, http.StatusBadRequest, wire.BadField, "limit must be 1 to 100")
			return
		}
		q.Limit = limit
	}
	id := query.Get("realm")
	switch {
	case len(q.Words) > maxQuery:
		answerJSON(w, http.StatusBadRequest, wire.TooLarge, "q is too long")
		return
	case id != "" && !wire.ValidID(id), q.ConversationID != "" && !wire.ValidID(q.ConversationID):
		answerJSON(w, http.StatusBadRequest, wire.BadField, "realm and conversation are ids")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), searchTime)
	defer cancel()
	hits, err := search(ctx, by.tenant.Realms, id, q)
	if err != nil { // the log does not get the words of the query, which are private
		g.fail(w, by, id, err, "a search failed", "this realm cannot be searched now; try again in a moment")
		return
	}
	if hits == nil {
		hits = []world.SearchHit{}
	}
	g.reply(w, map[string]any{"hits": hits}, "")
}

func search(ctx context.Context, realms Realms, id string, q world.SearchQuery) ([]world.SearchHit, error) {
	realm, ok := realms.Current()
	if id != "" && (!ok || realm.ID() != id) {
		named, err := realms.Open(ctx, id)
		if err != nil {
			return nil, err
		}
		realm, ok = named, true
	}
	if !ok {
		return nil, wire.Errorf(wire.NotFound, "no realm is open; choose one with realm=ID")
	}
	return realm.Search(ctx, q)
}
