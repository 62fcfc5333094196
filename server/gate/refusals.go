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
	log  zerolog.Logger
	n    atomic.Uint64
	said [2]rate.Sometimes // by kind: foreignPage and wrongToken
}

// Kinds of refusals in the log.
const (
	foreignPage = iota // the Host or Origin header is not this server's
	wrongToken         // the request has a token that is not valid
)

func newRefusals(log zerolog.Logger) *refusals {
	f := &refusals{log: log}
	for i := range f.said {
		f.said[i].Interval = time.Minute
	}
	return f
}

// add counts a request that the log does not mention.
func (f *refusals) add() { f.n.Add(1) }

// foreign counts a request that checkOrigin has refused with err.
func (f *refusals) foreign(r *http.Request, err error) {
	f.add()
	f.said[foreignPage].Do(func() {
		f.log.Warn().Err(err).Str("host", clip(r.Host)).Str("origin", clip(r.Header.Get("Origin"))).
			Msg("a request was refused because of its Host or Origin; a minute of others is not logged")
	})
}

// wrong counts a request with a token that is not valid.
func (f *refusals) wrong() {
	f.add()
	f.said[wrongToken].Do(func() {
		f.log.Warn().Uint64("refused", f.n.Load()).
			Msg("a request was refused because of a wrong token; a minute of others is not logged")
	})
}

// unknown counts a request without access. Without a token it is not logged: a person who opens the page so sees the
// form for one.
func (f *refusals) unknown(r *http.Request) {
	if r.Header.Get("Authorization") != "" || r.URL.Query().Get("token") != "" {
		f.wrong()
		return
	}
	f.add()
}
