// Package mirror copies findings for other programs: to Redis if REDIS_URL names one, otherwise to findings.json in
// the realm's folder (document 003, S3-15). Such a copy is called the realm's board.
//
// A copy is computed from a realm's committed events: it is written after the commit and holds the seq of its last
// event. No realm reads it, and the next update overwrites what other programs have written into it. While Redis
// does not answer, the copy is in findings.json; the file is removed once Redis has all findings.
//
// The package owns the keys agentdungeon:<tenant>:<realm>:findings, :board and :changes, the set
// agentdungeon:boards:<server>, and findings.json. It never blocks an actor or a commit: it reads the newest events
// from a ring buffer of the realm, and reads the whole state again if the realm has overwritten events that it has
// not read. It never reveals the password of REDIS_URL.
//
// The keeper calls Follow and Removed, the app New and Close.
package mirror
