package recovery_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"agentdungeon/server/soak"
	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/files"
	"agentdungeon/server/store/journal"
	"agentdungeon/server/store/recovery"
	"agentdungeon/server/store/storetest"
	"agentdungeon/shared/world"
)

// corruptSeeds returns the seeds of one run: the same ones in every test run, and others with AGENTDUNGEON_SEED,
// as make soak sets it.
func corruptSeeds(t testing.TB) (seeds []uint64) {
	t.Helper()
	first, n := uint64(1), soak.Cases[uint64](40, 20)
	if s := os.Getenv("AGENTDUNGEON_SEED"); s != "" {
		var err error
		first, err = strconv.ParseUint(s, 10, 64)
		storetest.Must(t, err)
		first, n = first*1000, 100
	}
	if s := os.Getenv("AGENTDUNGEON_CORRUPT"); s != "" { // one case again
		var err error
		first, err = strconv.ParseUint(s, 10, 64)
		storetest.Must(t, err)
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

// foundCorrupt are seeds that once found a bug.
var foundCorrupt = []uint64{7030, 8079, 9022, 10017, 10030, 12000}

// A realm with damaged files opens. Each row that can be read by its number is shown with its text, and so is
// what state.json holds. Replay, search, erasure and retention work as in an intact realm, and a second opening
// changes nothing (S3-17, S1-19).
func TestCorruptFilesLoseNothingThatCanBeRead(t *testing.T) {
	running := talkRig(t, 48)
	stopped := running.Copy(t)
	stopped.SQL(t, "PRAGMA wal_checkpoint(TRUNCATE)")
	for _, seed := range corruptSeeds(t) {
		t.Run(fmt.Sprint("AGENTDUNGEON_CORRUPT=", seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 13))
			k := running.Copy(t)
			if rnd.IntN(2) == 0 {
				k = stopped.Copy(t)
			}
			t.Log(k.Corrupt(t, rnd))
			survives(t, k)
		})
	}
}

func survives(t *testing.T, k *storetest.KilledRig) {
	want := readByRowid(t, k.Dir, k.R.W.Tick)
	state, _ := files.OpenRealm(afero.NewOsFs(), k.Dir).LoadCheckpoint(files.StateFile) // nil where it is damaged
	o := storetest.MustOpen(t, k.Dir)
	showsRows(t, want, o)
	if state != nil && o.Saved.Head < state.Seq {
		t.Fatalf("it opens at %d, and state.json was at %d: %s", o.Saved.Head, state.Seq, storetest.MustJSON(t, o.Saved.Restored))
	}
	replays(t, o.Journal)
	searches(t, o)
	goesOn(t, k, o)
	r := &storetest.Rig{T: t, Dir: k.Dir, At: k.R.At}
	r.Open()
	for _, e := range []world.Erasure{
		{ErasureID: "e1", Conversations: []string{"chat1"}, Reason: world.ErasedOnRequest, Who: "test"},
		{ErasureID: "e2", Conversations: []string{"chat2"}, Reason: world.ErasedByRetention, Who: "retention"},
	} {
		r.ErasesOne(e)
	}
	if aside := storetest.AsideNames(t, k.Dir); len(aside) > 0 {
		t.Errorf("still set aside: %v", aside)
	}
	for i := range 48 {
		for _, word := range []string{fmt.Sprintf("why word%d ", i), fmt.Sprintf("old tower %d stands", i)} {
			if n := storetest.BytesOf(t, k.Dir, word) + storetest.UnpackedOf(t, r.O.Journal, word); n > 0 {
				t.Fatalf("%q is still there, %d times", word, n)
			}
		}
	}
	r.Close()
	once := storetest.MustOpen(t, k.Dir)
	rows, _ := storetest.ShownRows(t, once)
	storetest.Must(t, once.Journal.Close())
	if again, _ := storetest.ShownRows(t, storetest.MustOpen(t, k.Dir)); !maps.Equal(again, rows) {
		t.Errorf("one opening shows %d rows, the next %d", len(rows), len(again))
	}
}

// replays reads all events: each is returned, or reported as lost, without any other error.
func replays(t testing.TB, j *journal.Journal) {
	t.Helper()
	for after := j.Floor() - 1; after < j.Head(); {
		frames, err := j.Read(context.Background(), after, 1)
		switch {
		case errors.Is(err, disk.ErrCorrupt) || errors.Is(err, disk.ErrMissing):
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

// searches searches for words: a damaged index may miss some, but the search returns no error.
func searches(t testing.TB, o *recovery.Opened) {
	t.Helper()
	for _, word := range []string{"tower", "word7", "why"} {
		if _, err := o.Journal.Search(context.Background(), world.SearchQuery{Words: word, Limit: 50}); err != nil {
			t.Fatalf("searched for %q: %v", word, err)
		}
	}
}

// showsRows fails the test unless each row in want is shown with its text, in whichever conversation.
func showsRows(t testing.TB, want map[string]string, o *recovery.Opened) {
	t.Helper()
	shown, _ := storetest.ShownRows(t, o)
	byID := map[string]string{}
	for id, text := range shown {
		_, message, _ := strings.Cut(id, "/")
		byID[message] = text
	}
	for id, text := range want {
		_, message, _ := strings.Cut(id, "/")
		if is, there := byID[strings.ToValidUTF8(message, "\uFFFD")]; !there || is != strings.ToValidUTF8(text, "\uFFFD") {
			t.Fatalf("row %q can be read and is not shown (%t): %.60q, want %.60q; %s", id, there, is, text, storetest.MustJSON(t, o.Saved.Restored))
		}
	}
}
