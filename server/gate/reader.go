package gate

import (
	"context"
	"errors"
	"io"
	"net"
	"unicode/utf8"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"agentdungeon/shared/wire"
)

// reader is the state of the reader goroutine.
type reader struct {
	s     *socket
	rate  *rate.Limiter // of commands
	bad   int           // bad frames in a row
	ended bool          // further frames are ignored
}

// run is the reader goroutine. It ends with the connection and then closes done.
func (r *reader) run(done chan<- struct{}) {
	s := r.s
	defer close(done)
	defer s.recovered()
	for {
		// A context would close the connection without a code when it ends.
		kind, data, err := s.conn.Read(context.Background())
		if err != nil {
			r.broken(err)
			return
		}
		switch {
		case r.ended || s.ctx.Err() != nil: // closing: only the peer's answer is awaited
		case kind != websocket.MessageText:
			r.end(wire.CloseBinary, "frames are text")
		case !utf8.Valid(data):
			r.end(wire.CloseNotUTF8, "frames are UTF-8")
		default:
			r.frame(data)
		}
	}
}

// broken closes the socket after a failed read, with a fitting code.
func (r *reader) broken(err error) {
	var op *net.OpError
	switch {
	case errors.Is(err, errFrameSize), errors.Is(err, websocket.ErrMessageTooBig):
		r.end(wire.CloseTooLarge, "the frame is too large")
	case websocket.CloseStatus(err) != -1: // the peer closed; the library has answered
		r.s.close(wire.CloseCode(websocket.StatusNormalClosure), "")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, io.ErrClosedPipe), errors.As(err, &op):
		r.s.close(wire.CloseGoingAway, "")
		r.s.link.cut()
	default:
		r.end(wire.CloseCode(websocket.StatusProtocolError), "this is not the WebSocket protocol")
	}
}

// end closes the socket after everything queued has been sent, such as the answers to earlier
// frames. It ignores further frames.
func (r *reader) end(code wire.CloseCode, reason string) {
	r.ended = true
	r.s.push(item{end: closing{code, reason}})
}
