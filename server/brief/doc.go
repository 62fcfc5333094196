// Package brief builds all prompts: role, persona, task or goal, problem, artifacts, team,
// findings, quests, insights, transcript, and what a good answer is.
//
// It owns the form of a prompt (Sheet): its sections, how words of others and content of a
// repository are quoted (Quote, Name), and what is dropped where not everything fits. It also
// owns the whole text of a council's turn and of a chat (Prompt); server/process writes the text
// of its stages into a Sheet. It never puts words into an agent's mouth, and never decides who
// speaks.
//
// Everything is a pure function: no clock, disk or random source; arguments are not modified.
// The same Turn always gives the same text. The realm actor calls it when a turn begins.
//
// A reader of a prompt can rely on this: a line that begins with "> " is somebody else's, and no
// other line holds more of others than a name (at most MaxName bytes on one line) or an id.
package brief
