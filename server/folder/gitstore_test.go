package folder

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// storeOf opens the store of a repository.
func storeOf(t *testing.T, dir string) *gitStore {
	t.Helper()
	o, err := openObjects(t.Context(), dir)
	must(t, err)
	return o.store
}

// Every object of a repository has the content that git reads: loose, packed, and as deltas by offset and by
// name.
func TestGitStoreReadsWhatGitReads(t *testing.T) {
	dir := newRepo(t)
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 40_000)
	for i := range text {
		text[i] = "abcdefgh \n"[r.IntN(10)]
	}
	for i := range 40 {
		text[r.IntN(len(text))] = byte('A' + i%26)
		put(t, filepath.Join(dir, "big.txt"), string(text))
		put(t, filepath.Join(dir, fmt.Sprintf("d%d/f%d", i%4, i)), fmt.Sprint(i))
		put(t, filepath.Join(dir, "empty"), "")
		git(t, dir, "add", ".")
		git(t, dir, "commit", "-qm", fmt.Sprint("commit ", i))
	}
	git(t, dir, "tag", "-a", "v1.0.0", "-m", "a tag")
	same := func(what, dir string) {
		t.Helper()
		s := storeOf(t, dir)
		objects := 0
		for rest := gitSays(t, dir, "cat-file", "--batch", "--batch-all-objects"); rest != ""; objects++ {
			head, body, _ := strings.Cut(rest, "\n")
			var name, kind string
			var size int
			if _, err := fmt.Sscan(head, &name, &kind, &size); err != nil || len(body) < size {
				t.Fatalf("%s: git says %q: %v", what, head, err)
			}
			want := body[:size]
			rest = body[size+len("\n"):]
			o, err := s.EncodedObject(plumbing.AnyObject, plumbing.NewHash(name))
			if err != nil {
				t.Fatalf("%s: %s %s: %v", what, kind, name, err)
			}
			rd, err := o.Reader()
			must(t, err)
			got, err := io.ReadAll(rd)
			must(t, err)
			if o.Type().String() != kind || string(got) != want || o.Hash().String() != name || o.Size() != int64(len(want)) {
				t.Fatalf("%s: %s is a %s of %d bytes, and git says a %s of %d", what, name, o.Type(), len(got), kind, len(want))
			}
		}
		if objects < 100 {
			t.Fatalf("%s: %d objects", what, objects)
		}
		if _, err := s.EncodedObject(plumbing.AnyObject, plumbing.NewHash(strings.Repeat("12", 20))); !errors.Is(err, plumbing.ErrObjectNotFound) {
			t.Errorf("%s: one that is not there: %v", what, err)
		}
		if _, err := s.EncodedObject(plumbing.TreeObject, plumbing.NewHash(strings.TrimSpace(gitSays(t, dir, "rev-parse", "HEAD")))); !errors.Is(err, plumbing.ErrObjectNotFound) {
			t.Errorf("%s: a commit as a tree: %v", what, err)
		}
	}
	same("loose", dir)
	git(t, dir, "repack", "-adfq", "--depth=60", "--window=60")
	same("packed", dir)
	git(t, dir, "-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=60", "--window=60")
	same("packed by name", dir)
}

// After it has met a damaged object, the store reads the other objects as before.
func TestGitStoreReadsAfterDamage(t *testing.T) {
	dir := newRepo(t)
	put(t, filepath.Join(dir, "a"), strings.Repeat("text\n", 5000))
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	good := plumbing.NewHash(strings.TrimSpace(gitSays(t, dir, "rev-parse", "HEAD:a")))
	whole, err := os.ReadFile(filepath.Join(dir, ".git/objects", good.String()[:2], good.String()[2:]))
	must(t, err)
	for name, data := range map[string][]byte{
		"nothing": {}, "no zlib": []byte("blob 3"), "cut": whole[:len(whole)/2],
		"a wrong sum": append(slices.Clone(whole[:len(whole)-1]), ^whole[len(whole)-1]),
	} {
		bad := plumbing.ComputeHash(plumbing.BlobObject, data)
		put(t, filepath.Join(dir, ".git/objects", bad.String()[:2], bad.String()[2:]), string(data))
		s := storeOf(t, dir)
		for range 3 {
			if _, err := s.EncodedObject(plumbing.AnyObject, bad); err == nil {
				t.Errorf("%s: the damaged object is read", name)
			}
			if o, err := s.EncodedObject(plumbing.AnyObject, good); err != nil || o.Size() != 25_000 {
				t.Errorf("%s: afterwards: %v", name, err)
			}
		}
	}
}

func gitSays(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	must(t, err)
	return string(out)
}

// bomb returns an object that consists of head and size zero bytes: its deflated bytes, about a thousandth
// of size, and its hash.
func bomb(head string, size int64) (deflated []byte, hash plumbing.Hash) {
	out := bytes.NewBuffer([]byte{0x78, 0x9c}) // how a stream of zlib begins
	z, _ := flate.NewWriter(out, flate.DefaultCompression)
	check, name := adler32.New(), sha1.New()
	_, err := io.WriteString(io.MultiWriter(z, check, name), head)
	if err = errors.Join(err, z.Flush(), zeros(io.MultiWriter(check, name), size)); err != nil {
		panic(err) // buffers take everything
	}
	out.Write(deflatedZeros(size))
	return check.Sum(out.Bytes()), plumbing.Hash(name.Sum(nil))
}

// tails caches the results of deflatedZeros by size, because each takes a second.
var tails sync.Map

// deflatedZeros returns the end of a deflated stream: size zero bytes.
func deflatedZeros(size int64) []byte {
	if made, ok := tails.Load(size); ok {
		return made.([]byte)
	}
	var out bytes.Buffer
	z, _ := flate.NewWriter(&out, flate.DefaultCompression)
	if err := errors.Join(zeros(z, size), z.Close()); err != nil {
		panic(err)
	}
	tails.Store(size, out.Bytes())
	return out.Bytes()
}

// zeros writes size zero bytes.
func zeros(w io.Writer, size int64) (err error) {
	block := make([]byte, 1<<20)
	for n := int64(0); err == nil && n < size; n += int64(len(block)) {
		_, err = w.Write(block[:min(int64(len(block)), size-n)])
	}
	return err
}

// bombBytes exceeds every limit. Deflated, it takes some 200 KB on disk.
const bombBytes = 200 << 20

// bombBound is how many bytes the store may inflate for a bomb: some buffers, or the one piece that is within
// the limits.
const bombBound = 1 << 20

// The store does not inflate an object beyond the limit of its type: commits, trees, tags and files, loose,
// packed and as deltas, whatever size their headers give. The test counts the inflated bytes.
func TestGitStoreInflatesNoBomb(t *testing.T) {
	for _, kind := range []string{"commit", "tree", "tag", "blob"} {
		for _, told := range []int64{bombBytes, 100} {
			dir := newRepo(t)
			data, hash := bomb(fmt.Sprintf("%s %d\x00", kind, told), bombBytes)
			if len(data) > 1<<20 {
				t.Fatalf("the bomb has %d bytes on disk", len(data))
			}
			name := hash.String()
			put(t, filepath.Join(dir, ".git/objects", name[:2], name[2:]), string(data))
			s := storeOf(t, dir)
			if _, err := s.EncodedObject(plumbing.AnyObject, hash); err == nil {
				t.Errorf("a loose %s of %d bytes that tells %d is read", kind, bombBytes, told)
			}
			if s.inflated > bombBound {
				t.Errorf("of a loose %s that tells %d, %d bytes were inflated", kind, told, s.inflated)
			}
		}
	}
	deflated, _ := bomb("", bombBytes)
	number := func(n uint64) []byte { return binary.AppendUvarint(nil, n) }
	small := []byte("a base of some bytes that others are made of")
	// This delta has few bytes and makes a large object: it copies its base over and over.
	copies := slices.Concat(number(uint64(len(small))), number(bombBytes), bytes.Repeat([]byte{0x90, byte(len(small))}, 100))
	for what, entries := range map[string][]packEntry{
		"an object":                     {{kind: plumbing.CommitObject, tells: bombBytes, deflated: deflated}},
		"an object that tells less":     {{kind: plumbing.CommitObject, tells: 100, deflated: deflated}},
		"a delta that is large":         {{kind: plumbing.CommitObject, tells: int64(len(small)), content: small}, {kind: plumbing.OFSDeltaObject, back: 1, tells: bombBytes, deflated: deflated}},
		"a delta that makes much":       {{kind: plumbing.CommitObject, tells: int64(len(small)), content: small}, {kind: plumbing.OFSDeltaObject, back: 1, tells: int64(len(copies)), content: copies}},
		"a delta of a base that is":     {{kind: plumbing.CommitObject, tells: bombBytes, deflated: deflated}, {kind: plumbing.OFSDeltaObject, back: 1, tells: int64(len(copies)), content: copies}},
		"a delta that is its own base":  {{kind: plumbing.REFDeltaObject, self: true, tells: int64(len(copies)), content: copies}},
		"a delta that tells no end":     {{kind: plumbing.CommitObject, tells: int64(len(small)), content: small}, {kind: plumbing.OFSDeltaObject, back: 1, tells: 20, content: bytes.Repeat([]byte{0xff}, 20)}},
		"a type that is none":           {{kind: 5, tells: 10, content: small[:10]}},
		"a base before the pack begins": {{kind: plumbing.OFSDeltaObject, back: -1, tells: int64(len(copies)), content: copies}},
	} {
		dir := newRepo(t)
		last := writePack(t, dir, entries)
		s := storeOf(t, dir)
		if _, err := s.EncodedObject(plumbing.AnyObject, last); err == nil || errors.Is(err, plumbing.ErrObjectNotFound) {
			t.Errorf("%s: %v", what, err)
		}
		if s.inflated > bombBound {
			t.Errorf("%s: %d bytes were inflated", what, s.inflated)
		}
	}
}

// packEntry is an entry of a pack that git would not write.
type packEntry struct {
	kind     plumbing.ObjectType
	tells    int64
	back     int // its base is so many entries before; -1: before the pack
	self     bool
	content  []byte
	deflated []byte // instead of content
}

// writePack writes a pack and its index and returns the hash of the last entry.
func writePack(t *testing.T, dir string, entries []packEntry) plumbing.Hash {
	t.Helper()
	nameOf := func(i int) (h plumbing.Hash) { h[0], h[19] = 0xab, byte(i); return h }
	pack := slices.Concat([]byte("PACK"), binary.BigEndian.AppendUint32(nil, 2), binary.BigEndian.AppendUint32(nil, uint32(len(entries))))
	var offsets []int
	for i, e := range entries {
		at := len(pack)
		offsets = append(offsets, at)
		size := e.tells
		head := []byte{byte(e.kind)<<4 | byte(size&15)}
		for size >>= 4; size > 0; size >>= 7 {
			head[len(head)-1] |= 0x80
			head = append(head, byte(size&0x7f))
		}
		pack = append(pack, head...)
		switch {
		case e.kind == plumbing.OFSDeltaObject:
			back := at + 1
			if e.back > 0 {
				back = at - offsets[i-e.back]
			}
			coded := []byte{byte(back & 0x7f)}
			for back >>= 7; back > 0; back >>= 7 {
				back--
				coded = append([]byte{0x80 | byte(back&0x7f)}, coded...)
			}
			pack = append(pack, coded...)
		case e.self:
			h := nameOf(i)
			pack = append(pack, h[:]...)
		}
		if e.deflated == nil {
			var out bytes.Buffer
			z := zlib.NewWriter(&out)
			_, err := z.Write(e.content)
			must(t, errors.Join(err, z.Close()))
			e.deflated = out.Bytes()
		}
		pack = append(pack, e.deflated...)
	}
	sum := sha1.Sum(pack)
	pack = append(pack, sum[:]...)
	index := slices.Clone(packIndexMagic)
	for i := range 256 {
		n := 0
		if i >= 0xab {
			n = len(entries)
		}
		index = binary.BigEndian.AppendUint32(index, uint32(n))
	}
	for i := range entries {
		h := nameOf(i)
		index = append(index, h[:]...)
	}
	for range entries {
		index = binary.BigEndian.AppendUint32(index, crc32.ChecksumIEEE(nil))
	}
	for _, at := range offsets {
		index = binary.BigEndian.AppendUint32(index, uint32(at))
	}
	index = append(index, sum[:]...)
	own := sha1.Sum(index)
	index = append(index, own[:]...)
	put(t, filepath.Join(dir, ".git/objects/pack/pack-1.pack"), string(pack))
	put(t, filepath.Join(dir, ".git/objects/pack/pack-1.idx"), string(index))
	return nameOf(len(entries) - 1)
}

// The end of the context ends the reading of an object, also in the middle of it.
func TestGitStoreHonoursContexts(t *testing.T) {
	dir := newRepo(t)
	data, hash := bomb(fmt.Sprintf("tree %d\x00", maxTreeBytes), maxTreeBytes)
	name := hash.String()
	put(t, filepath.Join(dir, ".git/objects", name[:2], name[2:]), string(data))
	s := storeOf(t, dir)
	ctx := &endsSoon{Context: t.Context(), after: 10}
	s.ctx = ctx
	if _, err := s.EncodedObject(plumbing.TreeObject, hash); !errors.Is(err, context.Canceled) || s.inflated == 0 || s.inflated > 20*inflateStep {
		t.Errorf("%d bytes of an object were read for nobody: %v", s.inflated, err)
	}
}

// endsSoon is a context that ends after a number of calls of Err.
type endsSoon struct {
	context.Context
	after int
}

func (c *endsSoon) Err() error {
	if c.after--; c.after < 0 {
		return context.Canceled
	}
	return nil
}

// A repository whose HEAD is a bomb is followed and scanned like a repository with an unreadable history: the
// map has its files.
func TestRepositoryWithABombForAHead(t *testing.T) {
	dir := newRepo(t)
	put(t, filepath.Join(dir, "a.txt"), "a")
	data, hash := bomb(fmt.Sprintf("commit %d\x00tree %s\n\n", bombBytes+47, strings.Repeat("1", 40)), bombBytes)
	name := hash.String()
	put(t, filepath.Join(dir, ".git/objects", name[:2], name[2:]), string(data))
	must(t, os.WriteFile(filepath.Join(dir, ".git/HEAD"), []byte(name+"\n"), 0o600))
	g := newGitStatus(dir)
	if _, _, err := g.readHead(t.Context()); !errors.Is(err, errTooLong) {
		t.Errorf("HEAD's commit: %v", err)
	}
	if err := newHistorian(dir).walk(t.Context(), hash, nil); !errors.Is(err, errTooLong) {
		t.Errorf("the history: %v", err)
	}
	f := follow(t, dir)
	if listing := strings.Join(f.scan(), "\n"); !strings.Contains(listing, "a.txt") {
		t.Errorf("the map: %s", listing)
	}
}

// FuzzGitStore: no pack makes the reader panic or inflate without bound.
func FuzzGitStore(f *testing.F) {
	small := []byte("a base")
	f.Add([]byte{0x96, 1, 'x'}, uint8(plumbing.OFSDeltaObject), int64(3))
	f.Add(append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(small))), 6), 0x90, 6), uint8(plumbing.OFSDeltaObject), int64(4))
	f.Add([]byte("tree"), uint8(plumbing.TreeObject), int64(4))
	f.Fuzz(func(t *testing.T, content []byte, kind uint8, tells int64) {
		dir := t.TempDir()
		last := writePack(t, dir, []packEntry{
			{kind: plumbing.TreeObject, tells: int64(len(small)), content: small},
			{kind: plumbing.ObjectType(kind & 7), back: 1, self: kind&7 == 7, tells: tells & (1<<50 - 1), content: content},
		})
		s := newGitStore(t.Context(), nil, filepath.Join(dir, ".git/objects"))
		o, err := s.EncodedObject(plumbing.AnyObject, last)
		if err == nil && o.Size() > maxTreeBytes {
			t.Errorf("%d bytes", o.Size())
		}
		if s.inflated > 2*maxPieceBytes {
			t.Errorf("%d bytes were inflated", s.inflated)
		}
	})
}
