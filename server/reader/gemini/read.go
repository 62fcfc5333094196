package gemini

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"

	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// keptDone is the number of newest entries that a position remembers. The program writes a message again only while it
// is the newest one.
const keptDone = 128

// position is the content of a shadow.Position. As JSON it has less than 3,000 bytes.
type position struct {
	jsonl.Place
	copies
	Done  []byte `json:"d,omitempty"` // checksums of the IDs of the newest entries, 8 bytes each
	Title uint64 `json:"n,omitempty"` // checksum of the title
	Names int    `json:"m,omitempty"` // titles so far
	// Summary is the checksum of the newest summary that has replaced the history. Later lists of the history repeat that
	// summary.
	Summary uint64 `json:"s,omitempty"`
}

// Read implements shadow.Reader.
func (r *Reader) Read(
	ctx context.Context, s shadow.Session, after shadow.Position, maxBytes int,
) (shadow.Batch, error) {
	batch := shadow.Batch{Session: s, Next: after, Counts: shadow.Counts{Unknown: map[string]int{}}}
	var p position
	if after != "" {
		if err := json.Unmarshal([]byte(after), &p); err != nil {
			return batch, fmt.Errorf("decode the position of session %s: %w", s.ID, err)
		}
	}
	t := reading{batch: &batch, position: &p}
	o := jsonl.Options{Max: max(maxBytes, 1), Limit: r.config.Limit, Key: key}
	place, report, err := jsonl.Read(ctx, s.File, p.Place, o, t.line)
	if err != nil {
		return shadow.Batch{Session: s, Next: after}, err
	}
	p.Place = place
	next, err := json.Marshal(p)
	if err != nil {
		return batch, err
	}
	batch.Next, batch.More = shadow.Position(next), report.More
	batch.Session.Changed = report.Changed
	return batch, nil
}

// reading collects the results of one Read.
type reading struct {
	batch    *shadow.Batch
	position *position
}

// add adds an entry, unless it was added before.
func (t *reading) add(e shadow.Entry) {
	p, sum := t.position, jsonl.Sum([]byte(e.ID))
	for i := 0; i+8 <= len(p.Done); i += 8 {
		if binary.BigEndian.Uint64(p.Done[i:]) == sum {
			return
		}
	}
	p.Done = binary.BigEndian.AppendUint64(p.Done, sum)
	p.Done = p.Done[max(0, len(p.Done)-8*keptDone):]
	t.batch.Entries = append(t.batch.Entries, e)
}

func (t *reading) line(l jsonl.Line) {
	counts := &t.batch.Counts
	if l.Long {
		counts.TooLong++
		text := fmt.Sprintf("a record of %d bytes", l.Len)
		t.add(shadow.Entry{ID: "lost-" + strconv.FormatUint(l.Sum, 36), Kind: shadow.Lost, Text: text})
		return
	}
	rec, err := parse(l.Text)
	if err != nil {
		counts.Broken++
		return
	}
	switch {
	case rec.Set.given:
		t.set(&rec)
	case rec.Rewind != nil || rec.SessionID != "":
		// A rewind removes messages from the history. Their entries stay, because people have already seen them.
	case !types[rec.Type]:
		name, _ := world.Cut(rec.Type, 40)
		if u := counts.Unknown; len(u) < shadow.MaxUnknown || u[name] > 0 {
			u[name]++
		}
		return
	}
	if rec.ID == "" && rec.Set.Messages == nil || t.position.repeats(&rec) {
		return
	}
	for _, e := range rec.entries(t.batch.Session.Dir) {
		t.add(e)
	}
}

// set handles a change of the session's description.
func (t *reading) set(rec *record) {
	p := t.position
	if title := rec.title(); title != "" && t.batch.Session.Parent == "" {
		if sum := jsonl.Sum([]byte(title)); sum != p.Title {
			p.Title, p.Names = sum, p.Names+1
			t.batch.Session.Title = title
			t.add(shadow.Entry{ID: "title-" + strconv.Itoa(p.Names), Kind: shadow.Titled, Text: title})
		}
	}
	list := rec.Set.Messages
	for i := range list {
		if i == 0 || text(list[i].Content) != shortened {
			continue
		}
		// In the list, the summary is the message before this one.
		summary := text(list[i-1].Content)
		sum := jsonl.Sum([]byte(summary))
		if sum == p.Summary {
			continue
		}
		p.Summary = sum
		e := shadow.Entry{ID: "compacted-" + strconv.FormatUint(sum, 36), At: rec.Set.LastUpdated, Kind: shadow.Compacted}
		e.Text, e.Cut = world.Cut(summary, shadow.MaxText)
		t.add(e)
	}
}
