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

	"agentdungeon/server/driver"
	"agentdungeon/server/inspect"
)

// Review is the template whose roles the scouts play, and its stages.
const (
	Review         = "code_review"
	reconnaissance = "reconnaissance"
	deepAnalysis   = "deep_analysis"
	crossReference = "cross_reference"
	oracleReview   = "oracle_review"
	synthesis      = "synthesis"
	presentation   = "presentation"
)

// oracle is the role that weighs what the heroes found.
const oracle = "oracle"

// Codes of turns that fail.
const (
	codeNoRepository = "no_repository"
	codeNoStage      = "no_stage"
)

// Repositories opens a linked folder as checks see it. ctx is over when the scouts
// end; Close ends the view.
type Repositories interface {
	Open(ctx context.Context, path string) (*inspect.Repo, io.Closer, error)
}

// maxReviews is how many views are kept while nobody uses them; the oldest is closed
// first, and looks again when its review goes on.
const maxReviews = 4

// Scouts plays code reviews in any number of realms.
type Scouts struct {
	repos  Repositories
	checks []inspect.Check
	rules  string        // names this set of checks
	atWork chan struct{} // one for each check that runs: more than there are cores only slow each other

	ctx  context.Context // over when the scouts end
	end  context.CancelFunc
	work sync.WaitGroup // views that are being opened or closed

	mu      sync.Mutex
	reviews map[string]*review // by conversation
	order   []string           // of reviews, oldest first
	// brought is what the heroes' checks brought, by conversation, once their view is let
	// go. At most maxBrought; then it begins anew, and is made again where it is needed.
	brought map[string]*brought
}

// brought is what stays in memory of a view that was closed.
type brought struct {
	results map[string]*inspect.Result
	unread  map[string]string
}

const maxBrought = 32

// New makes scouts with their checks (inspect/heroes.Checks) of a version of the
// program: another one may find other things in the same files.
func New(repos Repositories, checks []inspect.Check, version string) *Scouts {
	ctx, end := context.WithCancel(context.Background())
	return &Scouts{
		repos: repos, checks: checks, rules: rulesOf(checks, version), atWork: make(chan struct{}, runtime.GOMAXPROCS(0)),
		ctx: ctx, end: end, reviews: map[string]*review{}, brought: map[string]*brought{},
	}
}

// Close closes all views. No turn may be under way.
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

// of are the checks of a hero.
func (s *Scouts) of(hero string) []*inspect.Check {
	var out []*inspect.Check
	for i := range s.checks {
		if s.checks[i].Hero == hero {
			out = append(out, &s.checks[i])
		}
	}
	return out
}

// review is one review's view and what its checks have brought.
type review struct {
	users int // turns that use it; held by Scouts.mu

	ready  chan struct{} // closed once the fields below are set
	repo   *inspect.Repo
	closer io.Closer
	err    error

	mu      sync.Mutex
	results map[string]*result
}

type result struct {
	done chan struct{}
	res  *inspect.Result
}

// take gives the view that key names, which may still be opening; give ends its use.
func (s *Scouts) take(key, path string) *review {
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
		r.repo.History.Head() // told from now on: a commit under the review is a change since
	}
	close(r.ready)
	if r.err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.forget(key) // the next turn tries again
	}
}

// give ends the use of a view. Beyond maxReviews it closes the oldest views that nobody uses.
func (s *Scouts) give(r *review) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.users--
	for i := 0; i < len(s.order) && len(s.order) > maxReviews; {
		if old := s.reviews[s.order[i]]; old.users == 0 {
			s.forget(s.order[i])
			s.work.Go(func() { _ = old.close() }) // only a folder that was read: nothing is lost
			continue
		}
		i++
	}
}

// forget is called with s.mu held.
func (s *Scouts) forget(key string) {
	delete(s.reviews, key)
	s.order = slices.DeleteFunc(s.order, func(k string) bool { return k == key })
}

// retire closes the heroes' view, for a syntax tree takes ten times its text, and
// keeps what their checks brought.
func (s *Scouts) retire(key string) {
	s.mu.Lock()
	r := s.reviews[key]
	if r != nil && r.users == 0 {
		r.mu.Lock()
		brought := &brought{results: map[string]*inspect.Result{}}
		for id, res := range r.results {
			brought.results[id] = res.res
		}
		r.mu.Unlock()
		if r.repo != nil {
			brought.unread = r.repo.Unread()
		}
		if len(s.brought) >= maxBrought {
			clear(s.brought)
		}
		s.brought[key] = brought
	}
	s.mu.Unlock()
	s.drop(key)
}

// told is what a check brought to the heroes in this life, nil if it has not looked.
func (s *Scouts) told(turn driver.Turn, check string) *inspect.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.brought[turn.RealmID+"/"+turn.ConversationID]; b != nil {
		return b.results[check]
	}
	return nil
}

// unread are the files that the heroes could not read as text, and why.
func (s *Scouts) unread(turn driver.Turn, r *inspect.Repo) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.brought[turn.RealmID+"/"+turn.ConversationID]; b != nil {
		return b.unread
	}
	return r.Unread()
}

// drop closes a view that is not needed again.
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

// run returns what a check finds; a check runs once in a review. A turn that is cut off
// leaves the check to whoever asks next. last is what the hero knows of the review
// before, nil for nothing.
func (s *Scouts) run(ctx context.Context, r *review, c *inspect.Check, last *last) (*inspect.Result, error) {
	for {
		r.mu.Lock()
		known := r.results[c.ID]
		if known == nil {
			known = &result{done: make(chan struct{})}
			r.results[c.ID] = known
			r.mu.Unlock()
			return s.look(ctx, r, c, last, known)
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

func (s *Scouts) look(ctx context.Context, r *review, c *inspect.Check, last *last, to *result) (
	*inspect.Result, error,
) {
	defer close(to.done)
	var res *inspect.Result
	select {
	case s.atWork <- struct{}{}:
		if last == nil {
			res = inspect.Run(ctx, r.repo, c)
		} else {
			res, _ = inspect.RunAgain(ctx, r.repo, c, last.changed, last.found[c.ID])
		}
		<-s.atWork
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		r.mu.Lock()
		delete(r.results, c.ID) // not looked at to the end
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

// heroes in the order of the template.
var heroes = []string{"architect", "sentinel", "archaeologist", "cartographer", "alchemist", "healer", "sage", "warden",
	"scout", "bard"}

// place is a hero's place in the order; of two equal findings the earlier hero's stands.
func place(hero string) int {
	if i := slices.Index(heroes, hero); i >= 0 {
		return i
	}
	return len(heroes)
}

// rulesOf names a set of checks.
func rulesOf(checks []inspect.Check, version string) string {
	sum := sha256.New()
	fmt.Fprintln(sum, version)
	for i := range checks {
		fmt.Fprintln(sum, checks[i].ID, checks[i].Rule)
	}
	return hex.EncodeToString(sum.Sum(nil))[:8]
}
