package app

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/afero"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// A folder on a disk that hangs delays a caller only for readTime; then the last content is used. One reading
// waits for the disk, however many callers there are.
func TestAGlanceWaitsForNoDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g timedRead[int]
		disk := make(chan struct{}, 1)
		var reads atomic.Int32
		read := func() int {
			n := reads.Add(1)
			<-disk
			return int(n)
		}
		ask := func() (int, time.Duration) {
			began := time.Now()
			return g.look(read, -1), time.Since(began)
		}
		for i := range 3 {
			want := time.Duration(0) // after one caller has waited, the others do not
			if i == 0 {
				want = readTime
			}
			if got, took := ask(); got != -1 || took != want || reads.Load() != 1 {
				t.Fatalf("nothing was read yet: %d after %s, %d readings", got, took, reads.Load())
			}
		}
		disk <- struct{}{}
		synctest.Wait()
		disk <- struct{}{}
		if got, took := ask(); got != 2 || took != 0 {
			t.Errorf("the disk answers: %d after %s", got, took)
		}
		if got, took := ask(); got != 2 || took != readTime || reads.Load() != 3 {
			t.Errorf("it hangs again: %d after %s, %d readings", got, took, reads.Load())
		}
		disk <- struct{}{}
		synctest.Wait()
	})
}

// A caller gets a reading that began after the call, because one that began earlier may have missed a newer file.
func TestAGlanceIsOfWhatLiesThereNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g timedRead[int]
		disk := make(chan struct{})
		n := 0
		read := func() int { n++; m := n; <-disk; return m }
		early, late := make(chan int, 1), make(chan int, 1)
		go func() { early <- g.look(read, -1) }()
		synctest.Wait()
		go func() { late <- g.look(read, -1) }()
		synctest.Wait()
		disk <- struct{}{}
		synctest.Wait()
		if got := <-early; got != 1 || len(late) != 0 {
			t.Errorf("who asked before is told %d; who asked after has been told: %v", got, len(late) == 1)
		}
		disk <- struct{}{}
		if got := <-late; got != 2 {
			t.Errorf("who asked after is told %d", got)
		}
	})
}

// A start waits for a slow disk, so that no realm is restored without the teams and templates of the worlds
// folder.
func TestTheFirstGlanceIsPatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g timedRead[int]
		slow := func() int { time.Sleep(10 * readTime); return 1 }
		if got := g.within(firstReadTime, slow, -1); got != 1 {
			t.Errorf("it is told %d", got)
		}
		var hangs timedRead[int]
		over := make(chan struct{})
		defer close(over)
		began := time.Now()
		if got := hangs.within(firstReadTime, func() int { <-over; return 1 }, -1); got != -1 || time.Since(began) != firstReadTime {
			t.Errorf("of a folder that hangs it is told %d after %s", got, time.Since(began))
		}
	})
}

// slowly is a disk on which the folders of templates and teams take long to open.
type slowly struct{ afero.Fs }

func (f slowly) Open(name string) (afero.File, error) {
	if base := filepath.Base(name); base == "templates" || base == "teams" {
		time.Sleep(4 * readTime)
	}
	return f.Fs.Open(name)
}

// On a slow disk the templates and teams of the worlds folder can be used as soon as the server is ready.
func TestGivenFilesOfASlowDiskAreKnownAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worlds := filepath.Join(t.TempDir(), "worlds")
		for name, text := range map[string]string{
			"templates/solo.json": `{"id":"solo","name":"Solo","roles":[{"id":"a","name":"A","color":"#aabbcc"}],"stages":[{"id":"s","name":"S","goal":"Say it.","roles":["a"],"structure":"single","completion":"explicit_signal","artifacts":[]}]}`,
			"teams/crew.json":     `{"version":"1.0.0","team":{"id":"crew","name":"Crew"}}`,
		} {
			path := filepath.Join(worlds, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		log := &ledger{}
		a := start(t, worlds, func(c *Config) { c.FS, c.Log = slowly{afero.NewOsFs()}, zerolog.New(log) })
		if !strings.Contains(log.String(), "crew.json") { // the read at the start logs the file's mistake
			t.Errorf("no team was read: %s", log)
		}
		r := link(t, a, repo(t))
		submit(t, r, &wire.StartProcess{Problem: "p", TemplateID: "solo"})
		time.Sleep(time.Minute)
		if p := state(t, r).ProcessState; p.Status == world.StatusIdle {
			t.Errorf("the template is not there: %+v", p)
		}
		stop(t, a)
		time.Sleep(10 * readTime) // until the read under way has ended
	})
}
