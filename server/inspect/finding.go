package inspect

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Severities of findings, by what happens if nobody does anything:
//
//   - Critical: a secret or a way in that is open to anyone who can read or reach it.
//   - High: wrong results, lost data or a hang in ordinary use, or a build that breaks.
//   - Medium: harm in a case that happens now and then, or work that every change pays.
//   - Low: a reader or a newcomer loses time.
//   - Info: worth knowing, nothing to mend.
const (
	Info     = "info"
	Low      = "low"
	Medium   = "medium"
	High     = "high"
	Critical = "critical"
)

// Finding is one thing that a check saw. All of it is told to people: short, plain
// sentences, no markup but what is quoted in Evidence.
type Finding struct {
	Check    string // the check's id: Run fills it in
	Hero     string // the check's hero: Run fills it in
	Severity string
	Title    string // what is wrong, at most 100 bytes: "The error of os.Remove is dropped"
	Path     string // as in Repo.Files, "" for the whole repository
	Line     int    // from 1, 0 for the whole file
	Evidence string // the line or lines as they stand, or the measured figures; at most 600 bytes
	Why      string // what harm it does, one or two sentences
	Advice   string // what to do, one or two sentences
	// Same tells apart findings of one check on one path, whatever lines they stand on
	// this time; "" is Evidence. Two findings with one ID are one.
	Same string
	// Known is the ID that it was posted under before; Same is not kept with it.
	Known string
}

// ID names the finding in every run over this repository: moving it to another line
// does not change it.
func (f *Finding) ID() string {
	if f.Known != "" {
		return f.Known
	}
	same := f.Same
	if same == "" {
		same = strings.Join(strings.Fields(f.Evidence), " ")
	}
	sum := sha256.Sum256([]byte(f.Check + "\x00" + f.Path + "\x00" + same))
	return "s-" + hex.EncodeToString(sum[:8])
}
