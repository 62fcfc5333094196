package mirror

import (
	"errors"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Variable names the Redis server. There is no flag for it: it may hold a password, and
// everybody on the machine can read a command line.
const Variable = "REDIS_URL"

// Address is where Redis is, with what it wants to be shown. It prints as host and port.
type Address struct{ options *redis.Options }

// ParseAddress takes redis://[user:password@]host:port[/database], the same with rediss
// (TLS), or unix:///path; "" is no Redis. An error does not repeat the text.
func ParseAddress(text string) (Address, error) {
	if text = strings.TrimSpace(text); text == "" {
		return Address{}, nil
	}
	o, err := redis.ParseURL(text)
	if err != nil { // it may hold the password
		return Address{}, errors.New("it must be an address like redis://user:password@host:6379/0, rediss://... or unix:///path")
	}
	// One try each: who calls knows when the next one makes sense, and has to know of each
	// that failed, since what it changed is not known then.
	o.MaxRetries, o.DialerRetries = -1, 1
	o.ContextTimeoutEnabled = true
	o.PoolSize, o.MinIdleConns, o.PipelinePoolSize = maxConns, 0, 1
	o.Protocol, o.DisableIdentity = 2, true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return Address{o}, nil
}

// IsZero says that there is no Redis.
func (a Address) IsZero() bool { return a.options == nil }

// String is host and port, never more.
func (a Address) String() string {
	if a.IsZero() {
		return ""
	}
	return a.options.Addr
}

// GoString never tells the password.
func (a Address) GoString() string { return "mirror.Address{" + a.String() + "}" }

// MarshalText never tells the password.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// maxReason is how much of an error is logged.
const maxReason = 200

// reason is an error for the log: without the password, on one line, cut.
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

// sentence is what people are told of an error.
func sentence(err error) string {
	var said redis.Error // the server's own answer
	switch {
	case errors.Is(err, errRaced):
		return "Another program writes into the board's keys on Redis."
	case !errors.As(err, &said):
		return "Redis does not answer."
	case redis.HasErrorPrefix(err, "NOAUTH"), redis.HasErrorPrefix(err, "WRONGPASS"):
		return "Redis refuses the password."
	}
	return "Redis does not take the findings."
}
