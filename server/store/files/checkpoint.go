package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	fastjson "github.com/goccy/go-json"
	"github.com/spf13/afero"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/lock"
	"agentdungeon/shared/world"
)

// Names of a realm's checkpoints, and the folder of its vaults.
const (
	StateFile    = "state.json"
	PreviousFile = "state.prev.json"

	KnowledgeName = "knowledge"
)

// maxStateBytes limits a checkpoint's file, in bytes. A world has at most about 10 MB, so a larger
// file is no checkpoint.
const maxStateBytes = 256 << 20

// Realm reads and writes the JSON files of one realm's folder. It implements realm.Files. Each folder
// has only one Realm, which serializes the writes. Its methods are safe for concurrent use and wait for
// the disk.
type Realm struct {
	Folder          disk.Folder
	KnowledgeFolder disk.Folder

	mu       sync.Mutex                   // held while a file is written: writes never interleave (B10)
	messages atomic.Pointer[func() int64] // counts the rows of the transcripts; nil before the journal is open

	// whole is set if state.json is known to be a valid checkpoint, so that it may become the previous one.
	whole     bool
	lastEpoch string
	lastSeq   int64
	// seen has the agents whose vault file this process has read or written, and may therefore replace: as
	// many as the realm has vaults.
	seen map[string]bool

	// held is the folder of an open realm, nil if unknown. If it was moved away, nothing is written,
	// because the folder in its place belongs to somebody else.
	held *lock.Folder

	skillMu sync.Mutex // held while skills are read or written; checkpoints do not wait for it

	board *sync.Mutex // held while findings.json changes; taken after mu. See boardOf
}

// boards has the mutexes of boardOf by folder: one for each folder that this process has used.
var boards sync.Map

// boardOf returns the mutex that all Realms of a folder hold while findings.json changes: the mirror
// has another Realm than the actor, whose erasures remove the file.
func boardOf(dir string) *sync.Mutex {
	mu, _ := boards.LoadOrStore(dir, new(sync.Mutex))
	return mu.(*sync.Mutex)
}

// OpenRealm returns the files of the realm folder dir, which need not exist yet.
func OpenRealm(fsys afero.Fs, dir string) *Realm {
	root := disk.At(fsys, dir)
	return &Realm{Folder: root, KnowledgeFolder: disk.At(fsys, root.Path(KnowledgeName)), seen: map[string]bool{},
		board: boardOf(dir)}
}

// CountMessages sets the function that counts the rows of the transcripts, for later checkpoints.
func (f *Realm) CountMessages(count func() int64) { f.messages.Store(&count) }

// Hold sets the folder that this process holds: if it is moved away, nothing is written any more.
func (f *Realm) Hold(held *lock.Folder) { f.held = held }

// Dir returns the realm's folder.
func (f *Realm) Dir() string { return f.Folder.Dir }

// SetAside renames those of the files that exist and returns their new names, which have the same time.
// It never replaces another file.
func (f *Realm) SetAside(names ...string) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.whole = false // check what is there now before it becomes the previous one
	return f.Folder.SetAside(time.Now(), names...)
}

// LoadedCheckpoint is a checkpoint that was read and is valid.
type LoadedCheckpoint struct {
	Epoch   string
	Seq     int64
	SavedAt world.Time
	World   *world.World // filled (S3-18) and valid
	Land    *world.Land  // filled
	Older   bool         // it was written before worlds had instances
	// Messages is the number of rows of the transcripts at Seq or a moment later, 0 if it was not
	// counted. After damage it shows how many are lost.
	Messages int64
}

type checkpointFile struct {
	Schema   int             `json:"schema"`
	Epoch    string          `json:"epoch"`
	Seq      int64           `json:"seq"`
	SavedAt  world.Time      `json:"savedAt"`
	Messages int64           `json:"messages,omitempty"`
	Checksum string          `json:"checksum"`
	World    json.RawMessage `json:"world"`
}

// WriteCheckpoint replaces state.json and keeps the old one as state.prev.json. After it has returned
// nil, a crash at any moment leaves this checkpoint or a newer one: as state.json or, between two
// renames, as state.prev.json without a state.json. A state.json that is no checkpoint is set aside,
// never overwritten. WriteCheckpoint refuses a checkpoint that is older than the last one of the same
// epoch.
func (f *Realm) WriteCheckpoint(c world.Checkpoint) error {
	messages := int64(0)
	if count := f.messages.Load(); count != nil {
		messages = (*count)()
	}
	data, err := EncodeCheckpoint(c, messages)
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.held.InPlace(); err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	if c.Epoch == f.lastEpoch && c.Seq < f.lastSeq {
		return fmt.Errorf("write checkpoint: seq %d is older than the saved %d", c.Seq, f.lastSeq)
	}
	if err := f.writeState(data); err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	f.lastEpoch, f.lastSeq = c.Epoch, c.Seq
	return nil
}

func (f *Realm) writeState(data []byte) error {
	if err := f.checkState(); err != nil {
		return err
	}
	tmp, err := f.Folder.WriteTemp(StateFile, data)
	if err != nil {
		return err
	}
	if f.whole {
		f.whole = false // whatever happens now, the file is checked again
		if err := f.makePrevious(); err != nil {
			return f.Folder.DropTemp(tmp, err)
		}
	}
	if err := f.Folder.Rename(tmp, StateFile); err != nil {
		return f.Folder.DropTemp(tmp, err)
	}
	if err := f.Folder.Sync(); err != nil {
		return err
	}
	f.whole = true
	return nil
}

// makePrevious renames state.json to state.prev.json. A folder of that name would block it for ever, and
// is set aside like a file that cannot be read.
func (f *Realm) makePrevious() error {
	err := f.Folder.Rename(StateFile, PreviousFile)
	if err == nil {
		return nil
	}
	if !f.isFolder(PreviousFile) {
		return err
	}
	if _, aerr := f.Folder.SetAside(time.Now(), PreviousFile); aerr != nil {
		return errors.Join(err, aerr)
	}
	return f.Folder.Rename(StateFile, PreviousFile)
}

// checkState sets state.json aside if it is no valid checkpoint: a damaged file must not replace the last
// good one as the previous one.
func (f *Realm) checkState() error {
	if f.whole {
		return nil
	}
	if f.lastEpoch == "" {
		if err := f.Folder.Create(); err != nil {
			return err
		}
	}
	switch _, err := f.load(StateFile); {
	case err == nil:
		f.whole = true
		return nil
	case errors.Is(err, disk.ErrMissing):
		return nil
	case errors.Is(err, disk.ErrCorrupt), errors.Is(err, disk.ErrNewer):
		_, err := f.Folder.SetAside(time.Now(), StateFile)
		return err
	default:
		return err
	}
}

// LoadCheckpoint reads StateFile or PreviousFile. It returns ErrMissing, ErrCorrupt (S3-17) or ErrNewer,
// wrapped, or an error of the disk. A missing state.json does not mean that state.prev.json is
// missing too.
func (f *Realm) LoadCheckpoint(name string) (*LoadedCheckpoint, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, err := f.load(name)
	if err == nil && name == StateFile {
		f.whole = true
	}
	if err == nil {
		f.Folder.Settle()
	}
	return c, err
}

func (f *Realm) load(name string) (*LoadedCheckpoint, error) {
	data, err := f.Folder.Read(name, maxStateBytes)
	if err != nil {
		return nil, err
	}
	c, err := DecodeCheckpoint(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// EncodeCheckpoint returns the content of state.json for a checkpoint and a number of rows of the
// transcripts.
func EncodeCheckpoint(c world.Checkpoint, messages int64) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(2 * len(c.World))
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // keeps the world's bytes, which the checksum covers
	if err := encoder.Encode(checkpointFile{
		Schema: world.Schema, Epoch: c.Epoch, Seq: c.Seq, SavedAt: c.SavedAt, Messages: messages,
		Checksum: checksum(squeeze(bytes.Clone(c.World))), World: c.World,
	}); err != nil {
		return nil, fmt.Errorf("the world is not JSON: %w", err)
	}
	if out.Len() > maxStateBytes {
		return nil, fmt.Errorf("%d bytes are over %d", out.Len(), maxStateBytes)
	}
	return out.Bytes(), nil
}

// checksum returns the checksum of a world's compact form. So the file stays valid if an editor indents
// it.
func checksum(compact []byte) string {
	sum := sha256.Sum256(compact)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// DecodeCheckpoint decodes and verifies a checkpoint: the checksum covers the world, the decoder limits the
// depth, and the world's tick must equal the seq. It decodes the world only after verifying its checksum,
// with a faster decoder than the standard library's: 10 MB take 11 ms instead of 64 ms, which were most of
// a restart.
func DecodeCheckpoint(data []byte) (*LoadedCheckpoint, error) {
	corrupt := func(format string, args ...any) (*LoadedCheckpoint, error) {
		return nil, fmt.Errorf("%w: "+format, append([]any{disk.ErrCorrupt}, args...)...)
	}
	file, err := readCheckpointFile(data)
	if err != nil {
		return nil, err
	}
	if len(file.World) == 0 || file.World[0] != '{' {
		return corrupt("it holds no world")
	}
	compact := squeeze(file.World)
	if sum := checksum(compact); sum != file.Checksum {
		return corrupt("its checksum is %q, that of its world %q", file.Checksum, sum)
	}
	if !utf8.Valid(compact) {
		return corrupt("its world is not UTF-8")
	}
	w, land, err := world.DecodeState(compact, fastjson.Unmarshal)
	if err != nil {
		return corrupt("%w", err)
	}
	older := w.Instances == nil
	w.Fill()
	land.Fill()
	if err := w.Validate(); err != nil {
		return corrupt("%w", err)
	}
	if w.Tick != file.Seq {
		return corrupt("its seq is %d, its world's tick %d", file.Seq, w.Tick)
	}
	return &LoadedCheckpoint{
		Epoch: file.Epoch, Seq: file.Seq, SavedAt: file.SavedAt, Messages: file.Messages,
		World: w, Land: land, Older: older,
	}, nil
}

// readCheckpointFile decodes the file around a world, whose bytes no checksum covers. If the faster decoder
// fails in any way, the standard library's decodes the file again, at first the version alone, because a
// newer file may differ in everything else.
func readCheckpointFile(data []byte) (file checkpointFile, err error) {
	if readFast(data, &file) {
		return file, file.checkSchema()
	}
	var version struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return file, fmt.Errorf("%w: %w", disk.ErrCorrupt, err)
	}
	file = checkpointFile{Schema: version.Schema}
	if err := file.checkSchema(); err != nil {
		return file, err
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return file, fmt.Errorf("%w: %w", disk.ErrCorrupt, err)
	}
	return file, nil
}

func readFast(data []byte, file *checkpointFile) (read bool) {
	defer func() {
		if recover() != nil {
			read = false
		}
	}()
	return fastjson.Unmarshal(data, file) == nil
}

func (f *checkpointFile) checkSchema() error {
	switch {
	case f.Schema > world.Schema:
		return fmt.Errorf("%w: schema %d, this one reads up to %d", disk.ErrNewer, f.Schema, world.Schema)
	case f.Schema < 1:
		return fmt.Errorf("%w: it has no schema", disk.ErrCorrupt)
	}
	return nil
}
