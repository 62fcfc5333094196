package tables

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"agentdungeon/server/store/disk"
	"agentdungeon/shared/world"
)

// realm.db holds texts of closed rows, older events and contexts of forges packed as zstd frames.
// The decoders limit the memory that damaged data can take.

const (
	// PackFrom is the size in bytes from which texts are packed. For shorter texts the gain is less
	// than the overhead of the row.
	PackFrom = 1 << 10
	// MaxPackBytes is the maximum size of an unpacked block of events, in bytes; see PackEvents.
	MaxPackBytes = 16 << 20
)

// packer packs and unpacks for all realms. It limits the number of encoders and decoders by their
// concurrency options. Encoders and decoders are safe for concurrent use.
type packer struct {
	Texts  *zstd.Encoder
	Blocks *zstd.Encoder
	whole  *zstd.Decoder // decodes texts of at most world.MaxMessageText bytes
	block  *zstd.Decoder // decodes blocks of events of at most MaxPackBytes bytes
}

// Packing is created when the program starts and not at its first use, because its queues are channels: a channel
// that is created in the synctest bubble of one test cannot be used in another.
var Packing = newPacker()

func newPacker() *packer {
	p := &packer{}
	var errs [4]error
	// A packed text contains a checksum, because nothing else verifies the text that a person reads. A block contains
	// none, because its row has the checksum of the block.
	p.Texts, errs[0] = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(1<<20), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(true))
	// SpeedBestCompression would save another 0.6 % of the disk and use 37 MB of memory.
	p.Blocks, errs[1] = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(1<<20), zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(false))
	p.whole, errs[2] = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(world.MaxMessageText))
	p.block, errs[3] = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(MaxPackBytes))
	if err := errors.Join(errs[:]...); err != nil {
		panic(err) // only contradicting options cause this error, never an input
	}
	// Make the encoder of texts allocate its queue now, with one encoder of 1.3 MB: with a second one, the start of
	// every command would collect garbage. The encoder of blocks allocates its larger queue at its first use.
	p.Texts.EncodeAll(nil, nil)
	return p
}

// PackText packs the text of a closed row if that saves at least an eighth of its bytes. It returns the values of the
// columns content and packed, one of which is empty.
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

// UnpackText returns a row's text from the values of its columns content and packed.
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

// packFrame is the beginning of every zstd frame. No JSON text begins with it.
var packFrame = []byte{0x28, 0xb5, 0x2f, 0xfd}

// packContext returns the stored form of a forge's context. It packs a context of PackFrom to MaxPackBytes bytes, with
// a checksum, if that saves more than an eighth of the bytes (S1-13). It returns any other context unchanged.
func packContext(blob []byte) []byte {
	if len(blob) < PackFrom || len(blob) > MaxPackBytes {
		return blob
	}
	if out := Packing.Texts.EncodeAll(blob, make([]byte, 0, len(blob)/4)); len(out) < len(blob)-len(blob)/8 {
		return out
	}
	return blob
}

// unpackContext decodes what packContext has returned. It returns damaged data unchanged, because the forge reports
// the damage and sets the data aside (S1-B10).
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
