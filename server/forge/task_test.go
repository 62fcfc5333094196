package forge

import "testing"

// What a skill is called and when it is used are whole phrases, however much was said.
func TestTask_S1_B6(t *testing.T) {
	for purpose, want := range map[string][2]string{
		"Run the tests.": {"Run the tests", "run-tests"},
		"Write release notes from the commits since the last tag and put them into CHANGELOG.md":               {"Write release notes from the commits since the last tag", "write-release-notes"},
		"Compares every page of the documentation with the code that it describes, and corrects what is wrong": {"Compare every page of the documentation with the code that it describes", "compare-page-documentation-code"},
		"Reviews": {"Reviews", "reviews"},
		"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhhiiiiiiiiii": {"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhh",
			"aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd"},
	} {
		if got := task(purpose); got != want[0] {
			t.Errorf("task of %q: %q, want %q", purpose, got, want[0])
		}
		if got := madeName(purpose); got != want[1] {
			t.Errorf("name of %q: %q, want %q", purpose, got, want[1])
		}
	}
}
