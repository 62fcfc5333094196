package mirror

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"agentdungeon/shared/world"
)

// board holds a realm's findings: a fold by world.Apply over a world with nothing else in it.
// One goroutine uses it.
type board struct {
	ref   Ref
	epoch string
	seq   int64 // the newest event that may have changed the findings
	world world.World
	// changed has the findings that Redis may lack, by id, with the seq of their last change: at most
	// world.MaxFindings.
	changed map[string]int64
	// known is the position of the board on Redis; nil if it is unknown, so that sync must compare everything.
	known *position
}

// position is the event up to which a copy is complete.
type position struct {
	Epoch string
	Seq   int64
}

func (b *board) at() position { return position{b.epoch, b.seq} }

// reset takes over the findings of a committed world.
func (b *board) reset(epoch string, w *world.World) {
	b.epoch, b.seq = epoch, w.Tick
	b.world = world.World{Findings: w.Findings}
	b.changed, b.known = map[string]int64{}, nil
}

// forgetPosition makes the next sync compare the whole board on Redis.
func (b *board) forgetPosition() { b.known = nil }

// behind reports whether Redis needs an update.
func (b *board) behind() bool { return b.known == nil || *b.known != b.at() }

// fold applies a committed event. After an erasure (erased) the caller reads the whole state again, because erased
// words may be in any finding. fold does not decode events that change no finding.
func (b *board) fold(f world.Frame) (erased bool, err error) {
	switch f.Type {
	case (*world.HistoryErased)(nil).EventType():
		erased = true
	case (*world.FindingPosted)(nil).EventType(), (*world.FindingWithdrawn)(nil).EventType():
	default:
		return false, nil
	}
	ev, err := world.DecodeEvent(f.Bytes)
	if err != nil {
		return erased, fmt.Errorf("fold event %d: %w", f.Seq, err)
	}
	world.Apply(&b.world, ev)
	b.seq = ev.Seq
	switch body := ev.Body.(type) {
	case *world.FindingPosted:
		b.changed[body.Finding.ID] = ev.Seq
	case *world.FindingWithdrawn:
		b.changed[body.FindingID] = ev.Seq
	}
	return erased, nil
}

// changedIDs returns the ids of the changed findings, the oldest change first.
func (b *board) changedIDs() []string {
	bySeq := func(x, y string) int { return cmp.Compare(b.changed[x], b.changed[y]) }
	return slices.SortedFunc(maps.Keys(b.changed), bySeq)
}

// encoded returns a finding as Redis stores it, "" if the board has none with that id.
func (b *board) encoded(id string) (string, error) {
	i := slices.IndexFunc(b.world.Findings, func(f world.Finding) bool { return f.ID == id })
	if i < 0 {
		return "", nil
	}
	return encodeFinding(&b.world.Findings[i])
}

func encodeFinding(f *world.Finding) (string, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("encode finding %s: %w", f.ID, err)
	}
	return string(data), nil
}

// boardFile is the content of findings.json.
type boardFile struct {
	Schema   int             `json:"schema"`
	Tenant   string          `json:"tenant"`
	RealmID  string          `json:"realmId"`
	Epoch    string          `json:"epoch"`
	Seq      int64           `json:"seq"`
	Findings []world.Finding `json:"findings"`
}

// schema is the version of findings.json and of the keys on Redis.
const schema = 1

// file returns the content of findings.json.
func (b *board) file() ([]byte, error) {
	f := boardFile{schema, b.ref.Tenant, b.ref.ID, b.epoch, b.seq, b.world.Findings}
	if f.Findings == nil {
		f.Findings = []world.Finding{}
	}
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the board: %w", err)
	}
	return append(data, '\n'), nil
}

// decodeBoard decodes a findings.json.
func decodeBoard(ref Ref, data []byte) (*board, error) {
	var f boardFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("decode findings.json of realm %s: %w", ref.ID, err)
	}
	if f.Schema != schema || f.RealmID != ref.ID || f.Epoch == "" || len(f.Findings) > world.MaxFindings {
		return nil, fmt.Errorf("findings.json of realm %s has another schema or realm, no epoch, or too many findings",
			ref.ID)
	}
	return &board{ref: ref, epoch: f.Epoch, seq: f.Seq, world: world.World{Findings: f.Findings},
		changed: map[string]int64{}}, nil
}
