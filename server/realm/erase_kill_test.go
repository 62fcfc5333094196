package realm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/realm/erasure"
	"agentdungeon/shared/world"
)

// killer is a disk that does nothing more after a simulated kill, which happens before its n-th use of one kind or
// within a redaction; the folder's content at that time is copied. Goroutines use the disk in no fixed order, so each
// kind of use is counted separately.
type killer struct {
	Journal
	Files
	eraser erasure.Eraser

	from, to string
	mu       sync.Mutex
	armed    bool
	at       string // the kind of use to kill at
	left     int    // number of uses of this kind until the kill
	within   int    // number of chunks of the redaction until the kill, -1 for no kill there
	dead     bool
	name     string // of the use
}

var errKilled = errors.New("killed")

func (k *killer) use(name string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		return errKilled
	}
	if !k.armed {
		return nil
	}
	if name != k.at || k.within >= 0 {
		return nil
	}
	if k.left--; k.left >= 0 {
		return nil
	}
	return k.die(name)
}

func (k *killer) die(name string) error {
	k.dead, k.name = true, name
	// The journal's log is moved into the database at the same time, so a copy can have parts of two moments, which no
	// kill leaves. Two equal copies in a row show one moment.
	for n := 0; n < 1000; n++ {
		first, second := fmt.Sprint(k.to, "-", n), fmt.Sprint(k.to, "-", n, "-again")
		if err := errors.Join(os.CopyFS(first, os.DirFS(k.from)), os.CopyFS(second, os.DirFS(k.from))); err != nil {
			continue // the file was removed while it was copied
		}
		if sameFiles(first, second) {
			return errors.Join(errKilled, os.Rename(first, k.to))
		}
	}
	return errors.New("the folder is never quiet")
}

// sameFiles reports whether two folders are equal byte by byte.
func sameFiles(a, b string) bool {
	list := func(dir string) map[string]string {
		out := map[string]string{}
		_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			raw, err := os.ReadFile(path)
			out[strings.TrimPrefix(path, dir)] = string(raw)
			return err
		})
		return out
	}
	return maps.Equal(list(a), list(b))
}

func (k *killer) Commit(b *world.Batch) error {
	if err := k.use("commit"); err != nil {
		return err
	}
	return k.Journal.Commit(b)
}

func (k *killer) WriteCheckpoint(c world.Checkpoint) error {
	if err := k.use("checkpoint"); err != nil {
		return err
	}
	return k.Files.WriteCheckpoint(c)
}

func (k *killer) WriteVault(v world.Vault) error {
	if err := k.use("vault"); err != nil {
		return err
	}
	return k.Files.WriteVault(v)
}

func (k *killer) Forget(seq, told int64, asides []string) (int, []string, error) {
	if err := k.use("forget"); err != nil {
		return 0, nil, err
	}
	return k.Files.Forget(seq, told, asides)
}

func (k *killer) EarlierErasure(ctx context.Context, e world.Erasure) (*world.Receipt, error) {
	return k.eraser.EarlierErasure(ctx, e)
}

func (k *killer) IntendErasure(e world.Erasure) error {
	if err := k.use("intend"); err != nil {
		return err
	}
	return k.eraser.IntendErasure(e)
}

func (k *killer) DropErasure(id string) error {
	if err := k.use("drop"); err != nil {
		return err
	}
	return k.eraser.DropErasure(id)
}

func (k *killer) ScopeErasure(ctx context.Context, e world.Erasure, names []string, bare bool) (world.Scope, error) {
	if err := k.use("scope"); err != nil {
		return world.Scope{}, err
	}
	return k.eraser.ScopeErasure(ctx, e, names, bare)
}

func (k *killer) Redact(ctx context.Context, id string) (world.Redacted, error) {
	if err := k.use("redact"); err != nil {
		return world.Redacted{}, err
	}
	k.mu.Lock()
	within := k.armed && k.within >= 0
	k.mu.Unlock()
	if !within {
		return k.eraser.Redact(ctx, id)
	}
	c := &counted{Context: ctx, over: make(chan struct{}), left: int64(k.within)}
	red, err := k.eraser.Redact(c, id)
	if err == nil {
		return red, nil // the redaction had fewer chunks
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return red, k.die(fmt.Sprint("redact ", k.within))
}

func (k *killer) ReplaceBases(c world.Checkpoint) (int, error) {
	if err := k.use("bases"); err != nil {
		return 0, err
	}
	return k.eraser.ReplaceBases(c)
}

func (k *killer) NoteRemoved(ctx context.Context, id string, names []string) ([]string, error) {
	if err := k.use("note"); err != nil {
		return nil, err
	}
	return k.eraser.NoteRemoved(ctx, id, names)
}

func (k *killer) EndErasure(ctx context.Context, e world.Erasure, r world.Receipt, now func() time.Time) (world.Receipt, error) {
	if err := k.use("end"); err != nil {
		return r, err
	}
	return k.eraser.EndErasure(ctx, e, r, now)
}

// counted is a context that ends after a number of calls of Done.
type counted struct {
	context.Context
	left int64
	once sync.Once
	over chan struct{}
}

func (c *counted) Done() <-chan struct{} {
	if atomic.AddInt64(&c.left, -1) < 0 {
		c.once.Do(func() { close(c.over) })
	}
	return c.over
}

func (c *counted) Err() error {
	select {
	case <-c.over:
		return errKilled
	default:
		return nil
	}
}

// eraseUses lists the kinds of disk use in an erasure.
var eraseUses = []string{"intend", "scope", "commit", "vault", "redact", "bases", "checkpoint", "forget", "end"}

// The server is killed before each disk use of an erasure, and within the redaction of rows. Either the next opening
// completes the erasure before it shows anything, or the erasure had not begun (S1-19). P16.3.
func TestAnErasureIsKilledAnywhere(t *testing.T) {
	var before past
	in := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t, quoting, in)
		d.open(false)
		_, before.chat, _ = d.lived()
		d.stop()
		before.dir, before.at = d.dir, time.Now()
	})
	for _, person := range []bool{false, true} {
		for _, at := range eraseUses {
			n := 0
			for killErasure(t, before, person, at, n, -1) {
				n++
			}
			if n == 0 && at != "vault" { // only an erasure of quoted words uses the vault
				t.Errorf("person %v: no kill at %s", person, at)
			}
		}
		chunks := 0
		for within := 0; within < 40 && killErasure(t, before, person, "redact", 0, within); within = 2*within + 1 {
			chunks++
		}
		if chunks == 0 {
			t.Errorf("person %v: no kill within the redaction", person)
		}
	}
}

// past is a folder in which people have talked until a time, with the id of a chat.
type past struct {
	dir, chat string
	at        time.Time
}

// killErasure opens a copy of a folder, erases, and kills before the n-th use of a kind; if within is at least 0, it
// kills within the redaction. It returns whether the erasure had such a use, and checks what the next opening finds.
func killErasure(t *testing.T, before past, person bool, at string, n, within int) bool {
	t.Helper()
	name := ""
	synctest.Test(t, func(t *testing.T) {
		d := newDisk(t, quoting, t.TempDir())
		if err := os.CopyFS(d.dir, os.DirFS(before.dir)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Until(before.at)) // every bubble begins at the same time, so it has to reach the folder's time
		d.kill = &killer{from: d.dir, to: filepath.Join(t.TempDir(), "killed"), at: at, left: n, within: within}
		d.open(false)
		c := d.tab()
		synctest.Wait()
		time.Sleep(time.Minute) // the realm becomes quiet, so that all later disk uses are the erasure's
		c.pull()
		d.kill.mu.Lock()
		d.kill.armed = true
		d.kill.mu.Unlock()
		e := world.Erasure{Conversations: []string{before.chat}, Reason: world.ErasedOnRequest, Who: "test"}
		words, kept := []string{chatSays}, []string{adaSays, benSays}
		if person {
			e = world.Erasure{SpectatorID: planter.SpectatorID, Reason: world.ErasedOnRequest, Who: "test"}
			words, kept = []string{adaSays, adaAside, chatSays, adaName}, []string{benSays}
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		_, _ = d.r.Erase(ctx, e) // whether it was killed or not: the content of the folder shows the result
		d.kill.mu.Lock()
		d.kill.dead, name = true, d.kill.name
		d.kill.mu.Unlock()
		over, end := context.WithCancel(context.Background())
		end()
		_, _ = d.r.Stop(over)
		<-d.r.Done()
		if name == "" {
			return
		}
		left := *d
		left.dir, left.kill = d.kill.to, nil
		left.open(false)
		begun := erasures(t, &left)
		late := left.tab()
		if begun > 0 {
			for _, f := range late.raw {
				for _, w := range words {
					if containsWord(f, w) {
						t.Errorf("killed at %s, %d: what is shown first is %s", name, n, f)
					}
				}
			}
		}
		time.Sleep(time.Minute)
		left.stop()
		if begun == 0 {
			if name != "intend" {
				t.Errorf("killed at %s %d: nothing of it is left", name, n)
			}
			return
		}
		left.gone(t, nil, words, kept)
		left.open(false)
		left.equal(t)
		left.stop()
	})
	if t.Failed() {
		t.Fatalf("person %v: killed at use %d of %s (%s), within %d", person, n, at, name, within)
	}
	return name != ""
}

func containsWord(f []byte, w string) bool {
	raw, err := json.Marshal(w)
	return err == nil && len(raw) > 2 && strings.Contains(string(f), string(raw[1:len(raw)-1]))
}

// erasures counts the erasures that the folder records, ended or not.
func erasures(t *testing.T, d *disk) int {
	t.Helper()
	n := len(d.o.Saved.Erasures)
	if d.o.Saved.ErasedAt > 0 {
		n++
	}
	return n
}
