// Package quests has the rules of the quest log: which quests exist, and which state a person can
// move a quest to. Its functions return events and change nothing. They use no clock, disk, log or
// goroutine.
//
// server/realm calls it for people's commands and for quests and withdrawals from drivers.
package quests
