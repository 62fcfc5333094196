package syntax

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// parsers is the module that scripts/grammars/build.sh makes; parsers.sum has its checksum and what it is made of.
//
//go:embed parsers.wasm.gz
var parsers []byte

// Bounds of the module.
const (
	page = 64 << 10 // bytes of memory in a page
	// maxMemory is the maximum size of an instance's memory in bytes. A text that needs more is not parsed.
	maxMemory = 192 << 20
	// maxIdle is the maximum size of the memory of an instance that is kept for the next text, in bytes. The memory of an
	// instance never shrinks.
	maxIdle = 24 << 20
	// word is the size of a node in the module's memory, in bytes.
	word = 16
	// missing is the kind of a node that the text should have and lacks. broken is the kind of a piece of text that fits
	// no rule of the grammar.
	missing, broken = 0xfffe, 0xffff
)

// compiled is the compiled module. Compiling takes about a tenth of a second and is done once, for the first text: most
// servers parse none. The compiled code is kept in memory only.
var compiled = sync.OnceValues(func() (*module, error) {
	packed, err := gzip.NewReader(bytes.NewReader(parsers))
	if err != nil {
		return nil, err
	}
	code, err := io.ReadAll(packed)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(maxMemory/page))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		return nil, err
	}
	m := &module{runtime: r, idle: make(chan *instance, runtime.GOMAXPROCS(0))}
	if m.code, err = r.CompileModule(ctx, code); err != nil {
		return nil, err
	}
	in, err := m.take(ctx)
	if err != nil {
		return nil, err
	}
	defer m.leave(ctx, in)
	for l := range m.names {
		if m.names[l], err = in.grammar(ctx, Language(l)); err != nil {
			return nil, fmt.Errorf("the grammar of %s: %w", Language(l), err)
		}
	}
	return m, nil
})

// module makes instances of the compiled module. Its methods are safe for concurrent use.
type module struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	names   [languages]grammar
	idle    chan *instance // at most GOMAXPROCS instances
}

// grammar has the names of the kinds and the fields of nodes in one language. A kind or field is a number, the index of
// its name.
type grammar struct {
	kinds  []string
	named  []bool
	fields []string
}

// instance is an instance of the module, with a memory of its own. One goroutine uses it at a time.
type instance struct {
	api.Module
}

// take returns an idle instance, or makes one.
func (m *module) take(ctx context.Context) (*instance, error) {
	select {
	case in := <-m.idle:
		return in, nil
	default:
	}
	// Without a name any number of instances can exist. _initialize is the entry point of a module without main.
	in, err := m.runtime.InstantiateModule(ctx, m.code, wazero.NewModuleConfig().WithName("").
		WithStartFunctions("_initialize"))
	if err != nil {
		return nil, err
	}
	return &instance{in}, nil
}

// leave returns an instance to the idle ones, or closes it if its memory has grown too large or enough instances
// are idle.
func (m *module) leave(ctx context.Context, in *instance) {
	if in.Memory().Size() <= maxIdle {
		select {
		case m.idle <- in:
			return
		default:
		}
	}
	_ = in.Close(ctx)
}

// call calls a function of the module that returns one number.
func (in *instance) call(ctx context.Context, name string, args ...uint64) (uint32, error) {
	out, err := in.ExportedFunction(name).Call(ctx, args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return uint32(out[0]), nil
}

// grammar reads the names of the kinds and fields of nodes in a language.
func (in *instance) grammar(ctx context.Context, l Language) (g grammar, err error) {
	kinds, err := in.call(ctx, "kinds", uint64(l))
	if err != nil {
		return g, err
	}
	for k := range kinds {
		name, err := in.name(ctx, "kind", l, k)
		if err != nil {
			return g, err
		}
		named, err := in.call(ctx, "named", uint64(l), uint64(k))
		if err != nil {
			return g, err
		}
		g.kinds, g.named = append(g.kinds, name), append(g.named, named != 0)
	}
	fields, err := in.call(ctx, "fields", uint64(l))
	if err != nil {
		return g, err
	}
	g.fields = []string{""} // the number 0 means no field
	for f := range fields {
		name, err := in.name(ctx, "field", l, f+1)
		if err != nil {
			return g, err
		}
		g.fields = append(g.fields, name)
	}
	return g, nil
}

// name returns the name that a function of the module gives to the number n, such as that of a kind of nodes.
func (in *instance) name(ctx context.Context, function string, l Language, n uint32) (string, error) {
	at, err := in.call(ctx, function, uint64(l), uint64(n))
	if err != nil {
		return "", err
	}
	const longest = 256
	text, ok := in.Memory().Read(at, min(longest, in.Memory().Size()-at))
	end := bytes.IndexByte(text, 0)
	if !ok || end < 0 {
		return "", errors.New("the module returned no name")
	}
	return string(text[:end]), nil
}

// parse parses a text and returns its nodes. cut is set if nodes are left out. It returns ErrTooComplex if the budget
// or the memory is used up. After an error the instance must not be used again.
func (in *instance) parse(ctx context.Context, l Language, text []byte, budget uint64, most uint32) (all []node,
	cut bool, err error) {
	at, err := in.call(ctx, "allocate", uint64(len(text)+1))
	if err != nil {
		return nil, false, err
	}
	if at == 0 || !in.Memory().Write(at, text) {
		return nil, false, ErrTooComplex
	}
	n, err := in.call(ctx, "parse", uint64(l), uint64(at), uint64(len(text)), budget, uint64(most))
	// If the budget is used up, the module ends by a trap. If the memory is used up, tree-sitter aborts.
	if err != nil || n == 0 {
		return nil, false, errors.Join(ErrTooComplex, err)
	}
	if all, err = in.nodes(ctx, n&^(1<<31)); err != nil {
		return nil, false, err
	}
	if _, releasing := in.ExportedFunction("release").Call(ctx, uint64(at)); releasing != nil {
		return nil, false, releasing
	}
	return all, n>>31 != 0, err
}

// nodes copies n nodes out of the module's memory.
func (in *instance) nodes(ctx context.Context, n uint32) ([]node, error) {
	at, err := in.call(ctx, "tree")
	if err != nil {
		return nil, err
	}
	raw, ok := in.Memory().Read(at, n*word)
	if !ok {
		return nil, errors.New("the module returned no tree")
	}
	all := make([]node, n)
	for i := range all {
		b := raw[i*word:]
		all[i] = node{
			kind: binary.LittleEndian.Uint16(b), field: binary.LittleEndian.Uint16(b[2:]),
			start: binary.LittleEndian.Uint32(b[4:]), end: binary.LittleEndian.Uint32(b[8:]),
			size: binary.LittleEndian.Uint32(b[12:]),
		}
	}
	return all, nil
}
