package gate

import (
	"bytes"
	"encoding/json"

	"agentdungeon/shared/world"
)

// hasRealm are the beginnings of the frames that hold a realm, and so the path of its
// folder on the server's machine. That is the hosts' to know (P2.4, P4.2).
var hasRealm = [][]byte{
	[]byte(`{"type":"world:state"`),
	[]byte(`{"type":"` + (*world.RealmCreated)(nil).EventType() + `"`),
	[]byte(`{"type":"` + (*world.RealmRestored)(nil).EventType() + `"`),
}

var realmKeyText = []byte(`"realm":{`)

// withoutPath is a frame as a spectator gets it. The frame itself is everybody's and stays.
func (g *Gate) withoutPath(frame []byte) []byte {
	holds := false
	for _, head := range hasRealm {
		holds = holds || bytes.HasPrefix(frame, head)
	}
	at := -1
	if holds {
		at = bytes.Index(frame, realmKeyText) // in a string the quotes would be escaped
	}
	if at < 0 {
		return frame
	}
	at += len(realmKeyText) - 1
	var r world.Realm
	dec := json.NewDecoder(bytes.NewReader(frame[at:]))
	err := dec.Decode(&r)
	var bare []byte
	if err == nil {
		r.Path = ""
		bare, err = json.Marshal(r)
	}
	if err != nil { // frames are made by this program: a spectator gets nothing rather than the path
		g.log.Error().Err(err).Msg("take the path out of a spectator's frame")
		return []byte(`{"type":"error"}`)
	}
	return bytes.Join([][]byte{frame[:at], bare, frame[at+int(dec.InputOffset()):]}, nil)
}
