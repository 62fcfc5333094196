package crashfs

import "math/rand/v2"

// Data says what a power cut leaves of bytes that were not synced.
type Data int

// What may be left, from nothing to everything.
const (
	DataLost   Data = iota // none of them
	DataZeroed             // the file has its size, and zeros where the bytes should be
	DataTorn               // the first of them, up to some byte
	DataKept               // all of them
)

// Loss is one way in which a power cut may end.
type Loss struct {
	Entries int // how many of the unsynced changes of folders survive, the oldest first
	Data    Data
	Seed    uint64 // of where DataTorn tears each file
}

// Losses are all the ways in which a power cut may end now: every number of
// surviving folder changes with every fate of the bytes. Keeping everything is
// among them: that is a killed process.
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

// Crash gives the disk as the next start finds it. This one is not changed, so
// several ends of the same life can be looked at; its files stay open in it.
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

// Kill gives the disk as the next process finds it when only this one was killed:
// everything is there, and what was not synced still is not. This value is dead.
func (d *Disk) Kill() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cut = true
	return &Disk{root: d.root, pending: d.pending}
}

// copier copies what survives of each node, once.
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
