package folder

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage"

	"agentdungeon/server/inspect"
)

// Limits of one git object in bytes, inflated. If an object is larger, only its header is read, and the error is
// errTooLong: a file of 2 MB can inflate to 4 GB.
const (
	maxCommitBytes = 1 << 20 // a commit, or a tag
	maxTreeBytes   = 32 << 20
	maxPieceBytes  = 64 << 20 // one base or delta of an object
	maxDeltaBytes  = 64 << 20 // all deltas of an object: they are in memory at once
	maxChainBytes  = 2 << 30  // all intermediate results of an object's deltas, one after the other
	maxChain       = 4096     // length of a delta chain; git makes at most 4095
)

const (
	maxPackIndex = 512 << 20 // bytes of a pack index, which then lists about 18 million objects
	maxPacks     = 10_000
	keptPieces   = 32 << 20 // bytes of the cache of delta bases
	inflateStep  = 64 << 10 // bytes that are inflated between two checks of ctx
)

// gitStore reads git's loose and packed objects within the limits above and until ctx ends. go-git's own reader has
// no limits: it inflates whatever an object holds. Everything except objects is left to go-git. A gitStore is not
// safe for concurrent use.
type gitStore struct {
	storage.Storer
	ctx    context.Context
	dir    string // the folder "objects"
	packs  []*gitPack
	listed bool
	bases  *cache.BufferLRU // by pack and offset, with the type in the last byte
	// maxBlob is the maximum size of a blob that is read, in bytes, inflated: inspect.MaxText unless a caller changes it.
	maxBlob  int64
	inflater io.Reader // nil before the first object; see zlib
	// inflated counts the inflated bytes, so that tests can check the limits.
	inflated int64
}

// newGitStore wraps inner, a repository's storage. objects is the repository's objects
// folder. Objects in other repositories (alternates) are not read, so that a linked
// repository gives no access to what lies outside of it.
func newGitStore(ctx context.Context, inner storage.Storer, objects string) *gitStore {
	return &gitStore{
		Storer: inner, ctx: ctx, dir: objects, bases: cache.NewBufferLRU(keptPieces), maxBlob: inspect.MaxText,
	}
}

func (s *gitStore) maxOf(kind plumbing.ObjectType) int64 {
	switch kind {
	case plumbing.CommitObject, plumbing.TagObject:
		return maxCommitBytes
	case plumbing.TreeObject:
		return maxTreeBytes
	case plumbing.BlobObject:
		return s.maxBlob
	}
	return 0
}

// EncodedObject reads an object. It returns plumbing.ErrObjectNotFound if there is none of
// this type, and wraps errTooLong if the object exceeds the limit of its type.
func (s *gitStore) EncodedObject(want plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	kind, data, err := s.loose(hash)
	if errors.Is(err, fs.ErrNotExist) {
		kind, data, err = s.packed(hash)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && want != plumbing.AnyObject && want != kind:
		return nil, plumbing.ErrObjectNotFound
	case err != nil:
		return nil, fmt.Errorf("read object %s: %w", hash, err)
	}
	return &gitObject{hash, kind, data}, nil
}

// HasEncodedObject returns plumbing.ErrObjectNotFound if the store does not have the object.
func (s *gitStore) HasEncodedObject(hash plumbing.Hash) error {
	_, err := s.EncodedObject(plumbing.AnyObject, hash)
	return err
}

// EncodedObjectSize returns the size of an object. Like EncodedObject, it refuses an object that exceeds the limit of
// its type.
func (s *gitStore) EncodedObjectSize(hash plumbing.Hash) (int64, error) {
	o, err := s.EncodedObject(plumbing.AnyObject, hash)
	if err != nil {
		return 0, err
	}
	return o.Size(), nil
}

// loose reads an object that has a file of its own.
func (s *gitStore) loose(hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	name := hash.String()
	f, err := openRegular(filepath.Join(s.dir, name[:2], name[2:]))
	if err != nil {
		return 0, nil, err
	}
	kind, data, err := s.readLoose(f)
	return kind, data, errors.Join(err, f.Close())
}

func (s *gitStore) readLoose(f io.Reader) (plumbing.ObjectType, []byte, error) {
	z, err := s.zlib(f)
	if err != nil {
		return 0, nil, err
	}
	r := bufio.NewReader(z)
	head, err := r.ReadSlice(0)
	if err != nil || len(head) > 32 {
		return 0, nil, errors.Join(errors.New("the object's header is damaged"), err)
	}
	name, number, _ := strings.Cut(string(head[:len(head)-1]), " ")
	kind, err := plumbing.ParseObjectType(name)
	size, serr := strconv.ParseInt(number, 10, 64)
	if err = errors.Join(err, serr); err != nil {
		return 0, nil, err
	}
	if size < 0 || size > s.maxOf(kind) {
		return kind, nil, errTooLong
	}
	data, err := s.inflate(r, size)
	return kind, data, err
}

// zlib decompresses r and counts the bytes in s.inflated. The reader that an earlier call returned is invalid
// then, because all objects share one decompressor, whose buffers have 40 KB.
func (s *gitStore) zlib(r io.Reader) (io.Reader, error) {
	if s.inflater == nil {
		z, err := zlib.NewReader(r)
		if err != nil {
			return nil, err
		}
		s.inflater = z
	} else if err := s.inflater.(zlib.Resetter).Reset(r, nil); err != nil {
		return nil, err
	}
	return &counted{s.inflater, &s.inflated}, nil
}

type counted struct {
	io.Reader
	n *int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	*c.n += int64(n)
	return n, err
}

// inflate reads exactly size bytes from r. It returns an error if r has fewer or more bytes.
func (s *gitStore) inflate(r io.Reader, size int64) ([]byte, error) {
	data := make([]byte, 0, min(size, inflateStep)+1)
	for int64(len(data)) <= size {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		step := min(size+1-int64(len(data)), inflateStep)
		data = append(data, make([]byte, step)...)
		n, err := io.ReadFull(r, data[int64(len(data))-step:])
		data = data[:int64(len(data))-step+int64(n)]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if int64(len(data)) != size {
		return nil, fmt.Errorf("the object does not have the %d bytes that its header states", size)
	}
	return data, nil
}

// gitPack is the index of a pack. The pack itself is opened for each object.
type gitPack struct {
	path  string
	index []byte
	n     int64 // number of objects
}

const (
	hashBytes  = len(plumbing.Hash{})
	fanoutAt   = 8
	namesAt    = fanoutAt + 256*4
	entryBytes = hashBytes + 4 + 4 // hash, checksum, offset
)

var packIndexMagic = []byte{0xff, 't', 'O', 'c', 0, 0, 0, 2}

func openPack(index string) (*gitPack, error) {
	data, err := readFile(index, maxPackIndex)
	if err != nil {
		return nil, err
	}
	p := &gitPack{path: strings.TrimSuffix(index, ".idx") + ".pack", index: data}
	if len(data) < namesAt || !bytes.HasPrefix(data, packIndexMagic) {
		return nil, errors.New("the file is not a pack index")
	}
	p.n = int64(p.fanout(255))
	if int64(len(data)) < namesAt+p.n*int64(entryBytes)+2*int64(hashBytes) {
		return nil, errors.New("the pack index is cut short")
	}
	return p, nil
}

func (p *gitPack) fanout(i int) uint32 { return binary.BigEndian.Uint32(p.index[fanoutAt+4*i:]) }

// offset returns the position of an object in the pack, or -1 if the pack does not have the object.
func (p *gitPack) offset(hash plumbing.Hash) int64 {
	lo, hi := int64(0), min(int64(p.fanout(int(hash[0]))), p.n)
	if hash[0] > 0 {
		lo = min(int64(p.fanout(int(hash[0])-1)), hi)
	}
	for lo < hi {
		mid := (lo + hi) / 2
		switch c := bytes.Compare(hash[:], p.index[namesAt+mid*int64(hashBytes):][:hashBytes]); {
		case c < 0:
			hi = mid
		case c > 0:
			lo = mid + 1
		default:
			at := binary.BigEndian.Uint32(p.index[namesAt+p.n*int64(hashBytes+4)+4*mid:])
			if at < 1<<31 {
				return int64(at)
			}
			long := namesAt + p.n*int64(entryBytes) + 8*int64(at&^(1<<31))
			if long+8 > int64(len(p.index)) {
				return -1
			}
			return int64(binary.BigEndian.Uint64(p.index[long:]) &^ (1 << 63))
		}
	}
	return -1
}

// list finds the packs of the repository. It skips a pack whose index cannot be read.
func (s *gitStore) list() {
	if s.listed {
		return
	}
	s.listed = true
	found, err := filepath.Glob(filepath.Join(globQuote(s.dir), "pack", "pack-*.idx"))
	if err != nil {
		return // cannot happen: the pattern is escaped
	}
	for _, path := range found[:min(len(found), maxPacks)] {
		if p, err := openPack(path); err == nil {
			s.packs = append(s.packs, p)
		}
	}
}

func (s *gitStore) packed(hash plumbing.Hash) (plumbing.ObjectType, []byte, error) {
	s.list()
	for i, p := range s.packs {
		if at := p.offset(hash); at >= 0 {
			return s.resolve(i, at)
		}
	}
	return 0, nil, fs.ErrNotExist
}

// piece is an entry of a pack: a whole object, or a delta that is based on another entry.
type piece struct {
	kind  plumbing.ObjectType // for a delta: OFSDeltaObject or REFDeltaObject
	base  int64               // offset of a delta's base
	at    int64               // offset at which the content begins
	bytes int64               // size of the content, inflated
}

// resolve builds the object at an offset of a pack: it follows the deltas down to a whole
// object and applies them in reverse order.
func (s *gitStore) resolve(pack int, at int64) (plumbing.ObjectType, []byte, error) {
	p := s.packs[pack]
	f, err := openRegular(p.path)
	if err != nil {
		return 0, nil, err
	}
	kind, data, err := s.chain(f, pack, at)
	return kind, data, errors.Join(err, f.Close())
}

func (s *gitStore) chain(f io.ReaderAt, pack int, at int64) (kind plumbing.ObjectType, data []byte, err error) {
	type step struct {
		at    int64
		delta []byte
	}
	var steps []step
	deltas, made := int64(0), int64(0)
	key := func(at int64) int64 { return int64(pack)<<44 | at }
	for data == nil {
		if kept, ok := s.bases.Get(key(at)); ok {
			kind, data = plumbing.ObjectType(kept[len(kept)-1]), kept[:len(kept)-1]
			break
		}
		e, err := s.packs[pack].entry(f, at)
		if err != nil {
			return 0, nil, err
		}
		limit := int64(maxPieceBytes)
		if !e.kind.IsDelta() && len(steps) == 0 {
			limit = s.maxOf(e.kind)
		}
		if e.kind.IsDelta() {
			deltas += e.bytes
		}
		if e.bytes > limit || deltas > maxDeltaBytes || len(steps) > maxChain {
			return 0, nil, errTooLong
		}
		z, err := s.zlib(bufio.NewReaderSize(io.NewSectionReader(f, e.at, 1<<62), 8<<10))
		if err != nil {
			return 0, nil, err
		}
		content, err := s.inflate(z, e.bytes)
		if err != nil {
			return 0, nil, err
		}
		if !e.kind.IsDelta() {
			kind, data = e.kind, content
			s.keep(key(at), kind, data)
			break
		}
		steps = append(steps, step{at, content})
		at = e.base
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if err := s.ctx.Err(); err != nil {
			return 0, nil, err
		}
		size := resultOf(steps[i].delta)
		limit := int64(maxPieceBytes)
		if i == 0 {
			limit = s.maxOf(kind)
		}
		if made += size; size < 0 || size > limit || made > maxChainBytes {
			return 0, nil, errTooLong
		}
		if size == 0 {
			data = []byte{}
		} else if data, err = packfile.PatchDelta(data, steps[i].delta); err != nil {
			return 0, nil, err
		}
		s.inflated += size
		s.keep(key(steps[i].at), kind, data)
	}
	if int64(len(data)) > s.maxOf(kind) {
		return 0, nil, errTooLong
	}
	return kind, data, nil
}

// keep caches an object as a base of further deltas, unless it is large.
func (s *gitStore) keep(key int64, kind plumbing.ObjectType, data []byte) {
	if len(data) < keptPieces/8 {
		kept := append(make([]byte, 0, len(data)+1), data...)
		s.bases.Put(key, append(kept, byte(kind)))
	}
}

// resultOf returns the size of a delta's result, or -1 if the delta is damaged.
func resultOf(delta []byte) int64 {
	r := bytes.NewReader(delta)
	if _, err := binary.ReadUvarint(r); err != nil { // skip the size of the base
		return -1
	}
	size, err := binary.ReadUvarint(r)
	if err != nil || size > 1<<62 {
		return -1
	}
	return int64(size)
}

// entry reads the header of the entry at an offset of the pack.
func (p *gitPack) entry(f io.ReaderAt, at int64) (piece, error) {
	damaged := errors.New("the pack is damaged")
	var head [64]byte
	n, err := f.ReadAt(head[:], at)
	if err != nil && err != io.EOF || at < 12 || n == 0 {
		return piece{}, errors.Join(damaged, err)
	}
	b := head[:n]
	i := 0
	next := func() (c byte) {
		if i < len(b) {
			c = b[i]
		}
		i++
		return c
	}
	c := next()
	e := piece{kind: plumbing.ObjectType(c >> 4 & 7), bytes: int64(c & 15)}
	for shift := 4; c&0x80 != 0; shift += 7 {
		if shift > 56 {
			return e, damaged
		}
		c = next()
		e.bytes |= int64(c&0x7f) << shift
	}
	switch e.kind {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
	case plumbing.OFSDeltaObject:
		c = next()
		back := int64(c & 0x7f)
		for c&0x80 != 0 && back < 1<<54 {
			c = next()
			back = (back+1)<<7 | int64(c&0x7f)
		}
		if e.base = at - back; back <= 0 || e.base <= 0 { // a base lies before its delta, so a chain cannot be a cycle
			return e, damaged
		}
	case plumbing.REFDeltaObject:
		if i+hashBytes > len(b) {
			return e, damaged
		}
		if e.base = p.offset(plumbing.Hash(b[i : i+hashBytes])); e.base < 0 {
			return e, damaged // the base is missing, although a pack has the bases of all its deltas
		}
		i += hashBytes
	default:
		return e, damaged
	}
	if i > len(b) {
		return e, damaged
	}
	e.at = at + int64(i)
	return e, nil
}

// gitObject is an object in memory, as a plumbing.EncodedObject.
type gitObject struct {
	hash plumbing.Hash
	kind plumbing.ObjectType
	data []byte
}

var errReadOnly = errors.New("git's objects are read only")

func (o *gitObject) Hash() plumbing.Hash         { return o.hash }
func (o *gitObject) Type() plumbing.ObjectType   { return o.kind }
func (o *gitObject) SetType(plumbing.ObjectType) {}
func (o *gitObject) Size() int64                 { return int64(len(o.data)) }
func (o *gitObject) SetSize(int64)               {}
func (o *gitObject) Reader() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(o.data)), nil
}
func (o *gitObject) Writer() (io.WriteCloser, error) { return nil, errReadOnly }
