package kind

import "agentdungeon/shared/world"

// What a run may wait for beside words that are shown: an answer that is heard and not shown, and
// a skill that is written.

// Asker is a kind whose runs ask for such things (Effects). What comes of one is taken in by the
// same run, which may ask for more. The engine asks once all that led to it is durable.
type Asker interface {
	// MaxAnswer is how many bytes an answer has at most; a longer one has failed.
	MaxAnswer() int
	// Heard are the events of an answer.
	Heard(r *Realm, t *Talk, a Answer) Step
	// Written are the events of a skill that was written, or was not. Those of the skill itself
	// are the engine's, and stand before them.
	Written(r *Realm, t *Talk, w Written) Step
}

// Answer is what a driver has said to the turn that Effects.Asks has asked for. The words are no
// row, and whatever else it makes is not taken.
type Answer struct {
	Run  world.Run
	N    int    // driver.Turn.N of that turn
	Text string // "" where it has failed
	// Code of chat.error says how it has failed: world.ChatLimit for an answer that is too long.
	// Why says it to people, as the middle of a sentence.
	Code, Why string
}

// Writing is a skill that a run has written into the realm's folder.
type Writing struct {
	Run   world.Run
	Files world.SkillFiles
}

// Written says what came of it: nil, world.ErrSkillTaken (wrapped), or what the disk said.
type Written struct {
	Run world.Run
	Err error
}

// Mender is a kind that keeps more of a conversation than its rows.
type Mender interface {
	// Mend looks at a conversation that has come from the disk: at an opening, after the ends of
	// the runs that were cut off, and where it is read later.
	Mend(r *Realm, t *Talk) Step
	// Rests are the events that say that what a run did is cut off. They stand before its end.
	Rests(r *Realm, t *Talk) []world.Body
}
