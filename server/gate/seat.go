package gate

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// seatVersion begins every seat. A new way of signing gets a new version, and old
// seats then give new identities.
const seatVersion = "1"

// A seat takes its holder back to a spectatorId, also after a restart: the id and
// a signature over it and its tenant with the store's secret key. It is a secret of one
// browser and never logged.
func sign(key []byte, tenant, spectatorID string) string {
	return seatVersion + "." + spectatorID + "." + base64.RawURLEncoding.EncodeToString(mac(key, seatOf(tenant), spectatorID))
}

// seatOf is the purpose of a tenant's seats. Those of the default tenant are older than
// the others.
func seatOf(tenant string) string {
	if tenant == world.DefaultTenant {
		return "seat"
	}
	return "seat of tenant " + tenant
}

// seated gives the spectatorId of a seat that was signed with key for the tenant. A seat
// that is not ours, or another tenant's, is no error: its holder gets a new identity.
func seated(key []byte, tenant, seat string) (spectatorID string, ok bool) {
	parts := strings.Split(seat, ".")
	if len(parts) != 3 || parts[0] != seatVersion || !wire.ValidID(parts[1]) {
		return "", false
	}
	got, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err != nil || !hmac.Equal(got, mac(key, seatOf(tenant), parts[1])) {
		return "", false
	}
	return parts[1], true
}

// mac signs text for one purpose, so that a signature for one is none for another.
func mac(key []byte, purpose, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("agentdungeon " + purpose + " v1\x00" + text)) // a hash's Write never fails
	return h.Sum(nil)
}

// newSpectatorID is random: 128 bits, letters and digits.
func newSpectatorID() string { return "p" + rand.Text() }

// sameTab says whether two sockets of one seat are one tab that came back: a
// client without tab ids has only one tab.
func sameTab(a, b string) bool { return a == b || a == "" || b == "" }

// seat puts s on the places of spectatorID and gives the sockets of the same tab,
// which it takes over: one may still be thought alive when its tab has reloaded.
func (g *Gate) seat(s *socket, spectatorID, tab string) (old []*socket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unseat(s)
	kept := g.seats[spectatorID][:0:0]
	for _, other := range g.seats[spectatorID] {
		if sameTab(other.tab, tab) {
			old = append(old, other)
			other.seatID = ""
		} else {
			kept = append(kept, other)
		}
	}
	s.seatID, s.tab = spectatorID, tab
	g.seats[spectatorID] = append(kept, s)
	return old
}

// unseat takes s off its place. g.mu is held.
func (g *Gate) unseat(s *socket) {
	if s.seatID == "" {
		return
	}
	left := g.seats[s.seatID][:0:0]
	for _, other := range g.seats[s.seatID] {
		if other != s {
			left = append(left, other)
		}
	}
	if len(left) == 0 {
		delete(g.seats, s.seatID)
	} else {
		g.seats[s.seatID] = left
	}
	s.seatID, s.tab = "", ""
}
