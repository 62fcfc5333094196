package kind

import "agentdungeon/shared/world"

// A run can request two things besides words for clients: a driver's answer that nobody sees, and the writing of a
// skill.

// Asker is a kind whose runs request answers that nobody sees (Effects.Asks) and the writing of skills
// (Effects.Writes). The same run receives the result and may make another request. The engine carries out a
// request once the events before it are durable.
type Asker interface {
	// MaxAnswer returns the limit of an answer in bytes; a longer answer has failed.
	MaxAnswer() int
	// Heard returns the events that follow from the hidden answer a.
	Heard(r *Realm, t *Talk, a Answer) Step
	// Written returns the events that follow from a skill that was written or could not be written. The engine puts the
	// event that adds the skill before them.
	Written(r *Realm, t *Talk, w Written) Step
}

// Answer is a driver's answer to the turn of Effects.Asks. Its words become no row, and everything else
// that the driver produces is ignored.
type Answer struct {
	Run  world.Run
	N    int    // the number of that turn (driver.Turn.N)
	Text string // the answer; "" if it has failed
	// Code is the code of chat.error if the answer failed, such as world.ChatLimit for one that is too long. Why is the
	// reason, worded for people as the middle of a sentence.
	Code, Why string
}

// Writing is a request of a run to write a skill into the realm's folder.
type Writing struct {
	Run   world.Run
	Files world.SkillFiles
}

// Written is the outcome of a Writing. Err is nil, wraps world.ErrSkillTaken, or is the disk's error.
type Written struct {
	Run world.Run
	Err error
}

// Mender is a kind that stores data about a conversation in addition to its rows.
type Mender interface {
	// Mend checks a conversation that was loaded from the disk: in an opening after the interrupted runs
	// have ended, or when it is read later.
	Mend(r *Realm, t *Talk) Step
	// Rests returns the events that set the state in which an interrupted run leaves its conversation. The engine puts
	// them before the end of the run.
	Rests(r *Realm, t *Talk) []world.Body
}
