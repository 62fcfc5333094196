package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// spell returns the arguments as the library gets them.
func spell(args ...string) []string {
	return arguments((&program{}).root(), args)
}

// Flags may have one dash or two. A value may begin with a dash and may follow = or a space. After a space the name
// of another flag is no value.
func TestSpellings(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"", "serve"},
		{"-addr :1", "serve|--addr=:1"},
		{"--addr :1", "serve|--addr=:1"},
		{"-addr=:1 -no-resume", "serve|--addr=:1|--no-resume"},
		{"-token -secret-with-a-dash", "serve|--token=-secret-with-a-dash"},
		{"export -o -", "export|--o=-"},
		{"-token -worlds w", "serve|--token"},
		{"-token=-worlds -worlds w", "serve|--token=-worlds|--worlds=w"},
		{"export --o file -realm r", "export|--o=file|--realm=r"},
		{"export extra -realm r", "export|extra|--realm=r"}, // behind an argument too
		{"check -json -realm r", "check|--json|--realm=r"},
		{"check -json=false", "check|--json=false"},
		{"check -nothing like that", "check|--nothing|like|that"},
		{"serve -resume abc", "serve|--resume= abc"},
		{"serve -resume -team crew", "serve|--resume|--team=crew"},
		{"export -realm", "export|--realm"},
		{"export -- -realm", "export|--|-realm"},
		{"export -h", "export|--help"},
		{"completion bash -help", "completion|bash|--help"},
		{"-help", "--help"},
		{"dig -deep", "dig|-deep"},
		{"__complete export -realm r -for", "__complete|export|--realm=r|-for"},
		{"__complete -pace w", "__complete|serve|--pace|w"},
		{"__complete exp", "__complete|exp"},
	} {
		if got := spell(strings.Fields(tc.args)...); strings.Join(got, "|") != tc.want {
			t.Errorf("%s: %q, want %s", tc.args, got, tc.want)
		}
	}
	if got := spell(""); !slices.Equal(got, []string{"serve", ""}) {
		t.Errorf("an empty argument: %q", got)
	}
}

func ran(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// Help can be requested in every usual way and is no error. An unknown command or flag is an error, and
// nothing runs.
func TestHelpAndWrongUsage(t *testing.T) {
	for _, tc := range []struct {
		args string
		code int
		says string
	}{
		{"help", 0, "conversations list a realm's conversations"},
		{"-h", 0, "Available Commands:"},
		{"help export", 0, "--format markdown"},
		{"export -help", 0, "--format markdown"},
		{"export -realm r --help", 0, "--format markdown"},
		{"serve --help", 0, "--resume id "},
		{"serv", 2, "serve"},
		{"help nosuch", 2, `there is no command "nosuch"`},
		{"version now", 2, `version takes no arguments besides flags: "now"`},
		{"export -realm", 2, "--realm"},
		{"check -json=perhaps", 2, "perhaps"},
		{"completion", 2, "bash, zsh, fish"},
		{"completion csh", 2, "csh"},
	} {
		code, out, errs := ran(t, strings.Fields(tc.args)...)
		if code != tc.code || !strings.Contains(out+errs, tc.says) {
			t.Errorf("%s: exit code %d, %q %q", tc.args, code, out, errs)
		}
		if said := errs; code == 2 && !strings.Contains(said, "--help") {
			t.Errorf("%s does not say how to get help: %q", tc.args, said)
		}
	}
}

// The program writes completion scripts that shells accept, and answers their requests.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, script, errs := ran(t, "completion", shell)
		if code != 0 || !strings.Contains(script, "__complete") {
			t.Errorf("%s: exit code %d, %s", shell, code, errs)
		}
		if path, err := exec.LookPath(shell); err == nil {
			cmd := exec.Command(path, "-n")
			cmd.Stdin = strings.NewReader(script)
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s does not take its script: %v\n%s", shell, err, text)
			}
		}
	}
	for _, args := range [][]string{{"serve", "--"}, {"export", "--"}, {"audit", "--token"}} {
		if _, out, _ := ran(t, append([]string{"__complete"}, args...)...); !strings.Contains(out, "--") || strings.Contains(out, "`") {
			t.Errorf("%q shows no flags, or the marks of the help: %s", args, out)
		}
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"ret"}, "retention"},
		{[]string{"--log-f"}, "--log-format"},
		{[]string{"-worlds", "x", "--log-format", ""}, "json"},
		{[]string{"export", "-format", "s"}, "sarif"},
		{[]string{"conversations", "--status", "ab"}, "abandoned"},
	} {
		if _, out, errs := ran(t, append([]string{"__complete"}, tc.args...)...); !strings.Contains(out, tc.want) {
			t.Errorf("%q: %q %q", tc.args, out, errs)
		}
	}
}

// Each flag of each command has a variable. The command line takes precedence over it.
func TestVariablesOfFlags(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	t.Setenv("AGENTDUNGEON_WORLDS", nowhere)
	t.Setenv("AGENTDUNGEON_FORMAT", "pdf")
	t.Setenv("AGENTDUNGEON_JSON", "")
	t.Setenv("AGENTDUNGEON_HELP", "1") // help is asked for, not set
	for _, tc := range []struct {
		args string
		code int
		says string
	}{
		{"export", 2, "-format pdf"},
		{"export -format json", 1, nowhere},
		{"export -format json -worlds " + nowhere + "-2", 1, nowhere + "-2"},
		{"audit", 1, nowhere},
	} {
		if code, _, errs := ran(t, strings.Fields(tc.args)...); code != tc.code || !strings.Contains(errs, tc.says) {
			t.Errorf("%s: exit code %d, %q", tc.args, code, errs)
		}
	}
	t.Setenv("AGENTDUNGEON_JSON", "perhaps")
	if code, _, errs := ran(t, "audit"); code != 2 || !strings.Contains(errs, "AGENTDUNGEON_JSON") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}
