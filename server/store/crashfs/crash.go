package crashfs

import "math/rand/v2"

// Data selects which of the bytes that were not synced survive a power cut.
type Data int

// The values of Data, in the order of decreasing loss.
const (
	DataLost   Data = iota // none of the unsynced bytes survive
	DataZeroed             // the file has its size, with zeros where the unsynced bytes were
	DataTorn               // the unsynced bytes up to some byte survive
	DataKept               // all unsynced bytes survive
)

// Loss is one possible outcome of a power cut.
type Loss struct {
	Entries int // number of the unsynced folder changes that survive; these are the oldest
	Data    Data
	Seed    uint64 // chooses the byte at which DataTorn tears each file
}

// Losses returns all possible outcomes of a power cut at this moment: each number of surviving folder changes with
// each value of Data. The outcome in which everything survives is the same as after a kill of the process.
func (d *Disk) Losses() []Loss {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []Loss
	for n := 0; n <= len(d.pending); n++ {
		for data := DataLost; data <= DataKept; data++ {
			out = append(out, Loss{Entries: n, Data: data, Seed: uint64(d.ops)})
		}
	}
	return out
}

// Crash returns the disk as the next start finds it after a power cut. It does not change d, so a
// test can try several outcomes; files that are open on d stay open.
func (d *Disk) Crash(l Loss) *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := &copier{loss: l, rng: rand.New(rand.NewPCG(l.Seed, 1)), done: map[*node]*node{}}
	next := &Disk{root: c.copy(d.root)}
	for _, r := range d.pending[:min(l.Entries, len(d.pending))] {
		var settled record
		for _, e := range r {
			to := e.to
			if to != nil {
				to = c.copy(to)
			}
			settled = append(settled, entry{c.copy(e.dir), e.name, to})
		}
		settled.settle()
	}
	for _, n := range c.done {
		n.stable = n.data
		if n.stableKids != nil {
			n.kids = make(map[string]*node, len(n.stableKids))
			for name, kid := range n.stableKids {
				n.kids[name] = kid
			}
		}
	}
	return next
}

// Kill returns the disk as the next process finds it after the process that used d was killed. The new disk has
// all data; what was not synced is still not synced. Afterwards each operation on d fails.
func (d *Disk) Kill() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cut = true
	return &Disk{root: d.root, pending: d.pending}
}

// copier copies that part of each file and folder that survives the power cut. It copies each file and folder once.
type copier struct {
	loss Loss
	rng  *rand.Rand
	done map[*node]*node
}

func (c *copier) copy(n *node) *node {
	if copied, ok := c.done[n]; ok {
		return copied
	}
	out := &node{mode: n.mode, mtime: n.mtime}
	c.done[n] = out
	if n.stableKids == nil {
		out.data = c.survives(n)
		return out
	}
	out.stableKids = make(map[string]*node, len(n.stableKids))
	for name, kid := range n.stableKids {
		out.stableKids[name] = c.copy(kid)
	}
	return out
}

func (c *copier) survives(n *node) []byte {
	data := n.stable
	switch c.loss.Data {
	case DataKept:
		return n.data
	case DataZeroed:
		return resize(data[:min(len(data), len(n.data))], int64(len(n.data)))
	case DataTorn:
		if len(n.dirty) == 0 {
			return data
		}
		whole := c.rng.IntN(len(n.dirty))
		for _, w := range n.dirty[:whole] {
			data = w.on(data)
		}
		if torn := n.dirty[whole]; torn.data != nil {
			torn.data = torn.data[:c.rng.IntN(len(torn.data)+1)]
			if len(torn.data) > 0 {
				data = torn.on(data)
			}
		}
	}
	return data
}
