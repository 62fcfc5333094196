package commit

import (
	"time"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Limits of a batch: group commit takes what has queued up to here. What was decided together
// is never split: it happens wholly or not at all.
const (
	maxBatch      = 512
	maxBatchBytes = 1 << 20
)

// Pump hands the committer what has queued, if it is idle.
func (o *Outbox) Pump() {
	if o.batch != nil || o.broken != nil || o.handed == len(o.entries) {
		return
	}
	batch := &world.Batch{}
	bytes, i, whole := 0, o.handed, false // whole: what is in it may be committed without what follows
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
	o.committer.in <- batch // never blocks: the committer is idle and holds one
}

// slow is when people are told that the disk is slow.
const slow = time.Second

// Due is when Slow is to be called, zero for not.
func (o *Outbox) Due() time.Time {
	if o.batch == nil || o.status.State != wire.SaveSaved {
		return time.Time{}
	}
	return o.since.Add(slow)
}

// Slow tells everybody that a commit takes long.
func (o *Outbox) Slow() {
	o.tell(wire.SaveSlow, "The disk is slow. What happens is shown once it is saved.")
}
