package mirror

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"agentdungeon/shared/world"
)

// board has the findings of one realm. It applies the realm's events with world.Apply to a world that has nothing
// but findings. Only one goroutine may use a board.
type board struct {
	ref   Ref
	epoch string
	seq   int64 // the seq of the newest event that may have changed the findings
	world world.World
	// changed has the ids of the findings that have changed and may differ on Redis, each with the seq of its last
	// change. It has at most world.MaxFindings entries.
	changed map[string]int64
	// known is the position of the copy on Redis, or nil if the position is unknown. If it is nil, sync
	// compares the whole copy.
	known *position
}

// position identifies the last event that a copy of the findings includes.
type position struct {
	Epoch string
	Seq   int64
}

func (b *board) at() position { return position{b.epoch, b.seq} }

// reset replaces the board's findings by those of w, a committed world.
func (b *board) reset(epoch string, w *world.World) {
	b.epoch, b.seq = epoch, w.Tick
	b.world = world.World{Findings: w.Findings}
	b.changed, b.known = map[string]int64{}, nil
}

// forgetPosition makes the next sync compare the whole copy on Redis.
func (b *board) forgetPosition() { b.known = nil }

// behind reports whether a change of the findings may be missing on Redis.
func (b *board) behind() bool { return b.known == nil || *b.known != b.at() }

// fold applies a committed event. It does not decode events that change no finding. erased is true after an
// erasure: erased words may be in any finding, so the caller has to read the whole world again.
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

// changedIDs returns the ids in changed, the oldest change first.
func (b *board) changedIDs() []string {
	bySeq := func(x, y string) int { return cmp.Compare(b.changed[x], b.changed[y]) }
	return slices.SortedFunc(maps.Keys(b.changed), bySeq)
}

// encoded returns the finding with that id as Redis stores it, or "" if the board has no such finding.
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

// file returns the board as the content of findings.json.
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
