package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"agentdungeon/server/driver"
	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/shared/world"
)

// maxOutput is the maximum size of a tool's output in bytes.
const maxOutput = 16 << 10

// tool is a tool of the model. The function do carries out a call and returns the result for the model. An error
// of do is reported to the model and does not fail the turn, unless emit returned the error.
type tool struct {
	name, about, fields string // fields is a JSON schema's properties
	required            []string
	offered             func(*turn) bool
	do                  func(*turn, *args) (string, error)
}

// args has the arguments of all tools. Each tool reads only its own arguments.
type args struct {
	Summary  string `json:"summary"`
	Title    string `json:"title"`
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Line     number `json:"line"`
	Why      string `json:"why"`
	Advice   string `json:"advice"`
	Area     string `json:"area"`
	Insight  string `json:"insight"`
	Name     string `json:"name"`
	Text     string `json:"text"`
	From     number `json:"from"`
	Lines    number `json:"lines"`

	Finding string   `json:"finding"`
	Verdict string   `json:"verdict"`
	Reason  string   `json:"reason"`
	Steps   []quoted `json:"steps"`
}

// number is an integer that a model may also write as a string or with a decimal point.
type number int

// UnmarshalJSON accepts 12, 12.0, "12" and null.
func (n *number) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	if text == "" || text == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f < -1e9 || f > 1e9 {
		return errors.New("the argument is not a whole number")
	}
	*n = number(f)
	return nil
}

func inProcess(t *turn) bool { return t.process }
func always(*turn) bool      { return true }
func hasFolder(t *turn) bool { return t.agents.repos != nil && t.req.RepoPath != "" }

func hasCandidates(t *turn) bool { return len(t.candidates()) > 0 }

// allTools returns every tool. It is a function and not a variable, because the methods of the tools call it: Go
// refuses a variable whose initial value refers to the variable itself.
func allTools() []tool {
	return []tool{
		{
			name: "complete_stage", about: "Says that this stage is done. Write your whole answer in words first.",
			fields: `"summary":{"type":"string","description":"what was settled, in a sentence"}`, required: []string{"summary"},
			offered: func(t *turn) bool { return t.signal }, do: (*turn).completeStage,
		},
		{
			name:  "post_finding",
			about: "Posts something worth knowing about the repository or the work to the board that everybody sees.",
			fields: `"title":{"type":"string"},` +
				`"severity":{"type":"string","enum":["info","low","medium","high","critical"]},` +
				`"path":{"type":"string","description":"file below the root, if it is about one"},"line":{"type":"integer"},` +
				`"why":{"type":"string","description":"the harm"},"advice":{"type":"string","description":"what to do"}`,
			required: []string{"title", "severity", "why", "advice"}, offered: inProcess, do: (*turn).postFinding,
		},
		{
			name: "remember", about: "Keeps something that you learned for your later sessions.",
			fields:   `"area":{"type":"string","description":"what it is about, in a word or two"},"insight":{"type":"string"}`,
			required: []string{"area", "insight"},
			offered:  always, do: (*turn).remember,
		},
		{
			name: "save_artifact", about: "Hands over a named text that later stages are told.",
			fields: `"name":{"type":"string"},"text":{"type":"string"}`, required: []string{"name", "text"}, offered: inProcess,
			do: (*turn).saveArtifact,
		},
		{
			name: "list_folder", about: "Lists a folder of the linked repository.",
			fields: `"path":{"type":"string","description":"below the root; empty for the root"}`, required: []string{"path"},
			offered: hasFolder, do: (*turn).listFolder,
		},
		{
			name: "read_file", about: "Gives lines of a text file of the linked repository, with their numbers.",
			fields: `"path":{"type":"string"},"from":{"type":"integer","description":"the first line, from 1"},` +
				`"lines":{"type":"integer","description":"how many"}`,
			required: []string{"path"}, offered: hasFolder, do: (*turn).readFile,
		},
		{
			name: "search_text", about: "Finds lines that hold a text, in all text files of the linked repository. Upper and " +
				"lower case are the same.",
			fields: `"text":{"type":"string"}`, required: []string{"text"}, offered: hasFolder, do: (*turn).searchText,
		},
		{
			name: "judge_candidate", about: "Proves or withdraws a candidate: a finding that a check only suspects.",
			fields: `"finding":{"type":"string","description":"the candidate's id"},` +
				`"verdict":{"type":"string","enum":["proved","withdrawn"]},` +
				`"reason":{"type":"string","description":"why, in a sentence or two"},` +
				`"steps":{"type":"array","description":"the lines that show it, in order","items":{"type":"object",` +
				`"properties":{"path":{"type":"string"},"line":{"type":"integer"},"quote":{"type":"string",` +
				`"description":"the line as it stands there"}},"required":["path","line","quote"]}}`,
			required: []string{"finding", "verdict", "reason", "steps"}, offered: hasCandidates,
			do: (*turn).judgeCandidate,
		},
	}
}

// tools returns the tools that the model may call in this turn, in the form of the request.
func (t *turn) tools() []openai.Tool {
	var out []openai.Tool
	for _, k := range allTools() {
		if !k.offered(t) {
			continue
		}
		required, err := json.Marshal(k.required)
		if err != nil { // cannot happen: strings can always be encoded
			continue
		}
		out = append(out, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: k.name, Description: k.about,
			Parameters: json.RawMessage(`{"type":"object","properties":{` + k.fields + `},"required":` + string(required) + `}`),
		}})
	}
	return out
}

// act calls the tools of an answer in order and appends their results to the messages. It emits each call before the
// tool acts, so that the journal has the call first.
func (t *turn) act(messages []openai.ChatCompletionMessage, a *answer) ([]openai.ChatCompletionMessage, error) {
	if t.calls+len(a.calls) > maxCalls {
		return nil, errTooManyCalls
	}
	said := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: a.text.String(),
		ReasoningContent: a.thought.String()}
	var results []openai.ChatCompletionMessage
	for _, c := range a.calls {
		t.calls++
		id := t.nextCallID()
		theirs := c.id
		if theirs == "" || slices.ContainsFunc(said.ToolCalls, func(o openai.ToolCall) bool { return o.ID == theirs }) {
			theirs = id
		}
		output, err := t.use(id, c)
		if err != nil {
			return nil, err
		}
		said.ToolCalls = append(said.ToolCalls, openai.ToolCall{
			ID: theirs, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: toolName(c.name),
				Arguments: object(c.args.String())},
		})
		results = append(results, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleTool, ToolCallID: theirs,
			Content: output})
	}
	return append(append(messages, said), results...), nil
}

// use calls one tool. It emits the start of the call before it and the end after it.
func (t *turn) use(id string, c *call) (string, error) {
	list := allTools()
	i := slices.IndexFunc(list, func(k tool) bool { return k.name == c.name && k.offered(t) })
	input := t.agents.key.hide(c.args.String())
	shown, _ := world.Cut(strings.ToValidUTF8(input, "\uFFFD"), world.MaxToolInput)
	// Reads is true because no tool of the model changes anything outside the realm.
	start := &driver.ToolStart{CallID: id, Name: toolName(t.agents.key.hide(c.name)), Input: shown, Reads: true}
	if err := t.send(driver.Chunk{Tool: start}); err != nil {
		return "", err
	}
	output, err := t.do(list, i, input)
	if t.broken != nil {
		return "", t.broken
	}
	if ended := t.ctx.Err(); ended != nil {
		return "", ended
	}
	ok := err == nil
	if !ok {
		output = "Error: " + err.Error()
	}
	output, cut := world.Cut(t.agents.key.hide(strings.ToValidUTF8(output, "\uFFFD")), maxOutput)
	if cut {
		output += "\n(cut here)"
	}
	output = filled(output)
	return output, t.send(driver.Chunk{ToolEnd: &driver.ToolEnd{CallID: id, OK: ok, Output: output}})
}

func (t *turn) do(list []tool, i int, input string) (string, error) {
	if i < 0 {
		var names []string
		for _, k := range list {
			if k.offered(t) {
				names = append(names, k.name)
			}
		}
		return "", fmt.Errorf("there is no such tool; the tools are %s", strings.Join(names, ", "))
	}
	var in args
	if strings.TrimSpace(input) != "" {
		if err := json.Unmarshal([]byte(input), &in); err != nil {
			return "", errors.New("the arguments are not a JSON object that fits this tool")
		}
	}
	return list[i].do(t, &in)
}

func (t *turn) completeStage(in *args) (string, error) {
	if err := t.send(driver.Chunk{Seal: &driver.Seal{Summary: in.Summary}}); err != nil {
		return "", err
	}
	t.sealed = true
	if !t.spoke && strings.TrimSpace(in.Summary) != "" {
		if err := t.send(driver.Chunk{Text: in.Summary}); err != nil {
			return "", err
		}
	}
	return "The stage is done.", nil
}

func (t *turn) postFinding(in *args) (string, error) {
	f := &world.Finding{Severity: strings.ToLower(strings.TrimSpace(in.Severity)), Title: strings.TrimSpace(in.Title)}
	if !slices.Contains(world.Severities, f.Severity) {
		return "", fmt.Errorf("severity must be one of %s", strings.Join(world.Severities, ", "))
	}
	if f.Title == "" {
		return "", errors.New("a finding needs a title")
	}
	f.Title, _ = world.Cut(f.Title, world.MaxTitle)
	f.Why, _ = world.Cut(strings.TrimSpace(in.Why), world.MaxFindingText)
	f.Advice, _ = world.Cut(strings.TrimSpace(in.Advice), world.MaxFindingText)
	f.Text, _ = world.Cut(strings.TrimSpace(f.Why+"\n\n"+f.Advice), world.MaxFindingText)
	p := cleanPath(in.Path)
	if p != "" && hasFolder(t) {
		// Refuse a finding about a file that does not exist, because it would mislead everybody.
		repo, err := t.folder()
		if err != nil {
			return "", err
		}
		if repo.File(p) == nil && !repo.HasDir(p) {
			return "", fmt.Errorf("the repository has no file %s", p)
		}
		if data, ok := repo.Text(p); ok && in.Line > 0 {
			f.Evidence = inspect.Line(data, int(in.Line))
		}
	}
	if p != "" {
		f.Path, f.Line = dungeon.EncodePath(p), max(int(in.Line), 0)
	}
	// The id depends on the content only, so a repeated turn posts the same finding again.
	sum := sha256.Sum256([]byte(strings.Join([]string{t.req.ConversationID, t.req.MemberID, f.Path, strconv.Itoa(f.Line),
		f.Title}, "\x00")))
	f.ID = "m" + hex.EncodeToString(sum[:8])
	return "The finding is on the board.", t.send(driver.Chunk{Finding: f})
}

func (t *turn) remember(in *args) (string, error) {
	if strings.TrimSpace(in.Insight) == "" {
		return "", errors.New("an insight needs words")
	}
	area, _ := world.Cut(strings.TrimSpace(in.Area), world.MaxTitle)
	text, _ := world.Cut(strings.TrimSpace(in.Insight), world.MaxFindingText)
	return "It is kept.", t.send(driver.Chunk{Insight: &world.Insight{Area: area, Text: text}})
}

func (t *turn) saveArtifact(in *args) (string, error) {
	name, _ := world.Cut(strings.TrimSpace(in.Name), world.MaxTitle)
	if name == "" || strings.TrimSpace(in.Text) == "" {
		return "", errors.New("an artifact needs a name and a text")
	}
	return "It is handed over.", t.send(driver.Chunk{Artifact: &driver.NamedText{Name: name, Text: in.Text}})
}
