package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"

	"agentdungeon/shared/world"
)

// corruptions is what may happen to a file of a stopped realm.
var corruptions = map[string]func(rnd *rand.Rand, raw []byte) []byte{
	"bits": func(rnd *rand.Rand, raw []byte) []byte {
		for range 1 + rnd.IntN(12) {
			raw[rnd.IntN(len(raw))] ^= 1 << rnd.IntN(8)
		}
		return raw
	},
	"cut": func(rnd *rand.Rand, raw []byte) []byte { return raw[:rnd.IntN(len(raw))] },
	"zeroed pages": func(rnd *rand.Rand, raw []byte) []byte {
		for range 1 + rnd.IntN(4) {
			clear(pageOf(rnd, raw))
		}
		return raw
	},
	"garbage pages": func(rnd *rand.Rand, raw []byte) []byte {
		for range 1 + rnd.IntN(4) {
			for page := pageOf(rnd, raw); len(page) > 0; page = page[1:] {
				page[0] = byte(rnd.Uint32())
			}
		}
		return raw
	},
	"a stretch of zeros": func(rnd *rand.Rand, raw []byte) []byte {
		at := rnd.IntN(len(raw))
		clear(raw[at:min(at+1+rnd.IntN(300), len(raw))])
		return raw
	},
}

// pageOf is a page of a file, or what there is of it.
func pageOf(rnd *rand.Rand, raw []byte) []byte {
	const size = 4096
	at := rnd.IntN((len(raw)+size-1)/size) * size
	return raw[at:min(at+size, len(raw))]
}

// corrupt damages one or two of a realm's files, and says how.
func (k *killedRig) corrupt(t testing.TB, rnd *rand.Rand) string {
	t.Helper()
	var done []string
	for range 1 + rnd.IntN(2) {
		name := []string{JournalFile, JournalFile, JournalFile, JournalFile + "-wal", JournalFile + "-wal", StateFile, PreviousFile}[rnd.IntN(7)]
		raw, err := os.ReadFile(k.path(name))
		if err != nil || len(raw) == 0 {
			continue // a log that has been moved
		}
		version := slices.Clone(raw[:min(64, len(raw))])
		how := slices.Sorted(maps.Keys(corruptions))[rnd.IntN(len(corruptions))]
		raw = corruptions[how](rnd, raw)
		if name == JournalFile && len(raw) >= 64 {
			copy(raw[60:64], version[60:64]) // another version in the header is another test
		}
		k.write(t, name, raw)
		done = append(done, name+": "+how)
	}
	return strings.Join(done, ", ")
}

// corruptSeeds are the cases of one run: the same ones in every test run, and others with
// AGENTDUNGEON_SEED, as make soak sets it.
func corruptSeeds(t testing.TB) (seeds []uint64) {
	t.Helper()
	first, n := uint64(1), uint64(40)
	if raceOn {
		n = 8
	}
	if s := os.Getenv("AGENTDUNGEON_SEED"); s != "" {
		var err error
		first, err = strconv.ParseUint(s, 10, 64)
		must(t, err)
		first, n = first*1000, 100
	}
	if s := os.Getenv("AGENTDUNGEON_CORRUPT"); s != "" { // one case again
		var err error
		first, err = strconv.ParseUint(s, 10, 64)
		must(t, err)
		n = 1
	}
	for i := range n {
		seeds = append(seeds, first+i)
	}
	if first == 1 {
		seeds = append(seeds, foundCorrupt...)
	}
	return seeds
}

// foundCorrupt are cases that once found a mistake.
var foundCorrupt = []uint64{7030, 8079, 9022, 10017, 10030, 12000}

// Whatever has happened to the bytes of a realm's files: it opens, every row that a reader of
// its own still reads by its number is shown with its text, together with what state.json
// holds; replay, search, erasure and retention do what they do on a whole realm, and a second
// opening changes nothing (S3-17, S1-19).
func TestCorruptFilesLoseNothingThatCanBeRead(t *testing.T) {
	running := talkRig(t, 48)
	stopped := running.copy(t)
	stopped.sql(t, "PRAGMA wal_checkpoint(TRUNCATE)")
	for _, seed := range corruptSeeds(t) {
		t.Run(fmt.Sprint("AGENTDUNGEON_CORRUPT=", seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 13))
			k := running.copy(t)
			if rnd.IntN(2) == 0 {
				k = stopped.copy(t)
			}
			t.Log(k.corrupt(t, rnd))
			survives(t, k)
		})
	}
}

func survives(t *testing.T, k *killedRig) {
	want := readByRowid(t, k.dir, k.r.w.Tick)
	state, _ := OpenFiles(afero.NewOsFs(), k.dir).LoadCheckpoint(StateFile) // nil where it is damaged
	o := mustOpen(t, k.dir)
	showsRows(t, want, o)
	if state != nil && o.Saved.Head < state.Seq {
		t.Fatalf("it opens at %d, and state.json was at %d: %s", o.Saved.Head, state.Seq, mustJSON(t, o.Saved.Restored))
	}
	replays(t, o.Journal)
	searches(t, o)
	goesOn(t, k, o)
	r := &rig{t: t, dir: k.dir, at: k.r.at}
	r.open()
	for _, e := range []world.Erasure{
		{ErasureID: "e1", Conversations: []string{"chat1"}, Reason: world.ErasedOnRequest, Who: "test"},
		{ErasureID: "e2", Conversations: []string{"chat2"}, Reason: world.ErasedByRetention, Who: "retention"},
	} {
		r.erasesOne(e)
	}
	if aside := asideNames(t, k.dir); len(aside) > 0 {
		t.Errorf("still set aside: %v", aside)
	}
	for i := range 48 {
		for _, word := range []string{fmt.Sprintf("why word%d ", i), fmt.Sprintf("old tower %d stands", i)} {
			if n := bytesOf(t, k.dir, word) + unpackedOf(t, r.o.Journal, word); n > 0 {
				t.Fatalf("%q is still there, %d times", word, n)
			}
		}
	}
	r.close()
	once := mustOpen(t, k.dir)
	rows, _ := shownRows(t, once)
	must(t, once.Journal.Close())
	if again, _ := shownRows(t, mustOpen(t, k.dir)); !maps.Equal(again, rows) {
		t.Errorf("one opening shows %d rows, the next %d", len(rows), len(again))
	}
}

// erasesOne erases a conversation as the realm does, and holds that all others stay.
func (r *rig) erasesOne(e world.Erasure) {
	t := r.t
	t.Helper()
	e.At = r.at
	before, _ := shownRows(t, r.o)
	receipt, err := r.tryErasing(e)
	if errors.Is(err, world.ErrDamaged) { // the keeper opens it again
		must(t, r.o.Journal.Close())
		r.open()
		kept, eerr := r.o.Journal.EarlierErasure(context.Background(), e)
		must(t, eerr)
		if kept != nil {
			receipt, err = *kept, nil
		} else { // only its intent stands: the actor takes it up
			receipt, err = r.tryErasing(e)
		}
	}
	must(t, err)
	if receipt.DoneAt == 0 {
		t.Fatalf("%s ends without a receipt", e.ErasureID)
	}
	after, _ := shownRows(t, r.o)
	for id, text := range before {
		is, there := after[id]
		if gone := strings.HasPrefix(id, e.Conversations[0]+"/"); gone && there && is != "" {
			t.Fatalf("row %s still says %.60q", id, is)
		} else if !gone && (!there || is != text && !r.damagedRow(id)) {
			t.Fatalf("row %s is %.60q (%t), and was %.60q, after an erasure of %v", id, is, there, text, e.Conversations)
		}
	}
}

// damagedRow says that a row is marked: one whose columns changed may be of what was erased.
func (r *rig) damagedRow(id string) bool {
	talk, message, _ := strings.Cut(id, "/")
	return transcriptOf(r.t, r.o.Journal, talk)[message].Damaged
}

// tryErasing is eraseAll up to an error.
func (r *rig) tryErasing(e world.Erasure) (receipt world.Receipt, err error) {
	j, ctx := r.o.Journal, context.Background()
	if err := j.IntendErasure(e); err != nil {
		return receipt, err
	}
	scope, err := j.ScopeErasure(ctx, e, nil, false)
	if err != nil {
		return receipt, err
	}
	told := &world.HistoryErased{ErasureID: e.ErasureID, SpectatorID: e.SpectatorID, Reason: e.Reason, Conversations: scope.Talks}
	world.NewRedactor(scope, nil).Outcome(r.w, told)
	r.commit(told)
	red, err := j.Redact(ctx, e.ErasureID)
	if err != nil {
		return receipt, err
	}
	at := r.worldNow()
	if _, err := j.ReplaceBases(at); err != nil {
		return receipt, err
	}
	if err := r.o.Files.WriteCheckpoint(at); err != nil {
		return receipt, err
	}
	asides, err := r.o.Files.Asides(e.AsidesBefore(world.TimeOf(time.Now())))
	if err != nil {
		return receipt, err
	}
	removed, err := j.NoteRemoved(ctx, e.ErasureID, asides)
	if err != nil {
		return receipt, err
	}
	gone, left, err := r.o.Files.Forget(at.Seq, at.Seq, asides)
	if err != nil {
		return receipt, err
	}
	red.Changed["files"] = gone
	return j.EndErasure(ctx, e, world.NewReceipt(e, scope.Talks, at.World, red.Changed, removed, left), time.Now)
}

// eraseAll takes all steps of an erasure on an open realm.
func (r *rig) eraseAll(e world.Erasure) world.Receipt {
	r.t.Helper()
	receipt, err := r.tryErasing(e)
	must(r.t, err)
	return receipt
}

// replays reads all events: each is there, or is said to be lost, and nothing else goes wrong.
func replays(t testing.TB, j *Journal) {
	t.Helper()
	for after := j.Floor() - 1; after < j.Head(); {
		frames, err := j.Read(context.Background(), after, 1)
		switch {
		case errors.Is(err, ErrCorrupt) || errors.Is(err, ErrMissing):
			after++
		case err != nil:
			t.Fatalf("replay after %d: %v", after, err)
		case len(frames) != 1 || frames[0].Seq != after+1:
			t.Fatalf("replay after %d gives %d events", after, len(frames))
		default:
			after = frames[0].Seq
		}
	}
}

// searches looks for words: a damaged index may miss some, and is no error.
func searches(t testing.TB, o *OpenedRealm) {
	t.Helper()
	for _, word := range []string{"tower", "word7", "why"} {
		if _, err := o.Journal.Search(context.Background(), world.SearchQuery{Words: word, Limit: 50}); err != nil {
			t.Fatalf("searched for %q: %v", word, err)
		}
	}
}

// showsRows is the rule: each row that can be read is shown, with its text. Where only the
// row's own column says another conversation, it is shown in the one that it was in.
func showsRows(t testing.TB, want map[string]string, o *OpenedRealm) {
	t.Helper()
	shown, _ := shownRows(t, o)
	byID := map[string]string{}
	for id, text := range shown {
		_, message, _ := strings.Cut(id, "/")
		byID[message] = text
	}
	for id, text := range want {
		_, message, _ := strings.Cut(id, "/")
		if is, there := byID[strings.ToValidUTF8(message, "\uFFFD")]; !there || is != strings.ToValidUTF8(text, "\uFFFD") {
			t.Fatalf("row %q can be read and is not shown (%t): %.60q, want %.60q; %s", id, there, is, text, mustJSON(t, o.Saved.Restored))
		}
	}
}
