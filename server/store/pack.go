package store

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"agentdungeon/shared/world"
)

// Texts of closed rows, older events and what forges have gathered lie packed in realm.db, as zstd frames. All that
// packs or unpacks goes through this file: what comes out of the database is bounded
// before it takes memory, and what cannot be unpacked is ErrCorrupt and says which row.

const (
	// packFrom is from how many bytes on a text is packed: a shorter one gains less than
	// its row takes anyhow.
	packFrom = 1 << 10
	// maxPackBytes bounds a block of events unpacked; see packEvents.
	maxPackBytes = 16 << 20
)

// packer packs and unpacks for all realms; encoders and decoders are kept and bounded by
// the concurrency that is given here. Both are safe to use from any goroutine.
type packer struct {
	texts  *zstd.Encoder
	blocks *zstd.Encoder
	whole  *zstd.Decoder // of texts: at most world.MaxMessageText
	block  *zstd.Decoder // of events: at most maxPackBytes
}

// packing is made when the program begins and not at its first use: its queues are
// channels, and one that is made within a test's bubble is of no use in the next.
var packing = newPacker()

func newPacker() *packer {
	p := &packer{}
	var errs [4]error
	// A text carries a checksum of its own: what a person reads of a row is compared with
	// nothing else. A block has its sum beside it.
	p.texts, errs[0] = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(1<<20), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(true))
	// SpeedBestCompression saves another 0.6 % of the disk and holds 37 MB for it.
	p.blocks, errs[1] = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(1<<20), zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(false))
	p.whole, errs[2] = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(world.MaxMessageText))
	p.block, errs[3] = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxPackBytes))
	if err := errors.Join(errs[:]...); err != nil {
		panic(err) // the options above contradict each other: no input leads here
	}
	p.texts.EncodeAll(nil, nil) // makes its queue; that of blocks is larger, and is made where it is needed
	return p
}

// packText gives the two columns of a closed row's text: as it is, or packed where that
// is worth it.
func packText(text string) (content string, packed any) {
	if len(text) < packFrom || len(text) > world.MaxMessageText {
		return text, nil
	}
	raw := []byte(text)
	out := packing.texts.EncodeAll(raw, make([]byte, 0, len(raw)/2))
	if len(out) > len(raw)-len(raw)/8 {
		return text, nil
	}
	return "", out
}

// unpackText is a row's text out of its two columns.
func unpackText(id, content string, packed []byte) (string, error) {
	if packed == nil {
		return content, nil
	}
	raw, err := packing.whole.DecodeAll(packed, nil)
	if err != nil {
		return "", fmt.Errorf("%w: the text of row %s: %w", ErrCorrupt, id, err)
	}
	return string(raw), nil
}

// packFrame is how a zstd frame begins. No JSON does.
var packFrame = []byte{0x28, 0xb5, 0x2f, 0xfd}

// packContext is what a forge has gathered as it lies on disk: packed where that is worth
// it (S1-13), with a checksum.
func packContext(blob []byte) []byte {
	if len(blob) < packFrom || len(blob) > maxPackBytes {
		return blob
	}
	if out := packing.texts.EncodeAll(blob, make([]byte, 0, len(blob)/4)); len(out) < len(blob)-len(blob)/8 {
		return out
	}
	return blob
}

// unpackContext is the context out of what lies on disk. What is damaged comes back as it
// lies there: the forge says so and sets it aside (S1-B10).
func unpackContext(stored []byte) []byte {
	if !bytes.HasPrefix(stored, packFrame) {
		return stored
	}
	raw, err := packing.block.DecodeAll(stored, nil)
	if err != nil {
		return stored
	}
	return raw
}
