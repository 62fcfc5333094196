package erasure

import (
	"context"
	"database/sql"
	"errors"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/history"
	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// An erasure redacts the events of the journal. An event that cannot be read may hold anything, so a gap replaces it
// (tables/gaps.go). The receipt counts such events.

// eventAt returns the event with the given seq, without the text that a transcript holds for it. It returns nil if
// the event is not stored or cannot be read.
func eventAt(ctx context.Context, q sqlite.Queryer, seq int64) (out *world.Event, err error) {
	err = tables.EachEvent(ctx, q, seq-1, true, tables.SkipLost, func(e *tables.EventRow) (bool, error) {
		if e.Seq != seq {
			return false, nil
		}
		ev, err := e.Event()
		if err == nil {
			out = &ev
		} else if errors.Is(err, disk.ErrCorrupt) || errors.Is(err, disk.ErrNewer) {
			err = nil
		}
		return false, err
	})
	return out, err
}

// findEvent reads the history:erased event of the erasure. If the event cannot be read, findEvent computes it
// again from the events before it.
func (r *redaction) findEvent(ctx context.Context) error {
	var found *world.Event
	if err := r.j.View(func(db *sql.DB) error {
		return sqlite.Snapshot(ctx, db, func(q sqlite.Queryer) (err error) {
			found, err = eventAt(ctx, q, r.upTo)
			return err
		})
	}); err != nil {
		return err
	}
	if found != nil {
		if erased, ok := found.Body.(*world.HistoryErased); ok {
			r.event = erased
			return nil
		}
	}
	var made world.World
	if err := r.eachEvent(ctx, func(p *eventPage) error {
		for i := range p.events {
			switch b := p.events[i].Body.(type) {
			case *world.ArtifactSaved:
				made.Artifacts = append(made.Artifacts, b.Artifact)
			case *world.FindingPosted:
				made.Findings = append(made.Findings, b.Finding)
			case *world.QuestUpdate:
				made.Quests = append(made.Quests, b.Quest)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	r.event = r.scope.HistoryErased(&made)
	return nil
}

// eventPage has the events that one read of the journal has returned.
type eventPage struct {
	last   int64 // the last seq of this page
	bytes  int
	events []readEvent
	lost   []tables.Span // spans of events that cannot be read
	gaps   bool          // some events of the page are lost, now or before (then the journal has a gap)
}

// readEvent is a decoded event of the journal, together with the frame that is stored for it.
type readEvent struct {
	world.Event
	frame []byte // the frame that was shown; nil if the checksum of its text is wrong
	// unread is set if the transcript row that holds the event's text is missing or cannot be unpacked. The event then
	// has no text.
	unread bool
}

// eachEvent calls f with the events before history:erased in pages, each read in one transaction.
func (r *redaction) eachEvent(ctx context.Context, f func(*eventPage) error) error {
	for after := int64(0); after < r.upTo-1; {
		p := &eventPage{last: r.upTo - 1}
		if err := r.j.View(func(db *sql.DB) error {
			return sqlite.Snapshot(ctx, db, func(q sqlite.Queryer) error { return p.read(ctx, q, after) })
		}); err != nil {
			return err
		}
		if err := f(p); err != nil {
			return err
		}
		after = p.last
	}
	return nil
}

// read reads the events after a seq into the page: at most as many as one Reader.Read returns, and none after p.last.
// It skips events that were trimmed during the erasure. All other missing events count as lost.
func (p *eventPage) read(ctx context.Context, q sqlite.Queryer, after int64) error {
	floor, err := tables.ReadFloor(ctx, q)
	if err != nil {
		return err
	}
	until, next := p.last, max(after+1, floor)
	lose := func(s tables.Span, why error) {
		p.gaps = true
		if !errors.Is(why, tables.ErrGap) { // where the journal has a gap, nothing is left to remove
			p.lost = append(p.lost, s)
		}
		next = max(next, s.To+1)
	}
	var rows []tables.EventRow
	full := false
	for next <= until && !full {
		if err := tables.EachEvent(ctx, q, next-1, true, lose, func(e *tables.EventRow) (bool, error) {
			if e.Seq > until {
				return false, nil
			}
			rows, next = append(rows, *e), e.Seq+1
			p.bytes += len(e.Frame)
			full = len(rows) >= history.MaxReadRows || p.bytes >= history.MaxReadBytes
			return !full, ctx.Err()
		}); err != nil {
			return err
		}
		if full || next > until {
			break
		}
		kept, err := nextKept(ctx, q, next)
		if err != nil {
			return err
		}
		if kept = min(kept, until+1); kept > next {
			lose(tables.Span{From: next, To: kept - 1}, disk.ErrMissing)
		}
	}
	p.last = min(next-1, until)
	for len(rows) > 0 {
		some := rows[:min(len(rows), tables.PackTexts)]
		rows = rows[len(some):]
		texts, err := tables.TextsOf(ctx, q, some)
		if err != nil {
			return err
		}
		for i := range some {
			t, there := texts[some[i].MessageID.String]
			p.add(&some[i], t, there)
		}
	}
	return nil
}

// nextKept returns the seq of the first event or gap in the journal, counted from the argument seq on. It returns a
// large number if there is none.
func nextKept(ctx context.Context, q sqlite.Queryer, seq int64) (kept int64, err error) {
	err = sqlite.One(ctx, q, []any{&kept}, `SELECT ifnull(min(n), 1 << 62) FROM (
		SELECT min(seq) AS n FROM journal WHERE seq >= ?1
		UNION ALL SELECT min(from_seq) FROM journal_packs WHERE from_seq >= ?1)`, seq)
	return kept, err
}

// add decodes an event and adds it to the page. If the text of the event is damaged or missing, it adds the event
// without a text.
func (p *eventPage) add(e *tables.EventRow, t tables.StoredText, there bool) {
	text, err := "", error(nil)
	if e.TextAt > 0 && there {
		text, err = tables.UnpackText(e.MessageID.String, t.Content, t.Packed)
	}
	out := readEvent{unread: e.TextAt > 0 && (!there || err != nil)}
	if f, ferr := e.FrameOf(text); ferr == nil && !out.unread {
		out.frame = f.Bytes
		out.Event, err = world.DecodeEvent(f.Bytes)
	} else {
		out.Event, err = e.Event()
	}
	if err != nil || out.Seq != e.Seq {
		p.lost = append(p.lost, tables.Span{From: e.Seq, To: e.Seq})
		return
	}
	p.events = append(p.events, out)
}

// events redacts the events before history:erased; seq, type and ids stay. Later events stay as they are: they were
// decided in a world from which the words were erased.
func (r *redaction) events(ctx context.Context) error {
	red := world.NewRedactor(r.scope, r.event)
	c := &chunk{r: r, what: "events"}
	block := int64(-1)
	if err := r.eachEvent(ctx, func(p *eventPage) error {
		r.gaps = r.gaps || p.gaps || len(p.lost) > 0
		for _, s := range p.lost {
			r.out.Changed[world.UnreadableEvents] += int(s.To - s.From + 1)
			if err := c.add(ctx, redactBytes/4, func(w *tables.Writer) error { return r.lose(w, s) }); err != nil {
				return err
			}
		}
		for i := range p.events {
			e := &p.events[i]
			// An unreadable text may quote the erased person, so the event is stored without its text.
			if changed := red.Event(&e.Event); !changed && !(e.unread && r.scope.Person != "") {
				continue
			}
			rec, err := e.Encode()
			if err != nil {
				return err
			}
			if string(rec.Frame) == string(e.frame) {
				continue
			}
			r.seqs[e.Seq] = true
			size := len(rec.Frame)
			// The first change in a block costs more, because Unpack turns the whole block into rows.
			if of := e.Seq / tables.PackEvents; of != block {
				block, size = of, size+redactBytes/4
			}
			if err := c.add(ctx, size, func(w *tables.Writer) error { return redactEvent(w, &rec) }); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	return c.flush(ctx)
}

// lose replaces the unreadable events of s by a gap. It leaves out events that the journal has trimmed since the page
// was read.
func (r *redaction) lose(w *tables.Writer, s tables.Span) error {
	if s.From = max(s.From, r.j.Floor()); s.From > s.To {
		return nil
	}
	return w.Lose(s.From, s.To)
}

// redactEvent replaces a stored frame by the redacted one. If the frame shows the text of a row,
// redactEvent also replaces the text in that row.
func redactEvent(w *tables.Writer, rec *world.Record) error {
	frame := rec.WithoutText()
	if err := w.Unpack(rec.Event.Seq, rec.Event.Seq); err != nil {
		return err
	}
	if _, err := w.Exec("UPDATE journal SET text_at = ?, sum = ?, frame = ? WHERE seq = ?",
		rec.TextAt, tables.FrameSum(frame, rec.TextAt, rec.Text), frame, rec.Event.Seq); err != nil {
		return err
	}
	if rec.TextAt == 0 {
		return nil
	}
	return w.RewriteRow(tables.RowID(&rec.Event), rec.Text, func() error { return nil })
}
