// Package mirror copies findings for other programs: to Redis if REDIS_URL names one, otherwise
// to findings.json in the realm's folder (document 003, S3-15).
//
// The realm's journal is the only truth. A copy is a fold of committed events: it is written
// after the commit, names the event at which it stands, and overwrites what other programs write
// into it. Findings are on Redis or, while that is away, in findings.json; the file is removed
// once Redis has caught up.
//
// The package owns the keys agentdungeon:<tenant>:<realm>:findings, :board and :changes, the set
// agentdungeon:boards:<server>, and findings.json. It never blocks an actor or a commit: it
// reads through a cursor on the realm's ring, and takes the whole state again if the ring
// overtakes it. It never reveals the password of REDIS_URL.
//
// The keeper calls Follow and Removed, the app New and Close.
package mirror
