package commit

import (
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// These constants limit a batch. Events that were decided together are always in one batch, even if it exceeds
// the limits, so that either all of them are committed or none.
const (
	maxBatch      = 512
	maxBatchBytes = 1 << 20
)

// Begin starts the committer.
func (o *Outbox) Begin() { o.committer.begin(o.conf.Journal) }

// Pump passes the waiting events to the committer, unless the committer has a batch already.
func (o *Outbox) Pump() {
	if o.batch != nil || o.broken != nil || o.handed == len(o.entries) {
		return
	}
	batch := &world.Batch{}
	bytes, i, whole := 0, o.handed, false // whole: the last decision in the batch is complete
	for ; i < len(o.entries); i++ {
		e := &o.entries[i]
		if e.Record == nil {
			continue
		}
		if whole && (len(batch.Records) >= maxBatch || bytes+len(e.Record.Frame) > maxBatchBytes) {
			break
		}
		whole = e.Ends
		bytes += len(e.Record.Frame) + e.Holds
		batch.Records = append(batch.Records, *e.Record)
		if e.command != nil {
			batch.Commands = append(batch.Commands, *e.command)
		}
	}
	o.handed = i
	if len(batch.Records) == 0 {
		return
	}
	o.batch, o.since = batch, o.now
	o.committer.in <- batch // never blocks: the committer is idle
}

// slow is the duration of a commit after which people are told that the disk is slow.
const slow = time.Second

// Due returns when Slow must be called, zero for never.
func (o *Outbox) Due() time.Time {
	if o.batch == nil || o.status.State != wire.SaveSaved {
		return time.Time{}
	}
	return o.since.Add(slow)
}

// Slow tells all viewers that a commit takes long.
func (o *Outbox) Slow() {
	o.tell(wire.SaveSlow, "The disk is slow. Everything is shown as soon as it is saved.")
}

// Results returns the channel of commit results. The actor passes each result to On.
func (o *Outbox) Results() <-chan Result { return o.committer.out }

// On handles the result of a commit. It releases the events of the commit and the entries behind them. It
// returns an error if the journal cannot be written any more; the caller must then call Break.
func (o *Outbox) On(r Result) (broken error) {
	switch {
	case r.done && r.err != nil:
		return r.err
	case r.done:
		o.committed()
		o.tell(wire.SaveSaved, "")
	default:
		if o.status.State != wire.SaveFailing {
			o.conf.Log.Error().Err(r.err).Int64("seq", o.head+1).Msg("a commit has failed and is repeated")
		}
		o.status.failure = r.err
		o.tell(wire.SaveFailing, o.Failing().Message)
		o.End(Unsaved)
	}
	return nil
}

// committed releases the events of the batch and the entries behind them, up to the next event.
func (o *Outbox) committed() {
	last := o.batch.Records[len(o.batch.Records)-1].Event.Seq
	o.batch, o.head = nil, last
	o.conf.Position.Set(o.conf.Epoch, last)
	n := 0
	for ; n < len(o.entries); n++ {
		e := o.entries[n]
		if e.Record != nil {
			if e.Record.Event.Seq > last {
				break
			}
			o.records--
		}
		if e.Delta != nil {
			o.conf.Runs.Unqueue(e.Segment)
		}
		if e.Saves {
			o.status.points--
		}
		o.bytes -= e.size()
		o.entries[n].Effect = nil // removed first: an effect that breaks the outbox must not run again
		o.release(e)
	}
	o.Flush()
	rest := copy(o.entries, o.entries[n:])
	clear(o.entries[rest:])
	o.entries = o.entries[:rest]
	o.handed = max(0, o.handed-n)
}

// Break ends all commits after the error err. Clients keep what they have got, and from now on the actor only answers
// commands that read. The caller must then call End(Lost).
func (o *Outbox) Break(err error) {
	o.broken, o.batch = err, nil
	o.conf.Log.Error().Err(err).Msg("the journal cannot be written any more; the realm can only be read")
	o.tell(wire.SaveBroken, "This realm cannot be written any more, only read. "+
		"What was shown is safe. Restart the server to recover it.")
}

// End calls the effects whose events are not durable, with the argument outcome, and removes them from the queue.
// If outcome is Unsaved, it calls only the effects that are marked Impatient; if it is Lost, it calls all. It skips
// the effects that belong to a Record.
func (o *Outbox) End(outcome Outcome) {
	for i := range o.entries {
		e := &o.entries[i]
		if e.Effect == nil || e.Record != nil || outcome == Unsaved && !e.Impatient {
			continue
		}
		effect := e.Effect
		e.Effect = nil
		effect(outcome)
	}
}

// Abandon makes the outbox commit nothing more. The realm calls it if its stop ends before all events are committed.
func (o *Outbox) Abandon(err error) { o.broken = err }

// Broken returns the reason why the outbox cannot commit any more, nil if it can.
func (o *Outbox) Broken() error { return o.broken }

// OnlyOpened reports whether a stop may drop the waiting events: commits fail, the journal has committed nothing
// since the opening, and no person has caused any of the events. The next opening decides such events again.
func (o *Outbox) OnlyOpened() bool {
	n := len(o.conf.Lines)
	if !o.IsFailing() || n == 0 || o.conf.Lines[n-1].FromSeq != o.head+1 {
		return false
	}
	for i := range o.entries {
		if e := &o.entries[i]; e.command != nil || e.Record != nil && e.Record.Who != "" {
			return false
		}
	}
	return true
}

// Stop makes the committer end after the commit that is under way.
func (o *Outbox) Stop() { close(o.committer.stop) }

// Wait waits until the committer has ended and the rescue, if there is one, has ended too.
func (o *Outbox) Wait() {
	o.committer.work.Wait()
	o.rescuer.work.Wait()
}
