package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"agentdungeon/shared/wire"
)

// onlyHosts refuses a request of a spectator.
const onlyHosts = "this is for hosts"

// statusOf maps codes of the contract to HTTP statuses. Codes that are not here get 400.
var statusOf = map[wire.Code]int{
	wire.NotFound: http.StatusNotFound, wire.Conflict: http.StatusConflict, wire.Unsaved: http.StatusServiceUnavailable,
	wire.NotReady: http.StatusServiceUnavailable, wire.RateLimited: http.StatusTooManyRequests,
}

// fail answers a request with an error, before the first byte of the body. It sends the code and the message
// of a *wire.Error. It logs other errors with the message logged and sends shown.
func (g *Gate) fail(w http.ResponseWriter, by *pass, realm string, err error, logged, shown string) {
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
	answerJSON(w, http.StatusServiceUnavailable, wire.NotReady, shown)
}

// answerJSON answers a request with an error. text has no control characters, which %q does not write as JSON.
func answerJSON(w http.ResponseWriter, status int, code wire.Code, text string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, "{\"code\":%q,\"message\":%q}\n", code, text)
}

// reply answers a request with v as JSON, followed by end: the answers of some resources end with a line
// break, others do not.
func (g *Gate) reply(w http.ResponseWriter, v any, end string) {
	body, err := json.Marshal(v)
	if err != nil {
		g.log.Error().Err(err).Msg("an answer could not be encoded")
		answerJSON(w, http.StatusInternalServerError, wire.Internal, "the answer cannot be written")
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.Write(append(body, end...)) // a failed write means that the client has gone
}
