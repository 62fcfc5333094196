package modeltest

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// Transport returns a transport that reaches the server without a socket. Each request is answered by a new goroutine,
// which ends once the client has closed the answer. The transport works within a testing/synctest bubble and does not
// count connections.
func (s *Server) Transport() http.RoundTripper { return transport{s} }

type transport struct{ handler http.Handler }

// RoundTrip answers one request.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	in, out := io.Pipe()
	w := &writer{header: http.Header{}, out: out, ready: make(chan struct{})}
	go func() {
		defer func() {
			err := io.EOF
			if p := recover(); p != nil {
				if p != http.ErrAbortHandler {
					panic(p)
				}
				err = io.ErrUnexpectedEOF // like a broken connection
			}
			if err == io.EOF || w.began() {
				w.WriteHeader(http.StatusOK)
			} else {
				w.fail()
			}
			out.CloseWithError(err)
		}()
		t.handler.ServeHTTP(w, req.WithContext(ctx))
	}()
	stop := context.AfterFunc(ctx, func() { out.CloseWithError(ctx.Err()) })
	select {
	case <-w.ready:
	case <-ctx.Done():
		cancel()
		return nil, req.Context().Err()
	}
	if w.failed {
		cancel()
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: &body{in, cancel, stop}, ContentLength: -1, Request: req,
	}, nil
}

// body is the body of a response. Its method Close ends the handler that writes the body.
type body struct {
	*io.PipeReader
	cancel context.CancelFunc
	stop   func() bool
}

// Close ends the answer.
func (b *body) Close() error {
	b.stop()
	b.cancel()
	return b.PipeReader.Close()
}

// writer is the http.ResponseWriter of the handler that answers a request.
type writer struct {
	header http.Header
	out    *io.PipeWriter

	once   sync.Once
	ready  chan struct{} // closed once the fields below are set
	sent   http.Header
	status int
	failed bool
}

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.ready)
	})
}

func (w *writer) fail() {
	w.once.Do(func() {
		w.failed = true
		close(w.ready)
	})
}

func (w *writer) began() bool {
	select {
	case <-w.ready:
		return true
	default:
		return false
	}
}

func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.out.Write(p)
}

// Flush sends the header; the body needs no flush.
func (w *writer) Flush() { w.WriteHeader(http.StatusOK) }
