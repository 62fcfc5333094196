package tables

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/world"
)

// Texts of closed rows, older events and what forges have gathered lie packed in realm.db, as zstd frames. All that
// packs or unpacks goes through this file: what comes out of the database is bounded
// before it takes memory, and what cannot be unpacked is ErrCorrupt and says which row.

const (
	// PackFrom is from how many bytes on a text is packed: a shorter one gains less than
	// its row takes anyhow.
	PackFrom = 1 << 10
	// MaxPackBytes bounds a block of events unpacked; see PackEvents.
	MaxPackBytes = 16 << 20
)

// packer packs and unpacks for all realms; encoders and decoders are kept and bounded by
// the concurrency that is given here. Both are safe to use from any goroutine.
type packer struct {
	Texts  *zstd.Encoder
	Blocks *zstd.Encoder
	whole  *zstd.Decoder // of texts: at most world.MaxMessageText
	block  *zstd.Decoder // of events: at most MaxPackBytes
}

// Packing is made when the program begins and not at its first use: its queues are
// channels, and one that is made within a test's bubble is of no use in the next.
var Packing = newPacker()

func newPacker() *packer {
	p := &packer{}
	var errs [4]error
	// A text carries a checksum of its own: what a person reads of a row is compared with
	// nothing else. A block has its sum beside it.
	p.Texts, errs[0] = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(1<<20), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(true))
	// SpeedBestCompression saves another 0.6 % of the disk and holds 37 MB for it.
	p.Blocks, errs[1] = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(1<<20), zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(false))
	p.whole, errs[2] = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(world.MaxMessageText))
	p.block, errs[3] = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(MaxPackBytes))
	if err := errors.Join(errs[:]...); err != nil {
		panic(err) // the options above contradict each other: no input leads here
	}
	p.Texts.EncodeAll(nil, nil) // makes its queue; that of blocks is larger, and is made where it is needed
	return p
}

// PackText gives the two columns of a closed row's text: as it is, or packed where that
// is worth it.
func PackText(text string) (content string, packed any) {
	if len(text) < PackFrom || len(text) > world.MaxMessageText {
		return text, nil
	}
	raw := []byte(text)
	out := Packing.Texts.EncodeAll(raw, make([]byte, 0, len(raw)/2))
	if len(out) > len(raw)-len(raw)/8 {
		return text, nil
	}
	return "", out
}

// UnpackText is a row's text out of its two columns.
func UnpackText(id, content string, packed []byte) (string, error) {
	if packed == nil {
		return content, nil
	}
	raw, err := Packing.whole.DecodeAll(packed, nil)
	if err != nil {
		return "", fmt.Errorf("%w: the text of row %s: %w", disk.ErrCorrupt, id, err)
	}
	return string(raw), nil
}

// packFrame is how a zstd frame begins. No JSON does.
var packFrame = []byte{0x28, 0xb5, 0x2f, 0xfd}

// packContext is what a forge has gathered as it lies on disk: packed where that is worth
// it (S1-13), with a checksum.
func packContext(blob []byte) []byte {
	if len(blob) < PackFrom || len(blob) > MaxPackBytes {
		return blob
	}
	if out := Packing.Texts.EncodeAll(blob, make([]byte, 0, len(blob)/4)); len(out) < len(blob)-len(blob)/8 {
		return out
	}
	return blob
}

// unpackContext returns the context of its stored, possibly compressed, bytes. It returns damaged
// bytes unchanged: the forge reports the damage and sets them aside (S1-B10).
func unpackContext(stored []byte) []byte {
	if !bytes.HasPrefix(stored, packFrame) {
		return stored
	}
	raw, err := Packing.block.DecodeAll(stored, nil)
	if err != nil {
		return stored
	}
	return raw
}
