package mirror

import (
	"errors"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Variable is the environment variable with the address of the Redis server. There is no flag for the address,
// because the address may contain a password and everybody on the machine can read command lines.
const Variable = "REDIS_URL"

// Address is the address of a Redis server, with user name and password. It prints as host and port only.
type Address struct{ options *redis.Options }

// ParseAddress parses redis://[user:password@]host:port[/database], rediss:// for TLS, or unix:///path. An empty
// text is the zero Address, which stands for no Redis. The error does not contain the text, because it may have a
// password.
func ParseAddress(text string) (Address, error) {
	if text = strings.TrimSpace(text); text == "" {
		return Address{}, nil
	}
	o, err := redis.ParseURL(text)
	if err != nil { // err may hold the password
		return Address{}, errors.New("it must be an address like redis://user:password@host:6379/0, rediss://... or " +
			"unix:///path")
	}
	// The library must not retry a command: after a failure the mirror does not know what Redis has stored, so it has
	// to compare the findings on Redis with its own before it writes again.
	o.MaxRetries, o.DialerRetries = -1, 1
	o.ContextTimeoutEnabled = true
	o.PoolSize, o.MinIdleConns, o.PipelinePoolSize = maxConns, 0, 1
	o.Protocol, o.DisableIdentity = 2, true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return Address{o}, nil
}

// IsZero reports whether a is the zero Address, which stands for no Redis server.
func (a Address) IsZero() bool { return a.options == nil }

// String returns the host and the port, without the password.
func (a Address) String() string {
	if a.IsZero() {
		return ""
	}
	return a.options.Addr
}

// GoString hides the password.
func (a Address) GoString() string { return "mirror.Address{" + a.String() + "}" }

// MarshalText hides the password.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// maxReason limits the length of an error's text in the log, in bytes.
const maxReason = 200

// reason returns the text of err for the log: on one line, without the password, and with at most about
// maxReason bytes.
func (a Address) reason(err error) string {
	text := err.Error()
	if secret := a.options.Password; secret != "" {
		text = strings.ReplaceAll(text, secret, "[password]")
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "..."
	}
	return text
}

// userMessage returns the text that people in a realm see if an update of Redis fails with err.
func userMessage(err error) string {
	var answer redis.Error // an error that the server has returned
	switch {
	case errors.Is(err, errRaced):
		return "Another program writes into the board's keys on Redis."
	case !errors.As(err, &answer):
		return "Redis does not answer."
	case redis.HasErrorPrefix(err, "NOAUTH"), redis.HasErrorPrefix(err, "WRONGPASS"):
		return "Redis refuses the password."
	}
	return "Redis does not take the findings."
}
