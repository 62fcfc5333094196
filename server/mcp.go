package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"agentdungeon/server/facts"
	linked "agentdungeon/server/folder"
	"agentdungeon/server/rendezvous"
)

const (
	// reachTime limits how long a server may take to return its realms.
	reachTime = 10 * time.Second
	// factsTime limits one call of a tool. A server itself answers earlier, if only with an error.
	factsTime = time.Minute
	// maxNamed is the maximum number of realms that an error names.
	maxNamed = 20
)

// mcpCommand returns the command mcp, which offers the tools of running servers on standard input and output.
func mcpCommand(p *program) *cobra.Command {
	c := p.command("mcp", "answer coding agents over MCP on standard input and output; agents call it", func() error {
		here, err := os.Getwd()
		if err != nil {
			return fmt.Errorf("mcp: find the folder it was started in: %w", err)
		}
		r := &relay{servers: func() []rendezvous.Server { return rendezvous.Servers(os.Getenv) }, folder: here}
		if err := r.server().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			return fmt.Errorf("mcp: %w", err)
		}
		return nil
	})
	c.Long = "Coding agents start this and ask about the repository they work in: who else is at work, findings,\n" +
		"quests, what was said, and what is known of a file. The running servers of this user answer, about\n" +
		"the realm that is linked to the folder in which this was started. It only reads."
	return c
}

// relay passes calls of tools on to the running servers of this user. It keeps nothing between two calls.
type relay struct {
	servers func() []rendezvous.Server
	folder  string // the agent's working folder
}

// server returns an MCP server with the same tools as a running server has. Its list of tools does not depend on
// whether a server runs.
func (r *relay) server() *mcp.Server {
	s := facts.New(facts.Config{Version: version}).Server()
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if c, ok := req.(*mcp.CallToolRequest); ok {
				return r.call(ctx, c.Params.Name, c.Params.Arguments)
			}
			return next(ctx, method, req)
		}
	})
	return s
}

// call answers a call of a tool: it finds the server and the realm, and passes the call on. If it gets no answer, the
// result of the tool is a sentence that says why.
func (r *relay) call(ctx context.Context, tool string, input json.RawMessage) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithTimeout(ctx, factsTime)
	defer cancel()
	var args map[string]json.RawMessage
	var asked string
	if len(input) > 0 && json.Unmarshal(input, &args) != nil {
		return refused(errors.New("the arguments of a tool are a JSON object")), nil
	}
	if name, ok := args["realm"]; ok && json.Unmarshal(name, &asked) != nil {
		return refused(errors.New("realm must be a text")), nil
	}
	reached := r.reach(ctx)
	defer func() {
		for _, s := range reached {
			_ = s.session.Close() // close the session, which has nothing open
		}
	}()
	if tool == "realms" && len(reached) > 0 {
		return all(reached)
	}
	at, err := r.choose(reached, asked)
	if err != nil {
		return refused(err), nil
	}
	if args == nil {
		args = map[string]json.RawMessage{}
	}
	if args["realm"], err = json.Marshal(at.realm); err != nil {
		return nil, err
	}
	answer, err := at.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil && ctx.Err() == nil {
		return refused(fmt.Errorf("the call failed: %w", err)), nil
	}
	return answer, err
}

func refused(err error) *mcp.CallToolResult {
	answer := &mcp.CallToolResult{}
	answer.SetError(err)
	return answer
}

// reached is a server that has answered, with its realms.
type reached struct {
	session *mcp.ClientSession
	facts.RealmList
}

// reach asks all running servers for their realms and returns those that answer, the newest server first.
func (r *relay) reach(ctx context.Context) (out []*reached) {
	servers := r.servers()
	answers := make([]*reached, len(servers))
	var work sync.WaitGroup
	for i, s := range servers {
		work.Go(func() { answers[i] = reachOne(ctx, s) })
	}
	work.Wait()
	for _, a := range answers {
		if a != nil {
			out = append(out, a)
		}
	}
	return out
}

// reachOne asks a server for its realms. It returns nil if the server does not answer.
func reachOne(ctx context.Context, s rendezvous.Server) *reached {
	limited, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	client := localClient()
	client.Transport = bearer{client.Transport, s.Token}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agentdungeon mcp", Version: version}, nil).Connect(ctx,
		&mcp.StreamableClientTransport{
			Endpoint: "http://" + s.Addr + "/mcp", HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true,
		}, nil)
	if err != nil {
		return nil
	}
	answer, err := session.CallTool(limited, &mcp.CallToolParams{Name: "realms"})
	out := &reached{session: session}
	if err == nil && !answer.IsError {
		var text []byte
		if text, err = json.Marshal(answer.StructuredContent); err == nil {
			err = json.Unmarshal(text, &out.RealmList)
		}
	}
	if err != nil || answer.IsError {
		_ = session.Close() // an error of Close does not matter: the server is left out
		return nil
	}
	return out
}

// bearer adds the token of a server to each request to it.
type bearer struct {
	http.RoundTripper
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.RoundTripper.RoundTrip(r)
}

// chosen is the realm to which a call goes.
type chosen struct {
	*reached
	realm string // its id
}

// choose returns the realm with that id or name. If asked is empty, it returns the realm whose linked folder contains
// the agent's working folder, the innermost one if there are several. If there is none, it returns a realm that is
// linked to another worktree of the same repository.
func (r *relay) choose(servers []*reached, asked string) (chosen, error) {
	if len(servers) == 0 {
		return chosen{}, errors.New("no running Agent Dungeon server of this user answers agents; " +
			"start one with `agentdungeon -repo .` in the repository")
	}
	here := real(r.folder)
	var best, named chosen
	depth := -1
	var names []string
	for _, s := range servers {
		for _, realm := range s.Realms {
			if len(names) < maxNamed {
				names = append(names, fmt.Sprintf("%s (%s)", realm.Realm, cmp.Or(realm.Folder, "no folder")))
			}
			if asked != "" {
				if realm.Realm == asked {
					return chosen{s, realm.Realm}, nil
				}
				if realm.Name == asked && named.reached == nil {
					named = chosen{s, realm.Realm}
				}
				continue
			}
			if d := holds(realm.Folder, here); d > depth {
				best, depth = chosen{s, realm.Realm}, d
			}
		}
	}
	switch list := strings.Join(names, ", "); {
	case named.reached != nil:
		return named, nil
	case depth >= 0:
		return best, nil
	case asked != "":
		return chosen{}, fmt.Errorf("there is no realm %q; there are: %s", asked, cmp.Or(list, "none"))
	default:
		return chosen{}, fmt.Errorf("no realm of a running server is linked to %s; name one as realm (%s), or link it "+
			"with `agentdungeon -repo .`", r.folder, cmp.Or(list, "there is none yet"))
	}
}

// holds says how closely the folder root belongs to the folder dir. If root is dir or contains it, the result is the
// length of root's path, so that the innermost folder wins; if both are in worktrees of one repository, it is 0;
// otherwise -1. dir has no links.
func holds(root, dir string) int {
	if root == "" {
		return -1
	}
	above := strings.TrimSuffix(real(root), "/") + "/"
	if strings.HasPrefix(dir+"/", above) {
		return len(above)
	}
	if linked.CheckoutOf(root).Near(dir) {
		return 0
	}
	return -1
}

// real returns path with all links resolved, or only cleaned (filepath.Clean) if they cannot be resolved.
func real(path string) string {
	if out, err := filepath.EvalSymlinks(path); err == nil {
		return out
	}
	return filepath.Clean(path)
}

// all lists the realms of all servers.
func all(servers []*reached) (*mcp.CallToolResult, error) {
	list := facts.RealmList{Realms: []facts.Realmed{}}
	for _, s := range servers {
		list.Realms = append(list.Realms, s.Realms...)
		list.LeftOut += s.LeftOut
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text),
	}, nil
}
