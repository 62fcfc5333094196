package agents

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// Program is a coding agent that is tested.
type Program struct {
	Name    string
	Title   string
	npm     string // its package
	Version string
	// file returns the path of the program's executable file or script, relative to the folder of installed
	// packages. Node runs a script.
	file func(platform string) string
	// Configure changes the program's settings in a home folder, so that the program works in the project and uses
	// the model at url. It returns the environment variables that the program needs.
	Configure func(home, project, url string) ([]string, error)
	// Ready matches the screen when the program is ready for a prompt, and Asks when it asks whether a tool may run. The
	// keys Allow allow the tool.
	Ready, Asks *regexp.Regexp
	Allow       []string
	Args        []string // the arguments with which a terminal starts the program
	// Read returns a step that reads a file, and Run one that runs a command; asking is set if a person has to allow the
	// command.
	Read func(path string) Step
	Run  func(command string, asking bool) Step
	// AskLag is the maximum time from the question in the terminal until the page shows the state "waiting".
	AskLag time.Duration
	Blind  bool // the program's records do not say about which tool it asks
	Hooks  bool // the program has hooks that the server understands
	// Holds is set if the program's terminal shows no question while a hook waits.
	Holds bool
}

// Programs lists the coding agents in the order in which the tests run them.
var Programs = []*Program{
	{
		Name: "claude", Title: "Claude Code", npm: "@anthropic-ai/claude-code", Version: "2.1.330",
		file:      func(platform string) string { return "@anthropic-ai/claude-code-" + platform + "/claude" },
		Configure: configureClaude,
		Ready:     regexp.MustCompile(`\? for shortcuts|shift\+tab|(?m)^❯`),
		Asks:      regexp.MustCompile(`❯ 1\. Yes`), Allow: []string{"1"},
		Read: func(path string) Step { return Step{Call: "Read", Input: object{"file_path": path}} },
		Run: func(command string, _ bool) Step {
			return Step{Call: "Bash", Input: object{"command": command, "description": "A command"}}
		},
		AskLag: time.Second, Hooks: true,
	},
	{
		Name: "codex", Title: "Codex", npm: "@openai/codex", Version: "0.169.0",
		file:      func(string) string { return "@openai/codex/bin/codex.js" },
		Configure: configureCodex,
		Ready:     regexp.MustCompile(`(?m)^› `),
		Asks:      regexp.MustCompile(`› 1\. Yes`), Allow: []string{"y"},
		Args: []string{"--dangerously-bypass-hook-trust"},
		Read: func(path string) Step { return Step{Call: "exec_command", Input: object{"cmd": "cat " + path}} },
		Run: func(command string, asking bool) Step {
			input := object{"cmd": command}
			if asking {
				input["sandbox_permissions"], input["justification"] = "require_escalated", "May it run?"
			}
			return Step{Call: "exec_command", Input: input}
		},
		AskLag: time.Second, Hooks: true, Holds: true,
	},
	{
		Name: "opencode", Title: "OpenCode", npm: "opencode-ai", Version: "1.18.33",
		file:      func(platform string) string { return "opencode-" + platform + "/bin/opencode" },
		Configure: configureOpenCode,
		Ready:     regexp.MustCompile(`Ask anything|ctrl\+p commands`),
		Asks:      regexp.MustCompile(`Permission required`), Allow: []string{"Enter"},
		Read: func(path string) Step { return Step{Call: "read", Input: object{"filePath": path}} },
		Run: func(command string, _ bool) Step {
			return Step{Call: "bash", Input: object{"command": command, "description": "A command"}}
		},
		AskLag: 5 * time.Second, // the server concludes from 2 s without a new record that it asks
	},
	{
		Name: "gemini", Title: "Gemini CLI", npm: "@google/gemini-cli", Version: "0.61.0",
		file:      func(string) string { return "@google/gemini-cli/bundle/gemini.js" },
		Configure: configureGemini,
		Ready:     regexp.MustCompile(`Type your message`),
		Asks:      regexp.MustCompile(`Action Required|Allow execution`), Allow: []string{"1"},
		Read: func(path string) Step { return Step{Call: "read_file", Input: object{"file_path": path}} },
		Run: func(command string, _ bool) Step {
			return Step{Call: "run_shell_command", Input: object{"command": command}}
		},
		AskLag: 5 * time.Second, Blind: true, // it records a tool call only when the tool has ended
	},
}

// Install installs the program's pinned version below dir, unless that version is installed there.
func (p *Program) Install(dir string) error {
	folder := filepath.Join(dir, p.Name)
	if p.installed(folder) {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte("{\"private\":true}\n"), 0o644); err != nil {
		return err
	}
	npm := exec.Command("npm", "install", "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund",
		"--no-update-notifier", "--loglevel", "error", p.npm+"@"+p.Version)
	npm.Dir = folder
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm: %w: %.300s", err, strings.Join(strings.Fields(string(out)), " "))
	}
	if !p.installed(folder) {
		return errors.New("the npm package has no program for this machine")
	}
	return nil
}

func (p *Program) installed(folder string) bool {
	text, err := os.ReadFile(filepath.Join(folder, "node_modules", p.npm, "package.json"))
	var is struct{ Version string }
	if err != nil || json.Unmarshal(text, &is) != nil || is.Version != p.Version {
		return false
	}
	command := p.Command(filepath.Dir(folder))
	_, err = os.Stat(command[len(command)-1])
	return err == nil
}

// Command returns the command line of the program that is installed below dir.
func (p *Program) Command(dir string) []string {
	platform := runtime.GOOS + "-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	path := filepath.Join(dir, p.Name, "node_modules", p.file(platform))
	if strings.HasSuffix(path, ".js") {
		return []string{"node", path}
	}
	return []string{path}
}

// key is the API key that the programs send to the model. The model accepts every key. Claude Code remembers keys by
// their last 20 characters.
const key = "played-model-needs-no-key-0000000000000000"

func configureClaude(home, project, url string) ([]string, error) {
	err := errors.Join(
		mergeJSON(filepath.Join(home, ".claude.json"), object{
			"hasCompletedOnboarding": true, "hasSeenAutoDefaultNotice": true, "hasSeenAutoDefaultNudge": true,
			"customApiKeyResponses": object{"approved": []any{key[len(key)-20:]}, "rejected": []any{}},
			"projects":              object{project: object{"hasTrustDialogAccepted": true}},
		}),
		mergeJSON(filepath.Join(home, ".claude", "settings.json"),
			object{"permissions": object{"defaultMode": "default"}}),
	)
	return []string{
		"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + key, "DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1",
	}, err
}

func configureCodex(home, project, url string) ([]string, error) {
	path := filepath.Join(home, ".codex", "config.toml")
	old, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
		old = fmt.Appendf(nil, "model = \"gpt-5.5-codex\"\nmodel_provider = \"played\"\n"+
			"check_for_update_on_startup = false\n[analytics]\nenabled = false\n"+
			"[model_providers.played]\nname = \"played\"\nbase_url = %q\n"+
			"wire_api = \"responses\"\nenv_key = \"PLAYED_KEY\"\nsupports_websockets = false\n", url+"/v1")
	}
	if table := fmt.Sprintf("[projects.%q]\n", project); err == nil && !strings.Contains(string(old), table) {
		err = os.WriteFile(path, append(old, table+"trust_level = \"trusted\"\n"...), 0o600)
	}
	return []string{"CODEX_HOME=" + filepath.Dir(path), "PLAYED_KEY=" + key}, err
}

func configureOpenCode(home, _, url string) ([]string, error) {
	err := mergeJSON(filepath.Join(home, ".config", "opencode", "opencode.json"), object{
		"model": "played/played", "small_model": "played/played", "autoupdate": false, "share": "disabled",
		"permission": object{"bash": "ask"},
		"provider": object{"played": object{
			"npm": "@ai-sdk/openai-compatible", "name": "Played",
			"options": object{"baseURL": url + "/v1", "apiKey": key},
			"models": object{"played": object{
				"name": "Played", "limit": object{"context": 200000, "output": 8000},
				"cost": object{"input": 1, "output": 2},
			}},
		}},
	})
	return []string{
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
	}, err
}

func configureGemini(home, _, url string) ([]string, error) {
	err := mergeJSON(filepath.Join(home, ".gemini", "settings.json"), object{
		"security":  object{"auth": object{"selectedType": "gemini-api-key"}},
		"model":     object{"name": "gemini-2.5-pro"},
		"general":   object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
		"telemetry": object{"enabled": false}, "privacy": object{"usageStatisticsEnabled": false},
	})
	return []string{"GEMINI_API_KEY=" + key, "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"}, err
}

// mergeJSON sets the fields of o in a JSON file. It makes the file if there is none.
func mergeJSON(path string, o object) error {
	all := object{}
	old, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(old, &all)
	} else if errors.Is(err, os.ErrNotExist) {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return err
	}
	merge(all, o)
	return os.WriteFile(path, encode(all), 0o600)
}

func merge(into, from object) {
	for name, value := range from {
		inner, ok := value.(object)
		old, both := into[name].(object)
		if ok && both {
			merge(old, inner)
		} else {
			into[name] = value
		}
	}
}
