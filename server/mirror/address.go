package mirror

import (
	"errors"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Variable holds the address of the Redis server. It has no flag, because the address may hold a
// password and command lines can be read by everybody on the machine.
const Variable = "REDIS_URL"

// Address is the address of a Redis server with its credentials. It prints as host and port.
type Address struct{ options *redis.Options }

// ParseAddress parses redis://[user:password@]host:port[/database], the same with rediss (TLS),
// or unix:///path; "" means no Redis. The error does not repeat the text.
func ParseAddress(text string) (Address, error) {
	if text = strings.TrimSpace(text); text == "" {
		return Address{}, nil
	}
	o, err := redis.ParseURL(text)
	if err != nil { // err may hold the password
		return Address{}, errors.New("it must be an address like redis://user:password@host:6379/0, rediss://... or " +
			"unix:///path")
	}
	// The library must not retry: after a failure it is unknown what Redis has stored, so the caller has to
	// compare first.
	o.MaxRetries, o.DialerRetries = -1, 1
	o.ContextTimeoutEnabled = true
	o.PoolSize, o.MinIdleConns, o.PipelinePoolSize = maxConns, 0, 1
	o.Protocol, o.DisableIdentity = 2, true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return Address{o}, nil
}

// IsZero reports whether there is no Redis.
func (a Address) IsZero() bool { return a.options == nil }

// String returns host and port only.
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

// maxReason limits the logged text of an error, in bytes.
const maxReason = 200

// reason formats an error for the log: on one line, without the password, cut to maxReason.
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

// userMessage returns the text that people see for an error of Redis.
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
