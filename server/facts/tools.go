package facts

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentdungeon/shared/world"
)

// tools adds all tools to a server.
func (f *Facts) tools(s *mcp.Server) {
	add(s, "realms", "Realms", "Lists the realms of this server: each is a repository (or a task) with its own "+
		"agents, findings and talks.", f.realms)
	add(s, "who_is_here", "Who is here", "Says who is at work in this repository now: coding agents of this user "+
		"(Claude Code, Codex, OpenCode, Gemini CLI), scouts and people, with the file each is at, whether it edits it, "+
		"and what each does or waits for.", asking(f, "who_is_here", (*question).here))
	add(s, "findings", "Findings", "Lists what code reviews found here and still stands, the most severe first: "+
		"file, line, evidence, why it matters and what to do. With suspected also what waits for a proof.",
		asking(f, "findings", (*question).findings))
	add(s, "quests", "Quests", "Lists the quests of this repository: tasks that came from findings, who has taken "+
		"them and how far they are.", asking(f, "quests", (*question).quests))
	add(s, "vault", "Vault", "Lists what the scouts and agents of this realm have learned and kept, the newest first.",
		asking(f, "vault", (*question).vault))
	add(s, "talks", "Talks", "Lists the conversations of this realm, the last used first: sessions of coding agents, "+
		"chats, councils, parties and reviews. With words it searches all that was said.",
		asking(f, "talks", (*question).talks))
	add(s, "talk", "Talk", "Reads a conversation: the newest rows, or those before a row. Secrets are masked.",
		asking(f, "talk", (*question).talk))
	add(s, "about_file", "About a file", "Says what is known of a file: who is at it now, what it imports and what "+
		"imports it, its tests, its git history, who wrote its lines, and its findings and quests.",
		asking(f, "about_file", (*question).file))
	f.codeTools(s)
}

// codeTools adds the tools that answer about the code of the linked folder as it is now.
func (f *Facts) codeTools(s *mcp.Server) {
	add(s, "importers", "Importers", "Lists the lines that import a file, a folder or a package, in Go, JavaScript, "+
		"TypeScript and Python.", asking(f, "importers", (*question).importers))
	add(s, "callers", "Callers", "Lists the lines that call a function, a method or a class, or hand it on: by types in "+
		"Go, by imports and syntax in JavaScript, TypeScript and Python. Each says how sure it is.",
		asking(f, "callers", (*question).callers))
	add(s, "tests_of", "Tests of", "Lists the tests of a file, or those that call one of its functions. What only a name "+
		"suggests is said so.", asking(f, "tests_of", (*question).tests))
	add(s, "history", "History", "Says what git knows of a file, and who wrote which of its lines and when; of a folder, "+
		"which of its files changed last.", asking(f, "history", (*question).history))
	add(s, "api_diff", "API diff", "Lists the exported Go names that went or changed since the newest version tag, or "+
		"since a commit, branch or tag, so that code of others breaks.", asking(f, "api_diff", (*question).diff))
	add(s, "flows_to", "Flows to", "Lists the ways of values from a request or the command line into a dangerous place "+
		"(SQL, a shell, a path, ...), step by step, also those that no review reports, with the reason why.",
		asking(f, "flows_to", (*question).flows))
	add(s, "unread", "Unread", "Says what a code review of the folder reads: by language, which files it cannot read and "+
		"why, and in which languages it finds nothing at all. No finding there does not mean that the code is sound.",
		asking(f, "unread", (*question).unread))
}

// asks is the input of a tool that answers about one realm.
type asks interface{ asked() string }

// asking makes the function of a tool that answers about one realm: it opens the realm that the input names and calls a
// method of question.
func asking[In asks, Out any](f *Facts, tool string, answer func(*question, In) (Out, error),
) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		return call(ctx, f, tool, func(ctx context.Context) (out Out, err error) {
			q, err := f.ask(ctx, in.asked())
			if err != nil {
				return out, err
			}
			return answer(q, in)
		})
	}
}

// add adds a tool to the server s and marks it as one that only reads.
func add[In, Out any](s *mcp.Server, name, title, does string, answer func(context.Context, In) (Out, error)) {
	no := false
	mcp.AddTool(s, &mcp.Tool{
		Name: name, Title: title, Description: does, InputSchema: inputOf[In](), OutputSchema: schemaOf[Out](),
		Annotations: &mcp.ToolAnnotations{
			Title: title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no,
		},
	}, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := answer(ctx, in)
		return nil, out, err
	})
}

// choices has, by field name, the allowed values of input fields that have only a few.
var choices = map[string][]string{
	"severity": world.Severities, "kind": world.Kinds, "into": sinks(),
	"status": {world.QuestOpen, world.QuestAssigned, world.QuestProgress, world.QuestDone},
}

// schemaOf returns the JSON schema of a type, without null as a possible value of lists: answers contain no null lists,
// and some clients do not support a value of two types.
func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(fmt.Errorf("the schema of a tool: %w", err)) // cannot happen: the types are declared in this package
	}
	withoutNull(schema)
	return schema
}

// withoutNull removes null from the types of a schema and of its parts.
func withoutNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	withoutNull(s.Items)
	for _, property := range s.Properties {
		withoutNull(property)
	}
}

// inputOf returns the schema of a tool's input.
func inputOf[In any]() *jsonschema.Schema {
	schema := schemaOf[In]()
	for name, property := range schema.Properties {
		for _, value := range choices[name] {
			property.Enum = append(property.Enum, value)
		}
		if name == "limit" {
			least, most := 1.0, float64(maxItems)
			property.Minimum, property.Maximum = &least, &most
		}
	}
	return schema
}
