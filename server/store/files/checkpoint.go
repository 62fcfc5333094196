package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	fastjson "github.com/goccy/go-json"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/world"
)

// Names of a realm's checkpoints.
const (
	StateFile    = "state.json"
	PreviousFile = "state.prev.json"
)

// maxStateBytes limits a checkpoint's file, in bytes. A world has at most about 10 MB, so a larger
// file is no checkpoint.
const maxStateBytes = 256 << 20

// LoadedCheckpoint is a checkpoint that was read and is valid.
type LoadedCheckpoint struct {
	Epoch   string
	Seq     int64
	SavedAt world.Time
	World   *world.World // valid, with defaults in fields that an older version did not write (S3-18)
	Land    *world.Land  // with defaults in fields that an older version did not write
	Older   bool         // an older version wrote the checkpoint, without the numbers of drivers (world.Instance)
	// Messages is the number of rows of the transcripts at Seq or a moment later, 0 if it is unknown.
	// After damage, recovery derives from it how many rows are lost.
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
	return f.write("write checkpoint", func() error {
		if c.Epoch == f.lastEpoch && c.Seq < f.lastSeq {
			return fmt.Errorf("the checkpoint has seq %d, but the last saved one has seq %d", c.Seq, f.lastSeq)
		}
		if err := f.writeState(data); err != nil {
			return err
		}
		f.lastEpoch, f.lastSeq = c.Epoch, c.Seq
		return nil
	})
}

func (f *Realm) writeState(data []byte) error {
	if err := f.checkState(); err != nil {
		return err
	}
	tmp, err := f.Folder.WriteTemp(StateFile, data)
	if err != nil {
		return err
	}
	if f.stateValid {
		f.stateValid = false // after an error the next call checks the file again
		if err := f.makePrevious(); err != nil {
			return errors.Join(err, f.Folder.Remove(tmp))
		}
	}
	if err := f.Folder.Rename(tmp, StateFile); err != nil {
		return errors.Join(err, f.Folder.Remove(tmp))
	}
	if err := f.Folder.Sync(); err != nil {
		return err
	}
	f.stateValid = true
	return nil
}

// makePrevious renames state.json to state.prev.json. A folder named state.prev.json would block the rename for
// ever, so makePrevious sets such a folder aside.
func (f *Realm) makePrevious() error {
	err := f.Folder.Rename(StateFile, PreviousFile)
	if err == nil || !f.isFolder(PreviousFile) {
		return err
	}
	if _, aerr := f.Folder.SetAside(time.Now(), PreviousFile); aerr != nil {
		return errors.Join(err, aerr)
	}
	return f.Folder.Rename(StateFile, PreviousFile)
}

// checkState sets state.json aside if it is no valid checkpoint. Otherwise the next checkpoint would replace
// state.prev.json, the last good one, by a damaged file.
func (f *Realm) checkState() error {
	if f.stateValid {
		return nil
	}
	if f.lastEpoch == "" {
		if err := f.Folder.Create(); err != nil {
			return err
		}
	}
	_, err := f.load(StateFile)
	switch {
	case err == nil:
		f.stateValid = true
	case errors.Is(err, disk.ErrMissing):
		err = nil
	case errors.Is(err, disk.ErrCorrupt), errors.Is(err, disk.ErrNewer):
		_, err = f.Folder.SetAside(time.Now(), StateFile)
	}
	return err
}

// LoadCheckpoint reads StateFile or PreviousFile. It returns ErrMissing, ErrCorrupt (S3-17) or ErrNewer,
// wrapped, or an error of the disk. A crash may have left state.prev.json without a state.json.
func (f *Realm) LoadCheckpoint(name string) (*LoadedCheckpoint, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, err := f.load(name)
	if err != nil {
		return nil, err
	}
	if name == StateFile {
		f.stateValid = true
	}
	f.Folder.Settle()
	return c, nil
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

// EncodeCheckpoint returns the content of state.json for a checkpoint. messages is the number of rows in the
// transcripts.
func EncodeCheckpoint(c world.Checkpoint, messages int64) ([]byte, error) {
	_, sum, err := compactAndSum(c.World)
	if err != nil {
		return nil, fmt.Errorf("encode checkpoint: the world is not valid JSON: %w", err)
	}
	var out bytes.Buffer
	out.Grow(2 * len(c.World))
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // escaping would change the strings that the checksum covers
	if err := encoder.Encode(checkpointFile{
		Schema: world.Schema, Epoch: c.Epoch, Seq: c.Seq, SavedAt: c.SavedAt, Messages: messages, Checksum: sum,
		World: c.World,
	}); err != nil {
		return nil, err
	}
	if out.Len() > maxStateBytes {
		return nil, fmt.Errorf("the checkpoint has %d bytes, more than the limit of %d", out.Len(), maxStateBytes)
	}
	return out.Bytes(), nil
}

// checksumPrefix begins a checksum and names the hash.
const checksumPrefix = "sha256:"

// compactAndSum returns a world's JSON without white space and the checksum of that form. So a checkpoint stays valid
// if an editor indents it. It returns an error if raw is not valid JSON.
func compactAndSum(raw json.RawMessage) (compact []byte, sum string, err error) {
	var out bytes.Buffer
	out.Grow(len(raw))
	if err := fastjson.Compact(&out, raw); err != nil {
		return nil, "", err
	}
	hash := sha256.Sum256(out.Bytes())
	return out.Bytes(), checksumPrefix + hex.EncodeToString(hash[:]), nil
}

// sumOfCompact returns the checksum that compactAndSum returns, for valid JSON, without making the compact form: for a
// world of 10 MB, touching the memory of compactAndSum's two copies takes three times as long as computing the
// checksum.
func sumOfCompact(raw []byte) string {
	hash := sha256.New()
	part := make([]byte, 0, 64<<10)
	for rest := raw; len(rest) > 0; {
		n := 1
		switch rest[0] {
		case ' ', '\t', '\n', '\r':
			rest = rest[1:]
			continue
		case '"':
			n = textLen(rest)
		}
		if len(part)+n > cap(part) {
			hash.Write(part)
			part = part[:0]
		}
		if n > cap(part) {
			hash.Write(rest[:n])
		} else {
			part = append(part, rest[:n]...)
		}
		rest = rest[n:]
	}
	hash.Write(part)
	return checksumPrefix + hex.EncodeToString(hash.Sum(nil))
}

// textLen returns the length of the JSON string with which raw begins, including the quotes. A string without an end
// is all of raw.
func textLen(raw []byte) int {
	for n := 1; n < len(raw); n++ {
		end := bytes.IndexByte(raw[n:], '"')
		if end < 0 {
			break
		}
		n += end
		escapes := 0
		for raw[n-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return n + 1
		}
	}
	return len(raw)
}

// DecodeCheckpoint decodes and verifies a checkpoint: the checksum covers the world, the decoder limits the depth,
// and the world's tick must equal the seq. It verifies the world's checksum before it decodes the world. The
// decoder (goccy/go-json) takes 11 ms for 10 MB; that of the standard library takes 64 ms, which was most of the
// time of a restart.
func DecodeCheckpoint(data []byte) (*LoadedCheckpoint, error) {
	corrupt := func(format string, args ...any) (*LoadedCheckpoint, error) {
		return nil, fmt.Errorf("%w: "+format, append([]any{disk.ErrCorrupt}, args...)...)
	}
	file, err := splitCheckpoint(data)
	sum := sumOfCompact(file.World)
	if err != nil || sum != file.Checksum {
		file = checkpointFile{}
		err = json.Unmarshal(data, &file)
		sum = sumOfCompact(file.World)
	}
	switch {
	case file.Schema > world.Schema: // checked first: a newer version may have changed the type of any field
		return nil, disk.NewerSchema(file.Schema, world.Schema)
	case err != nil:
		return corrupt("%w", err)
	case file.Schema < 1:
		return corrupt("its schema number is missing or less than 1")
	case len(file.World) == 0 || file.World[0] != '{':
		return corrupt("it holds no world")
	case sum != file.Checksum:
		return corrupt("it names the checksum %q, but its world has the checksum %q", file.Checksum, sum)
	case !utf8.Valid(file.World):
		return corrupt("its world is not UTF-8")
	}
	w, land, err := world.DecodeState(file.World, unmarshal)
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
		return corrupt("its seq is %d, but the tick of its world is %d", file.Seq, w.Tick)
	}
	return &LoadedCheckpoint{
		Epoch: file.Epoch, Seq: file.Seq, SavedAt: file.SavedAt, Messages: file.Messages,
		World: w, Land: land, Older: older,
	}, nil
}

// unmarshal is a faster json.Unmarshal. The strings in v share the memory of data, so data must not change any more.
func unmarshal(data []byte, v any) error {
	return fastjson.UnmarshalWithOption(data, v, fastjson.DecodeNoCopyString())
}

// splitCheckpoint decodes the fields of a checkpoint's file, of which the world is the last one, as EncodeCheckpoint
// writes it. It reads the tokens in front of the world and takes the rest of data as the world, so that it neither
// reads nor copies the world. It returns an error for another layout and for JSON that it cannot read. Without an
// error, what it takes as the world is JSON only if it has the file's checksum.
func splitCheckpoint(data []byte) (file checkpointFile, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if _, err = decoder.Token(); err != nil {
		return file, err
	}
	fields := map[string]json.RawMessage{}
	for {
		name, err := decoder.Token()
		if err != nil {
			return file, err
		}
		if name == "world" {
			break
		}
		field, ok := name.(string)
		if !ok { // the file ends without a world
			return file, errLayout
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return file, err
		}
		fields[field] = value
	}
	head, err := json.Marshal(fields)
	if err != nil {
		return file, err
	}
	if err := json.Unmarshal(head, &file); err != nil {
		return file, err
	}
	rest := bytes.TrimSpace(data[decoder.InputOffset():])
	world, colon := bytes.CutPrefix(rest, []byte(":"))
	world, brace := bytes.CutSuffix(world, []byte("}"))
	if !colon || !brace {
		return file, errLayout
	}
	file.World = bytes.TrimSpace(world)
	return file, nil
}

// errLayout is the error of splitCheckpoint for a file that has no world at its end.
var errLayout = errors.New("the world is not its last field")
