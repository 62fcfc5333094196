package gate

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// seatVersion is the first part of every seat. If the signature changes, the version must change too; people
// with seats of an old version get new ids.
const seatVersion = "1"

// sign returns the seat of a spectatorId: the version, the id, and a signature of the id for its tenant. key
// is the store's secret key, so that a seat stays valid after a restart. A seat is the secret of one browser
// and is never logged.
func sign(key []byte, tenant, spectatorID string) string {
	sum := mac(key, seatOf(tenant), spectatorID)
	return seatVersion + "." + spectatorID + "." + base64.RawURLEncoding.EncodeToString(sum)
}

// seatOf returns the purpose that mac gets for the seats of a tenant. The purpose for the default tenant does not
// contain a tenant's name, so that seats from the time before the server had tenants stay valid.
func seatOf(tenant string) string {
	if tenant == world.DefaultTenant {
		return "seat"
	}
	return "seat of tenant " + tenant
}

// seated returns the spectatorId in a seat. ok is false if sign did not make the seat with this key for this
// tenant; the person then gets a new id.
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

// mac returns a signature of text for a purpose. The signature is invalid for every other purpose.
func mac(key []byte, purpose, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("agentdungeon " + purpose + " v1\x00" + text)) // the Write of a hash never fails
	return h.Sum(nil)
}

// newSpectatorID returns a new id with at least 128 random bits, in letters and digits.
func newSpectatorID() string { return "p" + rand.Text() }

// sameTab reports whether the tab ids a and b of two sockets with the same seat stand for the same tab. An
// empty id is the same as any other: a client that sends no tab ids has only one tab.
func sameTab(a, b string) bool { return a == b || a == "" || b == "" }

// seat registers s under spectatorID. It returns the sockets of the same tab, which s replaces: when a person
// reloads the page, the old socket may still seem to be open.
func (g *Gate) seat(s *socket, spectatorID, tab string) (old []*socket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unseat(s)
	kept := slices.DeleteFunc(g.seats[spectatorID], func(other *socket) bool {
		if !sameTab(other.tab, tab) {
			return false
		}
		old = append(old, other)
		other.seatID = ""
		return true
	})
	s.seatID, s.tab = spectatorID, tab
	g.seats[spectatorID] = append(kept, s)
	return old
}

// unseat removes s from its seat. The caller holds g.mu.
func (g *Gate) unseat(s *socket) {
	if s.seatID == "" {
		return
	}
	left := slices.DeleteFunc(g.seats[s.seatID], func(other *socket) bool { return other == s })
	if len(left) == 0 {
		delete(g.seats, s.seatID)
	} else {
		g.seats[s.seatID] = left
	}
	s.seatID, s.tab = "", ""
}
