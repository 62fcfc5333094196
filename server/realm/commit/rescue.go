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

// Rescuer writes a realm to another folder if its database was deleted or replaced while the realm was open.
// Such a realm is broken, because events that are committed to a deleted file are lost when the server ends.
type Rescuer interface {
	// InPlace returns an error that wraps world.ErrMoved if the database was deleted or replaced.
	InPlace() error
	// Rescue writes the parts of the realm that can still be read to a new folder, and returns the folder's
	// path. If it returns a path and an error, the error says what the folder lacks.
	Rescue(m world.Memory) (dir string, err error)
}

// RescueTime limits how long a stop waits for a rescue. The database of the largest realm can be copied in
// this time.
const RescueTime = 10 * time.Minute

// Rescued is the message that tells the actor that a rescue has ended. message is a text for all viewers.
type Rescued struct{ message string }

// InPlace returns an error if the realm's database was deleted or replaced.
func (o *Outbox) InPlace() error {
	if o.broken != nil || o.conf.Rescuer == nil {
		return nil
	}
	return o.conf.Rescuer.InPlace()
}

const lost = "This realm's database was deleted or replaced while the server was running. It can only be read. "

// CanRescue reports whether Rescue may be called: there is a rescuer, and Rescue was not called before. If there is
// no rescuer, or if the rescue has begun, CanRescue returns false and tells all viewers to look into the server's
// log.
func (o *Outbox) CanRescue() bool {
	if o.conf.Rescuer == nil || o.rescuer.begun {
		o.OnRescued(Rescued{lost + "Stop the server and look into its log."})
		return false
	}
	return true
}

// Rescue starts to write the realm to another folder, from m and from picture. picture is the newest Picture whose
// events are all committed, or nil.
func (o *Outbox) Rescue(m world.Memory, picture *checkpoint.Picture) {
	o.OnRescued(Rescued{lost + "What was shown is now being written to another folder."})
	o.rescuer.begin(m, picture)
}

// OnRescued sends the text of a rescue to all viewers, as the message of save:status.
func (o *Outbox) OnRescued(r Rescued) {
	if o.status.State == wire.SaveBroken {
		o.status.Message = r.message
		o.aside(&o.status.SaveStatus)
	}
}

// Ended returns the error with which the realm ends. The parameter why is the error that has ended it; if the realm
// was rescued, Ended adds the folder of the rescue, or the reason why the rescue failed. The caller calls it after
// Wait.
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

// rescuer writes a realm to another folder, at most once.
type rescuer struct {
	port  Rescuer
	inbox chan<- any
	log   zerolog.Logger
	life  <-chan struct{}
	begun bool
	work  sync.WaitGroup
	// dir is the folder of the rescue, "" if the rescue failed. Read dir and err only after the goroutine has
	// ended.
	dir string
	err error // what the folder dir lacks, or why no folder was written
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

// write writes the realm to another folder and returns a text about the result for all viewers.
func (r *rescuer) write(m world.Memory, picture *checkpoint.Picture) (message string) {
	var lacks error
	if picture != nil {
		m.Checkpoint, lacks = picture.Checkpoint()
	}
	r.dir, r.err = r.port.Rescue(m)
	r.err = errors.Join(lacks, r.err)
	if r.dir == "" {
		r.log.Error().Err(r.err).Msg("the realm could not be written to another folder")
		return lost + "What was shown could not be written elsewhere either. " +
			"Do not stop the server before you have saved what you need from this page."
	}
	r.log.Error().Err(r.err).Str("rescued", r.dir).
		Msg("the realm was written to another folder; stop the server and move that folder to the realm's place")
	return lost + "What was shown was written to the folder " + filepath.Base(r.dir) +
		"; the server's log says where that is. Stop the server and move it back."
}
