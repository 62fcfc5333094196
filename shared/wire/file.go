package wire

import "agentdungeon/shared/world"

// RevHead names the committed version of a file in GET /api/realms/{id}/file; "" names the file on disk.
const RevHead = "HEAD"

// FilesForHosts is the answer to a spectator who opens a file where the realm does not allow it (P19.2).
var FilesForHosts = Errorf(NotAllowed, "files of this realm are for hosts; a host can allow them in the settings")

// Results of the comparison of a file on disk with HEAD.
const (
	HeadSame    = "same"
	HeadDiffers = "differs"
	HeadAbsent  = "absent"  // HEAD has no such file
	HeadUnknown = "unknown" // HEAD's version cannot be shown: it is too large or cannot be read
)

// FileText answers GET /api/realms/{id}/file: the text of a file of the linked folder, with secrets masked (P19.1).
type FileText struct {
	Path string `json:"path"`
	Rev  string `json:"rev"`
	// Commit is the commit that is HEAD, in hex; absent without git and before the first commit.
	Commit   string `json:"commit,omitempty"`
	Head     string `json:"head,omitempty"`
	Size     int64  `json:"size"`
	Lines    int    `json:"lines"`
	Language string `json:"language,omitempty"`
	Test     bool   `json:"test,omitempty"`
	Vendored bool   `json:"vendored,omitempty"`
	// Text is absent if the file is no text. NotUTF8 is set if bytes that are not UTF-8 are replaced by U+FFFD in Text.
	Text    string `json:"text,omitempty"`
	Binary  bool   `json:"binary,omitempty"`
	NotUTF8 bool   `json:"notUtf8,omitempty"`
	// Masked has the numbers of the lines in which a secret is replaced, at most MaxMasked.
	Masked   []int         `json:"masked,omitempty"`
	Findings []FileFinding `json:"findings"`
}

// MaxMasked limits FileText.Masked.
const MaxMasked = 1_000

// FileFinding is a certain or suspected finding in a file; withdrawn findings are left out. The other fields of the
// finding are in the world.
type FileFinding struct {
	ID   string `json:"id"`
	Line int    `json:"line,omitempty"`
}

// FilePast answers GET /api/realms/{id}/past: which commits changed a file, and who wrote its lines (P19.4).
type FilePast struct {
	Path    string       `json:"path"`
	Commits []FileCommit `json:"commits"`
	// More is set if there are, or may be, older commits.
	More bool      `json:"more,omitempty"`
	Runs []FileRun `json:"runs"`
	// Open is the number of lines without an author, most of which are not committed.
	Open int `json:"open,omitempty"`
}

// FileCommit is a commit that changed a file.
type FileCommit struct {
	Commit  string     `json:"commit"`
	By      string     `json:"by"`
	At      world.Time `json:"at"`
	Subject string     `json:"subject"`
}

// FileRun is a sequence of lines that one author wrote in one commit. From and To count from 1.
type FileRun struct {
	From int        `json:"from"`
	To   int        `json:"to"`
	By   string     `json:"by"`
	At   world.Time `json:"at"`
}

// FilesFound answers GET /api/realms/{id}/files: the files and folders on the map that match the words of a search,
// the best match first (P19.8).
type FilesFound struct {
	Files []FoundFile `json:"files"`
	// More is set if further files or folders match the words.
	More bool `json:"more,omitempty"`
}

// FoundFile is a file or a folder that matches the words of a search.
type FoundFile struct {
	Path   string `json:"path"`
	Folder bool   `json:"folder,omitempty"`
}

// FindingAccept is the body of POST /api/realms/{id}/accept (P19.7). If Write is not set, the server only answers
// what it would write.
type FindingAccept struct {
	FindingID string `json:"findingId"`
	Reason    string `json:"reason"`
	Write     bool   `json:"write,omitempty"`
}

// FindingAccepted answers FindingAccept: the file in the linked folder, and the line in it that accepts the
// finding.
type FindingAccepted struct {
	Path    string `json:"path"`
	Line    string `json:"line"`
	Written bool   `json:"written"`
}

// FindingsAccepted answers GET /api/realms/{id}/accepted: the ids of the certain and suspected findings that the file
// of accepted findings in the linked folder accepts, as the file is now (P19.9).
type FindingsAccepted struct {
	Findings []string `json:"findings"`
}
