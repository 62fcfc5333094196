package brief

import (
	"strings"

	"agentdungeon/shared/world"
)

// Sentences that every kind of prompt shares.
const (
	// Concrete is what every good answer is.
	Concrete = "It is concrete (names, numbers, files, examples), says what you know and what you only assume"
	// Plain keeps talk about the work out of the answer.
	Plain = "Write the answer itself, without a word about how you will go about it."
)

// Opening is the beginning of every prompt: who the agent is, where it takes part (a
// sentence) and what material of others is: rules says what it does not change.
func Opening(role world.Role, where, rules string) string {
	name := role.Name
	if name == "" {
		name = role.ID
	}
	out := "# You are the " + Name(name) + "\n\n"
	if persona, _ := Cut(strings.TrimSpace(role.Persona), maxPersona); persona != "" {
		out += persona + "\n\n"
	}
	return out + where + " " + rules + "\n\n"
}

// Restored tells an agent that has forgotten everything over a start of the server
// where all stands that counts ("in this text"), and whether something had begun
// (S3-20).
func Restored(where string, begun bool) string {
	out := "The session was restored after the server had stopped. You remember nothing of it: all that counts is " + where + "."
	if begun {
		out += " Go on from there and do not begin again."
	}
	return out
}

// Retry says what became of the last try at a turn, by the status of its run or the
// code of its error; "" for none. What is asked for again is called noun.
func Retry(what, noun string) string {
	switch what {
	case "", world.RunDone, world.RunRunning:
		return ""
	case world.RunInterrupted:
		return "This " + noun + " of yours was cut off before it ended. Take it again, whole."
	case world.RunCancelled:
		return "Your last try at this " + noun + " was stopped before it ended. Take it again, whole."
	case world.RunTimeout:
		return "Your last try at this " + noun + " took too long and was stopped. Answer shorter and sooner."
	case world.ChatLimit:
		return "Your last try at this " + noun + " was too long to be kept. Answer much shorter."
	case world.ChatEmpty:
		return "Your last try at this " + noun + " held no text. Answer in words."
	}
	return "Your last try at this " + noun + " failed. Take it again, whole."
}

// Section is a heading and what stands below it, "" for nothing.
func Section(title, text string) string {
	if text == "" {
		return ""
	}
	return "## " + title + "\n\n" + text + "\n\n"
}

// Material is a text of others under a heading, with at most limit bytes, after a
// sentence that says what it is ("" for none).
func Material(title, intro, text string, limit int) string {
	if intro != "" {
		intro += "\n\n"
	}
	text, short := Quote(text, limit)
	if short {
		text += "\n\n(The text is cut here.)"
	}
	return Section(title, intro+text)
}
