package gate

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"
)

// refusals counts the requests that the gate refuses. It logs those that an operator can do something about, at most
// one of each kind a minute, so that whoever sends many does not fill the log.
type refusals struct {
	log     zerolog.Logger
	n       atomic.Uint64
	foreign rate.Sometimes
	token   rate.Sometimes
}

func newRefusals(log zerolog.Logger) *refusals {
	return &refusals{
		log: log, foreign: rate.Sometimes{Interval: time.Minute}, token: rate.Sometimes{Interval: time.Minute},
	}
}

// add counts a request that the log does not mention.
func (f *refusals) add() { f.n.Add(1) }

// foreignPage counts a request whose Host or Origin header is refused because of err.
func (f *refusals) foreignPage(r *http.Request, err error) {
	f.add()
	f.foreign.Do(func() {
		f.log.Warn().Err(err).Str("host", clip(r.Host)).Str("origin", clip(r.Header.Get("Origin"))).
			Str("from", r.RemoteAddr).
			Msg("a request was refused because of its Host or Origin; a minute of others is not logged")
	})
}

// wrongToken counts a request with a token that is not valid.
func (f *refusals) wrongToken(r *http.Request) {
	f.add()
	f.token.Do(func() {
		f.log.Warn().Str("from", r.RemoteAddr).Uint64("refused", f.n.Load()).
			Msg("a request was refused because of a wrong token; a minute of others is not logged")
	})
}

// unknown counts a request without access. The log mentions it only if it has a token, because a person who opens the
// page without one sees the form for it.
func (f *refusals) unknown(r *http.Request) {
	if r.Header.Get("Authorization") != "" || r.URL.Query().Get("token") != "" {
		f.wrongToken(r)
		return
	}
	f.add()
}
