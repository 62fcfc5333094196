package kind

import "agentdungeon/shared/world"

// While a run is under way, it can request two things that clients do not see: an answer of a driver, and the
// writing of a skill.

// Asker is a kind whose runs request answers that nobody sees (Effects.Asks) and the writing of skills
// (Effects.Writes). The same run receives the result and may make another request. The engine carries out a request
// when the events before it are durable.
type Asker interface {
	// MaxAnswer returns the limit of an answer in bytes. The engine treats a longer answer as failed.
	MaxAnswer() int
	// Heard returns the events that follow from the hidden answer a.
	Heard(r *Realm, t *Talk, a Answer) Step
	// Written returns the events that follow from a skill that was written or could not be written. The engine puts the
	// event that adds the skill before them.
	Written(r *Realm, t *Talk, w Written) Step
}

// Answer is a driver's answer to a request of Effects.Asks. Its text is not added to the transcript, and the engine
// ignores everything else that the driver produces.
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

// Mender is a kind that stores data about a conversation in addition to its rows, and can repair these data.
type Mender interface {
	// Mend returns the events that repair the data of the conversation t, which was loaded from the disk. The
	// engine calls it when it opens the realm, after it has ended the interrupted runs, or when it loads t later.
	Mend(r *Realm, t *Talk) Step
	// Rests returns the events that set the state of the conversation t after a run of it was interrupted. The
	// engine puts them before the end of the run.
	Rests(r *Realm, t *Talk) []world.Body
}
