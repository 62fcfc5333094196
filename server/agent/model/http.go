package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"agentdungeon/shared/world"
)

// Limits of a server's answer. maxLine, maxReason and maxShown are in bytes; silence is the longest time for which the
// server may send nothing.
const (
	maxLine   = 1 << 20  // bytes of a line of the stream
	maxReason = 64 << 10 // bytes of an error's body that are read
	maxShown  = 200      // bytes of an error's body that people see
	silence   = 60 * time.Second
)

// endOfStream is the data of a stream's last event.
const endOfStream = "[DONE]"

// Errors of a request or of its stream. Errors of the network and errors that the server reports are not among them.
var (
	errSilent  = errors.New("the model's server was silent")
	errGarbage = errors.New("the model's server did not answer in the streaming format of chat completions")
	errLong    = fmt.Errorf("the model's server sent a line of more than %d bytes", maxLine)
)

// serverError is an error that the server reported, either by an HTTP status or within a stream. For an error within a
// stream, status is 0.
type serverError struct {
	status  int
	code    string // the server's own code, such as "insufficient_quota"
	message string // the server's message without the key, at most maxShown bytes
	after   string // the Retry-After header
}

func (e *serverError) Error() string {
	text := "answers with an error"
	if e.status != 0 {
		text = strings.TrimSpace(fmt.Sprintf("answers %d %s", e.status, http.StatusText(e.status)))
	}
	if e.message != "" {
		text += ": " + e.message
	}
	return text
}

// newTransport returns a transport that keeps no idle connections. So a finished request leaves no connection open,
// and no request uses a connection that the server has closed. The transport uses the proxies that the environment
// variables name.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 20 * time.Second}).DialContext,
		TLSHandshakeTimeout:    20 * time.Second,
		MaxResponseHeaderBytes: maxReason,
		ForceAttemptHTTP2:      true,
		DisableKeepAlives:      true,
		DisableCompression:     true, // compression would delay words
	}
}

// attempt is one HTTP request to the model's server. The openai library calls the method Do of an attempt in place of
// that of an http.Client.
type attempt struct {
	agents *Agents
	quiet  *time.Timer // ends the request with errSilent; runs only while waiting for the server
	done   bool        // the stream has sent [DONE]
}

func newAttempt(agents *Agents, end context.CancelCauseFunc) *attempt {
	t := &attempt{agents: agents, quiet: time.AfterFunc(silence, func() { end(errSilent) })}
	t.quiet.Stop()
	return t
}

// waiting calls f, which waits for the server. If f takes longer than the time in the constant silence, the timer
// t.quiet ends the request.
func (t *attempt) waiting(f func()) {
	t.quiet.Reset(silence)
	f()
	t.quiet.Stop()
}

// Do sends a request. It returns an error if the server answers with anything but a stream. It follows no redirects,
// because the request is meant for the configured server alone.
func (t *attempt) Do(req *http.Request) (resp *http.Response, err error) {
	t.waiting(func() { resp, err = t.agents.http.Do(req) })
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, t.refused(resp)
	}
	if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil {
		switch kind {
		case "text/event-stream", "text/plain", "application/octet-stream": // some servers use these for streams
		default:
			return nil, errors.Join(fmt.Errorf("%w, but with %s", errGarbage, clean(t.agents.key, kind)), resp.Body.Close())
		}
	}
	resp.Body = &events{attempt: t, body: resp.Body, in: bufio.NewReader(resp.Body)}
	return resp, nil
}

func (t *attempt) refused(resp *http.Response) error {
	e := &serverError{status: resp.StatusCode, after: resp.Header.Get("Retry-After")}
	var body []byte
	var err error
	t.waiting(func() { body, err = io.ReadAll(io.LimitReader(resp.Body, maxReason)) })
	err = errors.Join(err, resp.Body.Close())
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e.message = "it sends elsewhere, which is not followed; name the right address"
		return e
	}
	if err == nil || len(body) > 0 { // a truncated body may still have a message
		e.code, e.message = t.agents.reason(body)
	}
	return e
}

// reason extracts the error code and the message from the body of an error response. It knows the common forms
// {"error":{"message":..}}, {"error":".."}, {"message":..} and {"detail":..}. For other forms it returns "".
func (a *Agents) reason(body []byte) (code, message string) {
	var whole struct {
		Error, Message, Detail json.RawMessage
	}
	if json.Unmarshal(body, &whole) != nil {
		return "", ""
	}
	var inner struct {
		Message string
		Code    any
		Type    string
	}
	if json.Unmarshal(whole.Error, &inner) == nil {
		if code, _ = inner.Code.(string); code == "" {
			code = inner.Type
		}
		return code, clean(a.key, inner.Message)
	}
	for _, raw := range []json.RawMessage{whole.Error, whole.Message, whole.Detail} {
		if json.Unmarshal(raw, &message) == nil && message != "" {
			return "", clean(a.key, message)
		}
	}
	return "", ""
}

// clean returns a server's text in a form that people can read: without the key, on one line, at most maxShown bytes.
func clean(key Key, text string) string {
	text = key.hide(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }),
		" ")
	if short, cut := world.Cut(text, maxShown); cut {
		return short + "…"
	}
	return text
}

// events reads the body of a response and passes the data lines of the stream to the library. Reading ends at [DONE],
// or with an error if the body is not a stream.
type events struct {
	attempt *attempt
	body    io.ReadCloser
	in      *bufio.Reader
	line    []byte // the current line, at most maxLine bytes
	out     []byte // the part of line that Read has not returned yet
	err     error  // Read returns this error after the bytes of out
	began   bool
}

// Close closes the connection.
func (e *events) Close() error { return e.body.Close() }

// Read returns the data lines of the stream. A line that is longer than p is returned in parts.
func (e *events) Read(p []byte) (int, error) {
	for len(e.out) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		e.next()
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	return n, nil
}

func (e *events) next() {
	e.line = e.line[:0]
	for {
		var part []byte
		var err error
		e.attempt.waiting(func() { part, err = e.in.ReadSlice('\n') })
		if len(e.line)+len(part) > maxLine {
			e.err = errLong
			return
		}
		e.line = append(e.line, part...)
		if err == nil {
			break
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		e.err = err
		if errors.Is(err, io.EOF) && len(e.line) > 0 {
			e.last()
		}
		return
	}
	e.take(e.line)
}

// last handles the last line of the body if it does not end with a line break.
func (e *events) last() {
	if data, ok := bytes.CutPrefix(e.line, []byte("data:")); ok {
		data = bytes.TrimSpace(data)
		if string(data) == endOfStream || json.Valid(data) {
			e.line = append(e.line, '\n')
			e.take(e.line)
			return
		}
	}
	e.err = io.ErrUnexpectedEOF
}

func (e *events) take(line []byte) {
	if !e.began {
		e.began = true
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	plain := bytes.TrimSpace(line)
	name, data, _ := bytes.Cut(plain, []byte(":"))
	switch string(name) {
	// Ignore blank lines, comments that keep the connection open, and fields that have no words of the answer.
	case "", "event", "id", "retry":
		return
	case "data":
	default:
		e.err = errGarbage
		return
	}
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0:
	case string(data) == endOfStream:
		e.attempt.done, e.out, e.err = true, line, io.EOF
	case reportsError(data):
		// Fail at this line, because the library would wait for another line and then drop the error. Some servers send
		// an error in this form.
		e.err = e.attempt.agents.failure(data)
	default:
		e.out = line
	}
}

// reportsError reports whether an event of the stream has an error.
func reportsError(data []byte) bool {
	var event struct {
		Error any `json:"error"`
	}
	return json.Unmarshal(data, &event) == nil && event.Error != nil
}

// failure returns the error in data, an event of the stream by which the server reports an error.
func (a *Agents) failure(data []byte) error {
	e := &serverError{}
	e.code, e.message = a.reason(data)
	return e
}

// A request is retried at most maxRetries times, and only if no part of its answer was shown. longestWait is the
// longest delay before a retry.
const (
	maxRetries  = 3
	firstWait   = time.Second
	longestWait = 60 * time.Second
)

// worthRetry reports whether the same request may succeed later, because the server was busy or could not
// be reached.
func worthRetry(err error) bool {
	var e *serverError
	if errors.As(err, &e) {
		switch e.status {
		case http.StatusTooManyRequests:
			return e.code != "insufficient_quota" // waiting does not help against a used-up quota
		case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return false
	}
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// wait returns the delay before retry n, counted from 1. The delay is the server's Retry-After if there is one;
// otherwise it doubles with each retry. A random part spreads the retries of many turns.
func (a *Agents) wait(err error, n int, now time.Time) time.Duration {
	var e *serverError
	if errors.As(err, &e) {
		if seconds, err := strconv.Atoi(strings.TrimSpace(e.after)); err == nil && seconds >= 0 {
			return time.Duration(min(seconds, int(longestWait/time.Second))) * time.Second
		}
		if at, err := http.ParseTime(e.after); err == nil {
			return min(max(at.Sub(now), 0), longestWait)
		}
	}
	d := firstWait << (n - 1)
	return d/2 + time.Duration(a.jitter()*float64(d))
}

// pause waits for d. It returns early if the turn is cancelled.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
