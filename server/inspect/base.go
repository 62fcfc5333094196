package inspect

// Base is the commit with which a review of a change compares a repository.
type Base struct {
	Rev    string // the commit as a person named it
	Commit string // its hash, in hex
	// Changed has the sorted paths of the files of the repository that differ from those of the base or are not in it,
	// Gone those of the files of the base that are not in the repository any more, under any name.
	Changed, Gone []string
	// Was has the path in the base of each changed file that was there, which is another one for a renamed file.
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

// Mark is what a review of a change says of a finding: its state, and where it stands, such as "in the changed function
// f".
type Mark struct{ State, Place string }
