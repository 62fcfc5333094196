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

// seatVersion is the first part of every seat. Another way of signing needs another version;
// then old seats yield new identities.
const seatVersion = "1"

// sign returns the seat of a spectatorId: the id and a signature over it and its tenant, made
// with the store's secret key. The seat identifies its holder also after a restart. It is the
// secret of one browser and is never logged.
func sign(key []byte, tenant, spectatorID string) string {
	sum := mac(key, seatOf(tenant), spectatorID)
	return seatVersion + "." + spectatorID + "." + base64.RawURLEncoding.EncodeToString(sum)
}

// seatOf returns the purpose for the signatures of a tenant's seats. The default tenant has its
// own form, which is older than tenants.
func seatOf(tenant string) string {
	if tenant == world.DefaultTenant {
		return "seat"
	}
	return "seat of tenant " + tenant
}

// seated returns the spectatorId of a seat. ok is false if the seat was not signed with key for
// the tenant; its holder then gets a new identity.
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

// mac signs text for one purpose. The signature is worthless for other purposes.
func mac(key []byte, purpose, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("agentdungeon " + purpose + " v1\x00" + text)) // a hash's Write never fails
	return h.Sum(nil)
}

// newSpectatorID returns a random id of 128 bits, in letters and digits.
func newSpectatorID() string { return "p" + rand.Text() }

// sameTab reports whether two sockets of one seat belong to the same tab. A client without tab
// ids has only one tab.
func sameTab(a, b string) bool { return a == b || a == "" || b == "" }

// seat registers s under spectatorID. It returns the sockets of the same tab, which s replaces:
// after a reload the old one may still look alive.
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
