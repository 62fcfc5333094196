package gate

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"agentdungeon/shared/wire"
)

// onlyHosts is the error message for a spectator who requests what only a host may do.
const onlyHosts = "only hosts may do this"

// statusOf has the HTTP statuses of error codes. A code that is not in the map gets 400.
var statusOf = map[wire.Code]int{
	wire.NotFound: http.StatusNotFound, wire.Conflict: http.StatusConflict, wire.Unsaved: http.StatusServiceUnavailable,
	wire.NotReady: http.StatusServiceUnavailable, wire.RateLimited: http.StatusTooManyRequests,
	wire.NotAllowed: http.StatusForbidden,
}

// fail answers a request with err. The caller has not written any byte of the body yet. If err is a *wire.Error, fail
// sends its code and message. Otherwise it logs err and sends a text: logged is the message of the log line, and shown
// is the text.
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

// answerJSON answers a request with an error code and text as JSON.
func answerJSON(w http.ResponseWriter, status int, code wire.Code, text string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	body := json.NewEncoder(w)
	body.SetEscapeHTML(false)
	_ = body.Encode(struct {
		Code    wire.Code `json:"code"`
		Message string    `json:"message"`
	}{code, text}) // the error is dropped: the client has gone
}

// readJSON decodes the JSON body of a request into v. If that fails, it answers the request with an error, which names
// fields, and returns false.
func readJSON(w http.ResponseWriter, r *http.Request, v any, fields string) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, wire.MaxFrame))
	if err == nil && json.Unmarshal(body, v) == nil {
		return true
	}
	answerJSON(w, http.StatusBadRequest, wire.BadJSON, "the body must be a JSON object with "+fields)
	return false
}

// reply answers a request with v as JSON. The text in the parameter end, a line break or nothing, follows the JSON.
func (g *Gate) reply(w http.ResponseWriter, v any, end string) {
	body, err := json.Marshal(v)
	if err != nil {
		g.log.Error().Err(err).Msg("an HTTP answer could not be encoded as JSON")
		answerJSON(w, http.StatusInternalServerError, wire.Internal, "the server could not encode the answer")
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.Write(append(body, end...)) // the error is dropped: the client has gone
}
