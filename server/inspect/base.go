package inspect

// Base is the commit with which a review of a change compares a repository.
type Base struct {
	Rev    string // the commit as a person named it
	Commit string // its hash, in hex
	// Changed has the sorted paths of the repository's files that differ from the base or are new. Gone has the paths
	// of the base's files that no longer exist under any name.
	Changed, Gone []string
	// Was maps each changed file that the base has to its path in the base, which differs for a renamed file.
	Was map[string]string
	// Read returns the text of a file of the base, by its path there. ok is false if the base does not have the file, or
	// if it has more than MaxText bytes.
	Read func(path string) (text []byte, ok bool)
	// Tree returns the repository as it was in the base. Each call returns a new Repo, which has no Base.
	Tree func() *Repo
}

// States of a finding in a review of a change, in SARIF's words.
const (
	StateNew       = "new"       // the base does not have it
	StateUpdated   = "updated"   // the base has it in the same function, and its text has changed
	StateUnchanged = "unchanged" // the base has it
)

// Mark is a label of a finding in a review of a change: its state, and its place in the change, such as "in the
// changed function f".
type Mark struct{ State, Place string }
