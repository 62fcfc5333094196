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

// Rescuer writes a realm to another folder after its database was deleted or replaced while the realm was
// open. Such a realm is broken: nobody would find events that are committed to a deleted file.
type Rescuer interface {
	// InPlace returns an error that wraps world.ErrMoved if the database was deleted or replaced.
	InPlace() error
	// Rescue writes all of the realm that can still be read to a new folder and returns the folder's path. An
	// error with a path says what the folder lacks.
	Rescue(m world.Memory) (dir string, err error)
}

// RescueTime limits how long a stop waits for a rescue. It is enough to copy the database of the largest
// realm.
const RescueTime = 10 * time.Minute

// Rescued is the message that a rescue has ended. Its text is for everybody.
type Rescued struct{ message string }

// InPlace returns an error if the realm's database is not where it was.
func (o *Outbox) InPlace() error {
	if o.broken != nil || o.conf.Rescuer == nil {
		return nil
	}
	return o.conf.Rescuer.InPlace()
}

const lost = "This realm's database was deleted or replaced while the server was running. It can only be read. "

// CanRescue reports whether Rescue may be called: there is a rescuer, and Rescue was not called before. If
// CanRescue returns false, everybody is told to look into the log.
func (o *Outbox) CanRescue() bool {
	if o.conf.Rescuer == nil || o.rescuer.begun {
		o.OnRescued(Rescued{lost + "Stop the server and look into its log."})
		return false
	}
	return true
}

// Rescue starts to write the realm elsewhere, from m and picture. picture is the newest one whose events are
// all committed, nil for none.
func (o *Outbox) Rescue(m world.Memory, picture *checkpoint.Picture) {
	o.OnRescued(Rescued{lost + "What was shown is being written to another folder."})
	o.rescuer.begin(m, picture)
}

// OnRescued sends the text of a rescue to everybody, as the message of save:status.
func (o *Outbox) OnRescued(r Rescued) {
	if o.status.State == wire.SaveBroken {
		o.status.Message = r.message
		o.aside(&o.status.SaveStatus)
	}
}

// Ended adds the folder of a rescue to the reason why the realm has ended. Wait must have returned.
func (o *Outbox) Ended(why error) error {
	switch r := o.rescuer; {
	case !r.begun:
		return why
	case r.dir == "":
		return errors.Join(why, r.err)
	default:
		return fmt.Errorf("%w; the realm was written to %s", why, r.dir)
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
	// The folder of the rescue, "" if the rescue failed; read dir and err only after the goroutine has ended.
	dir string
	err error // what dir lacks, or why there is no dir
}

func (r *rescuer) begin(m world.Memory, picture *checkpoint.Picture) {
	r.begun = true
	r.work.Go(func() {
		message := r.write(m, picture)
		select {
		case r.inbox <- Rescued{message}:
		case <-r.life:
		}
	})
}

// write does the rescue and returns the text about it for everybody.
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
