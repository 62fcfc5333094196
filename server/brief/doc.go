// Package brief is the one builder of what an agent is told: role, persona, task or
// goal, problem, artifacts, team, findings, quests, vault, what was said, and what a
// good answer is.
//
// It owns the form of a prompt (Sheet): its sections, how words of others and the
// content of a repository are set apart (Quote, Name), and what gives way where not
// everything fits. It also owns the whole text of a council's turn and of a chat
// (Prompt). What the stages of a process say is server/process's, which writes it into
// a Sheet. It never gives an agent sentences to say, and never decides who speaks.
//
// Everything is a pure function: no clock, disk or random source; nothing that is
// handed in is changed. The same Turn gives the same text for ever. The realm actor
// calls it when a turn begins.
//
// A reader of a prompt can rely on this: a line that begins with "> " is somebody
// else's, and no other line holds more of others than a name (at most MaxName bytes on
// one line) or an id.
package brief
