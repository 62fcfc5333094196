package commit

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"agentdungeon/server/realm/checkpoint"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A realm whose database was deleted or replaced while it was open is broken: nothing is
// committed into a file that nobody finds after the stop. What it holds is written elsewhere at
// once, out of the handles that are still open.

// Rescuer writes a realm elsewhere whose database was deleted or replaced while it was open.
type Rescuer interface {
	// InPlace gives world.ErrMoved (wrapped) where that has happened.
	InPlace() error
	// Rescue writes all of the realm that can be read to a new folder, which it names; an
	// error beside it says what that lacks.
	Rescue(m world.Memory) (dir string, err error)
}

// RescueTime bounds how long a stop waits for a rescue after it has given up on the disk: longer
// than a database of the largest realm takes to copy.
const RescueTime = 10 * time.Minute

// Rescued is a message that says how a rescue ended, for everybody.
type Rescued struct{ message string }

// InPlace gives why the realm's database is not where it was.
func (o *Outbox) InPlace() error {
	if o.broken != nil || o.conf.Rescuer == nil {
		return nil
	}
	return o.conf.Rescuer.InPlace()
}

const lost = "This realm's database was deleted or replaced while the server was running. It can only be read. "

// CanRescue says that Rescue will write the realm elsewhere: somebody can, and it is the first
// time. Else everybody is told to look into the log.
func (o *Outbox) CanRescue() bool {
	if o.conf.Rescuer == nil || o.rescuer.begun {
		o.Told(Rescued{lost + "Stop the server and look into its log."})
		return false
	}
	return true
}

// Rescue begins to write the realm elsewhere: its memory, and the newest picture whose events
// are all committed, nil for none.
func (o *Outbox) Rescue(m world.Memory, picture *checkpoint.Picture) {
	o.Told(Rescued{lost + "What was shown is being written to another folder."})
	o.rescuer.begin(m, picture)
}

// Told says to everybody how it stands with a broken realm.
func (o *Outbox) Told(r Rescued) {
	if o.status.State == wire.SaveBroken {
		o.status.Message = r.message
		o.aside(&o.status.SaveStatus)
	}
}

// Ended adds to why the realm has ended where it was written to. Wait has returned.
func (o *Outbox) Ended(why error) error {
	switch r := o.rescuer; {
	case !r.begun:
		return why
	case r.dir == "":
		return errors.Join(why, r.err)
	default:
		return fmt.Errorf("%w; it was written to %s", why, r.dir)
	}
}

// rescuer writes a realm elsewhere, once.
type rescuer struct {
	port  Rescuer
	inbox chan<- any
	log   zerolog.Logger
	life  <-chan struct{}
	begun bool
	work  sync.WaitGroup
	dir   string // "" where it failed; written by the goroutine, read after it
	err   error  // what dir lacks, or why there is none
}

func (r *rescuer) begin(m world.Memory, picture *checkpoint.Picture) {
	r.begun = true
	r.work.Go(func() {
		message := r.write(m, picture)
		select {
		case r.inbox <- Rescued{message}:
		case <-r.life: // the realm ends: the log has it
		}
	})
}

// write gives what people are told of it.
func (r *rescuer) write(m world.Memory, picture *checkpoint.Picture) (message string) {
	var lacks error
	if picture != nil {
		m.Checkpoint, lacks = picture.Checkpoint()
	}
	r.dir, r.err = r.port.Rescue(m)
	r.err = errors.Join(lacks, r.err)
	if r.dir == "" {
		r.log.Error().Err(r.err).Msg("the realm could not be rescued")
		return lost + "What was shown could not be written elsewhere either. " +
			"Do not stop the server before you have saved what you need from this page."
	}
	r.log.Error().Err(r.err).Str("rescued", r.dir).
		Msg("the realm was written to another folder; stop the server and move that folder to the realm's place")
	return lost + "What was shown was written to the folder " + filepath.Base(r.dir) +
		"; the server's log says where that is. Stop the server and move it back."
}
