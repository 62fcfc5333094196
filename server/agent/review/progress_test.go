package review

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// While checks run for long, one of the scouts says once a second how many of all files have been read. If a check ends
// at once, nobody says it.
func TestScoutsTellHowManyFilesAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := map[string]string{}
		for n := range 8 {
			files[fmt.Sprintf("f%d.go", n)] = "package f\n"
		}
		slow := func(hero string) inspect.Check {
			return inspect.Check{ID: hero + "/slow", Hero: hero, Looks: "it", Rule: "-",
				Run: func(ctx context.Context, r *inspect.Repo, _ func(inspect.Finding)) error {
					for range r.All(ctx) {
						time.Sleep(time.Second / 2)
					}
					return nil
				}}
		}
		s := New(&shelf{files: files}, []inspect.Check{slow("sentinel"), slow("healer"), word("sage/quick", "bad", "low")}, "v")
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		var mu sync.Mutex
		var told []driver.Progress
		play := func(role string) {
			req := turn(role, reconnaissance, 2)
			err := s.Driver(review1, req.Role).Run(t.Context(), req, func(c driver.Chunk) error {
				mu.Lock()
				defer mu.Unlock()
				if c.Progress != nil {
					told = append(told, *c.Progress)
				}
				return nil
			})
			if err != nil {
				t.Error(role, err)
			}
		}
		play("sage")
		if len(told) > 0 {
			t.Errorf("a quick check tells %+v", told)
		}
		s.drop("r/c")
		synctest.Wait()
		var turns sync.WaitGroup
		for _, role := range []string{"sentinel", "healer"} {
			turns.Go(func() { play(role) })
		}
		turns.Wait()
		if len(told) < 3 || len(told) > 8 {
			t.Fatalf("two scouts that read for 4 to 8 seconds tell %+v", told)
		}
		if !slices.IsSortedFunc(told, func(a, b driver.Progress) int { return a.Read - b.Read }) {
			t.Errorf("the number of read files falls: %+v", told)
		}
		if first, last := told[0], told[len(told)-1]; first.Read == 0 || first.Read == 8 || last.Read != 8 || last.Total != 8 {
			t.Errorf("told %+v", told)
		}
	})
}

// A hero whose checks run for long walks among the files that they read, so that people see it at work. At the pace that
// leaves out all delays it stays.
func TestAHeroWalksWhileItsChecksRun(t *testing.T) {
	for pace, want := range map[string][]string{
		world.PaceWatchable: {"a/large.go", "b/x.go", "c/x.json"}, world.PaceInstant: nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			slow := inspect.Check{ID: "architect/slow", Hero: "architect", Looks: "it", Rule: "-",
				Run: func(context.Context, *inspect.Repo, func(inspect.Finding)) error {
					time.Sleep(10 * time.Second)
					return nil
				}}
			s := New(&shelf{files: map[string]string{
				"a/large.go": "package a // of two files\n", "a/x.go": "package a\n", "b/x.go": "package b\n", "c/x.png": "", "c/x.json": "{\"a\": \"data that is larger than every file of source\"}\n",
			}}, []inspect.Check{slow}, "v")
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			var walked []string
			req := turn("architect", deepAnalysis, 1)
			req.Pace = pace
			err := s.Driver(review1, req.Role).Run(t.Context(), req, func(c driver.Chunk) error {
				if c.Read != nil {
					walked = append(walked, c.Read.Path)
				}
				return nil
			})
			if err != nil || !slices.Equal(walked, want) {
				t.Errorf("at the pace %s the hero walks to %q (%v), want %q", pace, walked, err, want)
			}
		})
	}
}
