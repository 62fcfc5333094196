// Package facts answers the questions of coding agents about a realm over the Model Context Protocol, and changes
// nothing (P17.13). It answers who is here and which file each member works on, lists findings, quests, vaults and
// conversations, and returns the scouts' facts about files, references to code, and the flows of values.
//
// It owns the tools: their names, inputs and outputs, and how long an answer may be. It does not decide who may ask:
// server/gate admits only the person who runs the server, so an answer contains everything that this person may see. It
// reads copies of the realm's world, so a question never makes the realm wait.
//
// server/app makes the Facts of the default tenant, and the gate serves it at /mcp. The command mcp of the main package
// offers the same tools on standard input and output, and passes each call on to a running server.
//
// # Where to look
//
//   - the server of the protocol, ports: facts.go; limits of time and number, errors: call.go
//   - the tools, with their inputs: tools.go; which realm a call is about: question.go; limits of answers: room.go
//   - answers: here.go (who is here), board.go (findings, quests, vaults), talks.go, file.go, code.go (importers,
//     callers, tests), history.go, flows.go (flows, what was not read), api.go (exported names)
package facts

import (
	"context"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"agentdungeon/server/inspect"
	"agentdungeon/server/realm"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// maxRequest is the maximum size of a request in bytes. The server answers a longer one with the HTTP status 413.
const maxRequest = 256 << 10

// Realms has the realms of a tenant.
type Realms interface {
	List(ctx context.Context) (wire.RealmList, error)
	// Open returns a realm, and opens it first if it is closed.
	Open(ctx context.Context, id string) (Realm, error)
}

// Realm is the port to an open realm; see realm.Realm.
type Realm interface {
	World(ctx context.Context) (*world.World, error)
	Vaults(ctx context.Context) ([]world.Vault, error)
	Transcripts() realm.Transcripts
	Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error)
}

// Scouts read linked folders; see review.Scouts.
type Scouts interface {
	// Known returns the facts about a file. The error wraps inspect.ErrNoFile if the folder has no such file.
	Known(ctx context.Context, folder, name string) (*inspect.Known, error)
	// View calls the function use with the folder as it is now, and with the checks of code reviews.
	View(ctx context.Context, folder string, use func(*inspect.Repo, []inspect.Check) error) error
}

// Config has the ports and settings of Facts.
type Config struct {
	Realms Realms
	Scouts Scouts
	// Place returns the path of a file within a linked folder. path is absolute; it can be in another worktree of the
	// folder's repository.
	Place func(folder, path string) (rel string, ok bool)
	// Base sets the Base of a repository to the merge base of HEAD and a revision. Its error is a sentence for people.
	Base    func(ctx context.Context, r *inspect.Repo, rev string) error
	Version string // version of this program
	Log     zerolog.Logger
}

// Facts answers questions. Its methods are safe for concurrent use.
type Facts struct {
	cfg     Config
	handler func() http.Handler // made for the first request, since it takes as long as half of a server's start
	calls   chan struct{}       // one value for each running call

	ctx context.Context // ends with Close
	end context.CancelFunc

	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup // calls under way
}

// New returns Facts. The caller calls Close before it closes the realms.
func New(cfg Config) *Facts {
	f := &Facts{cfg: cfg, calls: make(chan struct{}, maxCalls)}
	f.ctx, f.end = context.WithCancel(context.Background())
	f.handler = sync.OnceValue(func() http.Handler {
		server := f.Server()
		one := func(*http.Request) *mcp.Server { return server }
		// DisableLocalhostProtection: the gate has checked Host and Origin already. The library's check would also refuse
		// the host names that the flag -host allows.
		return mcp.NewStreamableHTTPHandler(one, &mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: maxRequest,
			PropagateRequestCancellation: true,
		})
	})
	return f
}

const instructions = "Facts about the repository you work in, kept by Agent Dungeon: the other coding agents and " +
	"people at work in it now, what code reviews found, open quests, and all that was said. Everything is read-only. " +
	"Before you edit a file, about_file says who else is at it, who imports it and which tests belong to it; callers, " +
	"importers and tests_of quote each place and say how sure it is."

// Server returns a server of the protocol with all tools.
func (f *Facts) Server() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "agentdungeon", Title: "Agent Dungeon", Version: f.cfg.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}, // the list of tools never changes
		}})
	f.tools(s)
	return s
}

// ServeHTTP serves the protocol's streamable HTTP, without sessions.
func (f *Facts) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.handler().ServeHTTP(w, r) }

// Close ends the running calls and waits for them. Later calls fail.
func (f *Facts) Close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.end()
	f.work.Wait()
}
