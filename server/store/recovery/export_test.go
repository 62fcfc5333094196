package recovery

import "context"

// What the tests of this package see of its inside.

var KnowledgeType = &knowledgeType

var NewOpening = newOpening

const PartSuffix = partSuffix

type Opening = opening

const SectorBytes = sectorBytes

var WriteReadable = writeReadable

func (x *opening) Open(a0 context.Context) (*Opened, error) { return x.open(a0) }

func (x *opening) OpenReading(a0 context.Context, a1 error, a2 func(epoch string) (*Opened, error)) (*Opened, error) {
	return x.openReading(a0, a1, a2)
}

var Examine = examine

func (x *Remains) IndexRef() *error { return &x.index }

func (x *Remains) VersionRef() *int { return &x.version }
