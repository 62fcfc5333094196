package inspect

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Severities of findings. They tell what happens if nobody acts:
//
//   - Critical: a secret that readers can use, or a way in that is open to everyone.
//   - High: wrong results, lost data or a hang in ordinary use, or a build that breaks.
//   - Medium: harm in a case that happens now and then, or extra work in every change.
//   - Low: a reader or a newcomer loses time.
//   - Info: worth knowing; nothing has to be changed.
const (
	Info     = "info"
	Low      = "low"
	Medium   = "medium"
	High     = "high"
	Critical = "critical"
)

// Finding is one thing that a check found. All its texts are shown to people: short, plain sentences, without markup
// except for quotations in Evidence.
type Finding struct {
	Check    string // the check's id, set by Run
	Hero     string // the check's hero, set by Run
	CWE      []int  // the check's weaknesses, set by Run
	Severity string
	Title    string // what is wrong, at most 100 bytes: "The error of os.Remove is dropped"
	Path     string // as in Repo.Files, "" for the whole repository
	Line     int    // from 1, 0 for the whole file
	Evidence string // the quoted line or lines, or the measured figures; at most 600 bytes
	Why      string // the harm, in one or two sentences
	Advice   string // what to do, one or two sentences
	// Same distinguishes findings of one check in one file. It must not depend on the line. If it is "", Evidence
	// distinguishes the findings. Two findings with the same ID are one finding.
	Same string
	// Known is the ID of the finding if the finding was stored before; it is kept because Same is not stored.
	Known string
	// Cause identifies the change that mends the finding. It is the zero Cause if the check does not know the change.
	Cause Cause
	// Size is the extent of the problem, in lines or in a measure of the check. Of equally bad findings with one
	// cause, the largest is kept.
	Size int
	// Confidence is one of the constants below; "" means Sure.
	Confidence string
	// Doubt is the reason why a Doubtful finding is one: "it is in a test". It is "" if all findings of the check
	// are Doubtful.
	Doubt string
	// Reach and Fresh are set by Run. Reach says who runs the code at Path; Fresh is the time of the code's last
	// change.
	Reach Reach
	Fresh time.Time
	// Steps is the path of a value from its source to the place of the finding. If it is longer than MaxSteps, Run
	// keeps its beginning and its end.
	Steps []Step
	// Mend is the change that mends the finding, if the check knows it. Run sets Patch to that change as a unified
	// diff, "" for none.
	Mend  Mend
	Patch string
	// Marks has the marks (see Mark) of further findings in the same file that Run has merged into this one.
	Marks []string
}

// Limits of the steps of a finding: their number, and the length of a quotation and of a note in bytes.
const (
	MaxSteps    = 12
	maxStepText = 160
)

// shorten cuts a path to MaxSteps steps and the texts of the steps to maxStepText bytes. It omits steps in the
// middle and says so in the note of the step before them.
func shorten(steps []Step) []Step {
	out := slices.Clone(steps)
	if over := len(out) - MaxSteps; over > 0 {
		at := MaxSteps / 2
		left := &out[at-1]
		left.Note = strings.TrimPrefix(fmt.Sprintf("%s; %d steps after this one are left out", left.Note, over), "; ")
		out = slices.Delete(out, at, at+over)
	}
	for i := range out {
		out[i].Quote, out[i].Note = Clip(out[i].Quote, maxStepText), Clip(out[i].Note, maxStepText)
	}
	return out
}

// Confidence of findings: whether a reader will agree that the finding is true.
const (
	Sure     = "high"
	Likely   = "medium"
	Doubtful = "low" // a candidate: reports list it only after it was proved
)

// Step is one place on the path of a value.
type Step struct {
	Path  string
	Line  int
	Quote string // the line
	Note  string // what happens there, "" if the line shows it
}

// Cause identifies the change that mends one or more findings, whichever checks found them. A habit of a project,
// such as dropping the error of one function, is one cause in the whole repository. The cause of a finding does not
// depend on other findings.
type Cause struct {
	Key  string // the same for all findings of the cause, "" if the cause is not known
	Text string // a noun phrase for people: "the copy of a in b"
}

// Suspect makes the finding a candidate (Doubtful) for the reason doubt, unless doubt is "".
func (f *Finding) Suspect(doubt string) {
	if doubt != "" {
		f.Confidence, f.Doubt = Doubtful, doubt
	}
}

// ID returns the same id for the finding in every review of the repository, even if the finding moves to another line.
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

// Mark returns the part of the finding's ID by which an excuse names the finding. It is the same after lines have
// moved.
func (f *Finding) Mark() string {
	id := strings.TrimPrefix(f.ID(), "s-")
	return id[:min(len(id), 8)]
}
