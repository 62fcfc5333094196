package house

import (
	"maps"
	"regexp"
	"slices"
	"testing"
)

// /help, the contract and the hints of the page name the same slash commands.
func TestSlashCommandsAreTheSameEverywhere(t *testing.T) {
	lists := map[string]*regexp.Regexp{
		"server/realm/command/slash.go": regexp.MustCompile("(?m)^(?:const help = `)?(/[a-z]+)\\b.*: "),
		"shared/PROTOCOL.md":            regexp.MustCompile("(?m)^\\| `(/[a-z]+)\\b"),
		"client/src/words.ts":           regexp.MustCompile(`(?m)^    '(/[a-z]+)': '`),
	}
	var want []string
	for _, path := range slices.Sorted(maps.Keys(lists)) {
		var got []string
		for _, m := range lists[path].FindAllStringSubmatch(read(t, path), -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		got = slices.Compact(got)
		if len(got) < 10 {
			t.Errorf("%s has the slash commands %q", path, got)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the slash commands %q, another list has %q", path, got, want)
		}
	}
}
