// Package quests has the rules of the quest log: which quests exist, and which state a person may
// move a quest to. It only decides: it returns events, which the realm's actor applies. It reads
// no clock, disk or log and starts no goroutine.
//
// server/realm calls it for people's commands and for quests that drivers offer.
package quests
