package review

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
)

// Review is the id of the template whose roles the scouts play. The other constants are the ids of its stages.
const (
	Review         = "code_review"
	reconnaissance = "reconnaissance"
	deepAnalysis   = "deep_analysis"
	crossReference = "cross_reference"
	oracleReview   = "oracle_review"
	synthesis      = "synthesis"
	presentation   = "presentation"
)

// oracle is the role that judges what the heroes found.
const oracle = "oracle"

// guard is the hero whose checks look for weaknesses of security.
const guard = "sentinel"

// Error codes of failed turns.
const (
	codeNoRepository = "no_repository"
	codeNoStage      = "no_stage"
)

// Repositories opens linked folders for checks. The scouts cancel ctx when they are closed; the caller closes the
// io.Closer after its last use of the folder.
type Repositories interface {
	Open(ctx context.Context, path string) (*inspect.Repo, io.Closer, error)
}

// maxReviews is the number of views up to which unused ones stay open. If there are more, the oldest unused ones are
// closed; a turn that needs one later opens it again.
const maxReviews = 4

// Scouts is the driver that plays code reviews, in any number of realms.
type Scouts struct {
	// Judge plays the turns in which a language model proves or withdraws candidates. It is nil without a model, and is
	// set before the first turn.
	Judge driver.Driver

	repos   Repositories
	checks  []inspect.Check
	rules   string        // names this set of checks
	running chan struct{} // one value for each running check, at most one check a core

	ctx  context.Context // ends with the scouts
	end  context.CancelFunc
	work sync.WaitGroup // views that are being opened or closed

	mu      sync.Mutex
	reviews map[string]*review // by conversation
	order   []string           // keys of reviews, the oldest first
	// closed holds the results of the heroes' checks by conversation, for views that were closed. When it has maxClosed
	// entries, it is cleared before the next one. A check whose result is needed after that runs again.
	closed map[string]*closedView
}

// closedView keeps the results of the heroes' checks of a review, and what the checks could and could not read, after
// the view of the repository was closed.
type closedView struct {
	results map[string]*inspect.Result
	unread  map[string]string
	binary  map[string]string
	covered *inspect.Coverage // nil if no hero has asked for it
}

const maxClosed = 32

// New returns scouts with the given checks (inspect/heroes.Checks). version is the version of the program: another
// version may have other findings for the same files, so it invalidates checkpoints.
func New(repos Repositories, checks []inspect.Check, version string) *Scouts {
	ctx, end := context.WithCancel(context.Background())
	return &Scouts{
		repos: repos, checks: checks, rules: rulesOf(checks, version), running: make(chan struct{}, runtime.GOMAXPROCS(0)),
		ctx: ctx, end: end, reviews: map[string]*review{}, closed: map[string]*closedView{},
	}
}

// Close closes all views. It must not be called while a turn is being played.
func (s *Scouts) Close() error {
	s.end()
	s.work.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, r := range s.reviews {
		errs = append(errs, r.close())
	}
	s.reviews, s.order = map[string]*review{}, nil
	return errors.Join(errs...)
}

// of returns the checks of a hero.
func (s *Scouts) of(hero string) []*inspect.Check {
	var out []*inspect.Check
	for i := range s.checks {
		if s.checks[i].Hero == hero {
			out = append(out, &s.checks[i])
		}
	}
	return out
}

// review is an open view of the repository for one review, with the results of the checks that ran on it.
type review struct {
	users int // number of turns that use the view; guarded by Scouts.mu

	ready  chan struct{} // closed once the fields below are set
	repo   *inspect.Repo
	closer io.Closer
	err    error

	mu      sync.Mutex
	results map[string]*result

	covering sync.Mutex // held while covered is computed
	covered  *inspect.Coverage

	told time.Time // when a turn last said how many files are read; guarded by mu
}

// tells reports whether a turn may now say how many files have been read: once in progressGap for all turns that use
// the view together.
func (r *review) tells(now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.told) < progressGap {
		return false
	}
	r.told = now
	return true
}

type result struct {
	done chan struct{}
	res  *inspect.Result
}

// acquire returns the view of the repository with that key, which may still be opening. If there is none, acquire
// begins to open one for path. The caller calls release when it no longer needs the view.
func (s *Scouts) acquire(key, path string) *review {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.reviews[key]
	if r == nil {
		r = &review{ready: make(chan struct{}), results: map[string]*result{}}
		s.reviews[key] = r
		s.order = append(s.order, key)
		s.work.Go(func() { s.open(key, path, r) })
	}
	r.users++
	return r
}

func (s *Scouts) open(key, path string, r *review) {
	r.repo, r.closer, r.err = s.repos.Open(s.ctx, path)
	if r.err == nil && r.repo.History != nil {
		r.repo.History.Head() // read the head now, so that a commit during the review counts as a change
	}
	close(r.ready)
	if r.err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.forget(key) // the next turn tries to open the view again
	}
}

// release ends the use of a view. If more than maxReviews views are open, it closes the oldest unused ones.
func (s *Scouts) release(r *review) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.users--
	for i := 0; i < len(s.order) && len(s.order) > maxReviews; {
		if old := s.reviews[s.order[i]]; old.users == 0 {
			s.forget(s.order[i])
			s.work.Go(func() { _ = old.close() }) // the folder was only read, so an error loses nothing
			continue
		}
		i++
	}
}

// forget removes the view with that key from the maps. The caller holds s.mu.
func (s *Scouts) forget(key string) {
	delete(s.reviews, key)
	s.order = slices.DeleteFunc(s.order, func(k string) bool { return k == key })
}

// retire closes the view that the heroes use and keeps the results of their checks, because the syntax trees of a
// view take ten times the memory of the text.
func (s *Scouts) retire(key string) {
	s.mu.Lock()
	r := s.reviews[key]
	if r != nil && r.users == 0 {
		r.mu.Lock()
		view := &closedView{results: map[string]*inspect.Result{}}
		for id, res := range r.results {
			view.results[id] = res.res
		}
		r.mu.Unlock()
		if r.repo != nil {
			view.unread, view.binary = r.repo.Unread(), r.repo.Binary()
			r.covering.Lock()
			view.covered = r.covered
			r.covering.Unlock()
		}
		if len(s.closed) >= maxClosed {
			clear(s.closed)
		}
		s.closed[key] = view
	}
	s.mu.Unlock()
	s.drop(key)
}

// resultOf returns the result that the heroes of the turn's conversation got from a check, nil if the check has not
// run since the server started.
func (s *Scouts) resultOf(turn driver.Turn, check string) *inspect.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.closed[turn.RealmID+"/"+turn.ConversationID]; b != nil {
		return b.results[check]
	}
	return nil
}

// unread returns the files that the heroes could not read as text, with the reasons; binary are those without text.
func (s *Scouts) unread(turn driver.Turn, r *inspect.Repo) (unread, binary map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.closed[turn.RealmID+"/"+turn.ConversationID]; b != nil {
		return b.unread, b.binary
	}
	return r.Unread(), r.Binary()
}

// coverage returns what the checks could read of the repository when the heroes of the turn's conversation used it.
// If they have not used it since the server started, coverage measures the view r.
func (s *Scouts) coverage(ctx context.Context, turn driver.Turn, r *review) (*inspect.Coverage, error) {
	s.mu.Lock()
	b := s.closed[turn.RealmID+"/"+turn.ConversationID]
	s.mu.Unlock()
	if b != nil && b.covered != nil {
		return b.covered, nil
	}
	r.covering.Lock()
	defer r.covering.Unlock()
	if r.covered == nil {
		c, err := r.repo.Coverage(ctx, s.checks)
		if err != nil {
			return nil, err
		}
		r.covered = c
	}
	return r.covered, nil
}

// drop closes the view with that key, because no turn needs it any more.
func (s *Scouts) drop(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.reviews[key]; r != nil && r.users == 0 {
		s.forget(key)
		s.work.Go(func() { _ = r.close() })
	}
}

func (r *review) close() error {
	<-r.ready
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// run returns the result of a check. A check runs once in a review. If the turn that runs it is cancelled, the next
// turn that needs the result runs the check again. last is the hero's last review, nil for none.
func (s *Scouts) run(ctx context.Context, r *review, c *inspect.Check, last *last) (*inspect.Result, error) {
	for {
		r.mu.Lock()
		known := r.results[c.ID]
		if known == nil {
			known = &result{done: make(chan struct{})}
			r.results[c.ID] = known
			r.mu.Unlock()
			return s.runCheck(ctx, r, c, last, known)
		}
		r.mu.Unlock()
		select {
		case <-known.done:
			if known.res != nil {
				return known.res, nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *Scouts) runCheck(ctx context.Context, r *review, c *inspect.Check, last *last, to *result) (
	*inspect.Result, error,
) {
	defer close(to.done)
	var res *inspect.Result
	select {
	case s.running <- struct{}{}:
		if last == nil {
			res = inspect.Run(ctx, r.repo, c)
		} else {
			res = inspect.RunAgain(ctx, r.repo, c, last.changed, last.found[c.ID])
		}
		<-s.running
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		r.mu.Lock()
		delete(r.results, c.ID) // the check did not end, so the next turn that needs it runs it again
		r.mu.Unlock()
		return nil, ctx.Err()
	}
	to.res = res
	return res, nil
}

// all runs every check of a hero.
func (s *Scouts) all(ctx context.Context, r *review, hero string, last *last) ([]*inspect.Result, error) {
	var out []*inspect.Result
	for _, c := range s.of(hero) {
		res, err := s.run(ctx, r, c, last)
		if err != nil {
			return nil, err
		}
		out = append(out, res)
	}
	return out, nil
}

// heroes lists the heroes in the order of the template.
var heroes = []string{"architect", "sentinel", "archaeologist", "cartographer", "alchemist", "healer", "sage", "warden",
	"scout", "bard"}

// rank returns a hero's position in heroes. If two equally severe findings are merged, the finding of the hero with the
// lower rank remains.
func rank(hero string) int {
	if i := slices.Index(heroes, hero); i >= 0 {
		return i
	}
	return len(heroes)
}

// rulesOf returns a short hash that changes if the program's version, the set of checks or the rule of a check changes.
func rulesOf(checks []inspect.Check, version string) string {
	sum := sha256.New()
	fmt.Fprintln(sum, version)
	for i := range checks {
		fmt.Fprintln(sum, checks[i].ID, checks[i].Rule)
	}
	return hex.EncodeToString(sum.Sum(nil))[:8]
}
