package shell_test

import (
	"reflect"
	"testing"

	"agentdungeon/server/shell"
)

// Parse returns the commands that a shell would run for a line.
func TestParse(t *testing.T) {
	for line, want := range map[string][]shell.Command{
		`cat "a b" 'c'`:                {{Words: []string{"cat", "a b", "c"}}},
		`cat {a,b}.go *.md`:            {{Words: []string{"cat", "a.go", "b.go", "*.md"}}},
		`cd x && cd y; cat z`:          {{Words: []string{"cd", "x"}}, {Words: []string{"cd", "y"}, Dir: "x"}, {Words: []string{"cat", "z"}, Dir: "x/y"}},
		`a | b <in >out 2>>err`:        {{Words: []string{"a"}}, {Words: []string{"b"}, In: []string{"in"}, Out: []string{"out", "err"}}},
		"cat > .env <<E\nK=1\nE":       {{Words: []string{"cat"}, Out: []string{".env"}}},
		`bash -lc 'cat x'`:             {{Words: []string{"bash", "-lc", "cat x"}}, {Words: []string{"cat", "x"}}},
		`cat ~/x`:                      {{Words: []string{"cat", "~/x"}}},
		`for f in a b; do cat x; done`: {{Words: []string{"cat", "x"}}},
		``:                             nil,
	} {
		got, whole := shell.Parse(line)
		if !reflect.DeepEqual(got, want) || !whole {
			t.Errorf("%s: %+v %v", line, got, whole)
		}
	}
	for line, want := range map[string][]shell.Command{
		`cat $X y`:        {{Words: []string{"cat", "", "y"}}},
		`echo "$(cat z)"`: {{Words: []string{"echo", ""}}, {Words: []string{"cat", "z"}}},
		`cat "unfinished`: nil,
	} {
		if got, whole := shell.Parse(line); !reflect.DeepEqual(got, want) || whole {
			t.Errorf("%s: %+v %v", line, got, whole)
		}
	}
}

// No line makes the parser panic or hang.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"cat x", "a <<E\nb", "$((", "{a,{b,c}}", "sh -c 'sh -c x'", "x{1..999999}"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		all, _ := shell.Parse(line)
		for _, c := range all {
			if len(c.Words)+len(c.In)+len(c.Out) == 0 {
				t.Errorf("%q: an empty command", line)
			}
		}
	})
}
