// Package quests holds the rules of the quest log: which quests there are and who may
// take one how far. It only decides: what it gives are events, which the realm's
// actor applies. It reads no clock, disk or log and starts no goroutine.
//
// server/realm calls it for what people ask for and for what drivers offer.
package quests
