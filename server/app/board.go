package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"agentdungeon/server/mirror"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
)

// boards implements mirror.Realms: the copies of the findings are the files findings.json in the realms' folders.
type boards struct{ store *files.Worlds }

func (b boards) Refs() []mirror.Ref {
	var out []mirror.Ref
	for _, name := range b.store.Tenants() {
		t, err := b.store.Tenant(name)
		if err != nil { // never happens: the store lists only valid names
			continue
		}
		for _, e := range t.List() {
			out = append(out, mirror.Ref{Tenant: name, ID: e.ID})
		}
	}
	return out
}

func (b boards) files(ref mirror.Ref) (*files.Realm, error) {
	t, err := b.store.Tenant(ref.Tenant)
	if err != nil {
		return nil, err
	}
	return t.RealmFiles(ref.ID)
}

func (b boards) LoadBoard(ref mirror.Ref) ([]byte, error) {
	files, err := b.files(ref)
	if err != nil {
		return nil, err
	}
	data, err := files.ReadFindings()
	if errors.Is(err, disk.ErrMissing) {
		return nil, nil
	}
	return data, err
}

func (b boards) SaveBoard(ref mirror.Ref, data []byte) error {
	files, err := b.files(ref)
	if err != nil {
		return err
	}
	return files.WriteFindings(data)
}

func (b boards) RemoveBoard(ref mirror.Ref) error {
	files, err := b.files(ref)
	if err != nil {
		return err
	}
	return files.RemoveFindings()
}

// oneBoard implements mirror.Realms with one realm that a command opens without a server.
type oneBoard struct{ files *files.Realm }

func (b oneBoard) Refs() []mirror.Ref                   { return nil }
func (b oneBoard) LoadBoard(mirror.Ref) ([]byte, error) { return nil, nil }
func (b oneBoard) SaveBoard(_ mirror.Ref, data []byte) error {
	return b.files.WriteFindings(data)
}
func (b oneBoard) RemoveBoard(mirror.Ref) error { return b.files.RemoveFindings() }

// boardsOwner returns the name under which this worlds folder keeps its boards on a Redis server, so that
// several folders can share the server. It derives the name from the folder's secret key; the name does not
// reveal the key.
func boardsOwner(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("findings board"))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}
