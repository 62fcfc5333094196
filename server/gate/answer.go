package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"agentdungeon/shared/wire"
)

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
