// Package mirror keeps the board of findings where other programs can read it: on Redis
// where REDIS_URL names one, else as findings.json in the realm's folder (document 003,
// S3-15).
//
// There is one truth, the realm's journal. What stands here is a fold of what is
// committed: it is written after the commit, it says at which event it stands, and what
// others write into it is not read back but written over. Findings are on Redis or, as
// long as that is away, in findings.json, never in both: the file goes once Redis has
// caught up.
//
// It owns the keys agentdungeon:<tenant>:<realm>:findings, :board and :changes, the set
// agentdungeon:boards:<server>, and findings.json. It never holds up an actor or a commit:
// it reads a cursor on the realm's ring, and one that is lapped takes the whole state anew.
// It never tells the password of REDIS_URL.
//
// The keeper calls Follow and Removed, the app New and Close.
package mirror
