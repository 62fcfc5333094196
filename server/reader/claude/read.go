package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"agentdungeon/server/reader/jsonl"
	"agentdungeon/server/shadow"
	"agentdungeon/shared/world"
)

// position is the content of a shadow.Position.
type position struct {
	jsonl.Place
	// First is the checksum of the first record that the session wrote itself. In a forked session, the records
	// before it are copies. Own is set once the reader has passed that record.
	First uint64 `json:"f,omitempty"`
	Own   bool   `json:"w,omitempty"`
	Dir   uint64 `json:"d,omitempty"` // checksum of the working directory
	Title uint64 `json:"n,omitempty"` // checksum of the title
	Names int    `json:"m,omitempty"` // number of titles so far
	Cost  int64  `json:"c,omitempty"` // the sum that the program itself has counted, in millionths of a dollar
}

// Read implements shadow.Reader. The file of a forked session begins with records that are copied from another
// session. So Read returns nothing of a main session until the file shows where the copies end. In version 2.1.330 the
// file shows this when the model gets its first request, within a second after the prompt.
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
	if !p.Own && p.First == 0 && s.Parent == "" {
		first, err := r.first(ctx, s)
		if err != nil || first == 0 {
			return batch, err
		}
		p.First = first
	}
	if s.Parent != "" {
		p.Own = true
	}
	t := reading{batch: &batch, position: &p}
	o := jsonl.Options{Max: maxBytes, Limit: r.config.Limit, Key: key}
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

// first returns the checksum of the id of the first record that the session wrote itself, 0 if the file does not show
// it yet.
func (r *Reader) first(ctx context.Context, s shadow.Session) (uint64, error) {
	var place jsonl.Place
	var o origin
	for {
		next, report, err := jsonl.Read(ctx, s.File, place, jsonl.Options{Limit: r.config.Limit}, o.line)
		if err != nil || o.first != 0 || !report.More {
			return o.first, err
		}
		place = next
	}
}

// origin finds the first record that a session wrote itself. The records before it were copied from another session by
// a fork. In version 2.1.330 a copied answer names the session that made the request, all copied prompts have one
// promptId, and requests to the model are not copied.
type origin struct {
	first  uint64 // the first record that the session wrote itself, 0 until it is known
	begin  uint64 // the candidate for first, unless a copied answer follows
	copied bool   // a copied answer was read
	prompt string // the newest promptId up to the last copied answer
}

func (o *origin) line(l jsonl.Line) {
	switch {
	case o.first != 0 || l.Long:
		return
	case bytes.HasPrefix(l.Text, []byte(`{"type":"api-request`)):
		o.first = o.begin
		return
	case skips(l.Text):
		return
	}
	rec, _, err := parse(l.Text)
	if err != nil {
		return
	}
	if strings.HasPrefix(rec.Type, "api-request") {
		o.first = o.begin
	}
	if rec.UUID == "" || !rec.talks() {
		return
	}
	id := jsonl.Sum([]byte(rec.UUID))
	switch {
	case rec.copied():
		o.copied, o.begin = true, 0
	case rec.Type == "assistant" && o.begin != 0:
		o.first = o.begin
	case rec.Type == "assistant":
		o.first = id
	case o.copied && rec.asks():
		o.begin = id // it can have the promptId of the copied ones; the newest before a request is the session's own
	case o.begin != 0, o.copied && (rec.Type == "system" || rec.PromptID != "" && rec.PromptID == o.prompt):
	default:
		o.begin = id
	}
	if rec.Type == "user" && (!o.copied || o.begin == 0) {
		o.prompt = rec.PromptID
	}
}

// reading collects the results of one call of Read.
type reading struct {
	batch    *shadow.Batch
	position *position
}

func (t *reading) line(l jsonl.Line) {
	p, batch := t.position, t.batch
	if l.Long {
		batch.Counts.TooLong++
		if p.Own {
			name := strconv.FormatUint(l.Sum, 16)
			text := fmt.Sprintf("a record of %d bytes", l.Len)
			batch.Entries = append(batch.Entries, shadow.Entry{ID: "lost-" + name, Kind: shadow.Lost, Text: text})
		}
		return
	}
	if p.Own && skips(l.Text) {
		return
	}
	rec, known, err := parse(l.Text)
	switch {
	case err != nil:
		batch.Counts.Broken++
		return
	case !known:
		name, _ := world.Cut(rec.Type, 40)
		if u := batch.Counts.Unknown; len(u) < shadow.MaxUnknown || u[name] > 0 {
			u[name]++
		}
		return
	}
	if !p.Own {
		if rec.UUID == "" || jsonl.Sum([]byte(rec.UUID)) != p.First {
			return
		}
		p.Own, p.First = true, 0
	}
	if rec.Type == costState {
		t.stated(l.Text)
		return
	}
	t.record(&rec)
}

func (t *reading) record(rec *record) {
	p, batch := t.position, t.batch
	if title := rec.title(); title != "" {
		// When the program resumes a session, it writes the title again.
		if sum := jsonl.Sum([]byte(title)); sum != p.Title {
			p.Title, p.Names = sum, p.Names+1
			batch.Session.Title = title
			id := "title-" + strconv.Itoa(p.Names)
			batch.Entries = append(batch.Entries, shadow.Entry{ID: id, Kind: shadow.Titled, Text: title})
		}
		return
	}
	if rec.UUID == "" {
		return
	}
	if rec.Cwd != "" && rec.talks() {
		sum := jsonl.Sum([]byte(rec.Cwd))
		batch.Session.Dir = rec.Cwd
		if p.Dir != 0 && p.Dir != sum {
			e := rec.entry(0, shadow.Moved, rec.Cwd)
			e.ID = "moved-" + rec.UUID
			batch.Entries = append(batch.Entries, e)
		}
		p.Dir = sum
	}
	if rec.IsSidechain && batch.Session.Parent == "" {
		// Older versions wrote the records of sub-agents between those of their parent. Only the token usage of such records
		// is kept.
		if u := rec.usage(); u != nil {
			u.Context = 0 // the context is the sub-agent's and not the session's
			batch.Entries = append(batch.Entries, rec.spent(u))
		}
		return
	}
	batch.Entries = append(batch.Entries, rec.entries(batch.Session.Dir)...)
}

// costState is the type of the record with the cost that the program itself has counted. The program writes it when it
// exits, often twice, and not after a SIGKILL.
const costState = "cost-state"

// stated adds an entry with the cost that the program itself has recorded.
func (t *reading) stated(line []byte) {
	var own struct {
		USD     float64 `json:"totalCostUSD"`
		Unknown bool    `json:"hasUnknownModelCost"`
	}
	if json.Unmarshal(line, &own) != nil || own.Unknown {
		return
	}
	micros := int64(math.Round(min(own.USD, 1e9) * 1e6))
	if micros <= 0 || micros == t.position.Cost {
		return
	}
	t.position.Cost = micros
	id := "cost-" + strconv.FormatInt(micros, 10)
	t.batch.Entries = append(t.batch.Entries, shadow.Entry{ID: id, Kind: shadow.Stated, Micros: micros})
}
