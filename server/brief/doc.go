// Package brief builds the prompts of agents.
//
// It owns the form of a prompt (Sheet): its sections (sheet.go, lists.go, skills.go), the quotation
// of texts of others and of a repository (text.go), the sentences that all prompts share
// (words.go), and the order in which parts are dropped if not everything fits (MaxPrompt). It also
// owns the prompts of councils, chats and parties (Prompt in brief.go). server/process builds the
// prompts of its stages with a Sheet, server/forge its requests. The package never decides who
// speaks.
//
// Its functions are pure: they use no clock, disk or random source and do not modify arguments. The
// same Turn always gives the same prompt. The kinds of conversations call it when a turn begins.
//
// In a prompt, each line that begins with "> " is a text of others. Every other line contains at
// most a name (of at most MaxName bytes) or an id from others.
package brief
