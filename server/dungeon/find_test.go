package dungeon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// P19.8.
func TestFilesAreFound(t *testing.T) {
	b := NewBuilder("x")
	src := b.Folder(Root, "src")
	deep := b.Folder(b.Folder(src, "config"), "Ärger")
	b.File(src, "config.go", 1, false)
	b.File(src, "config_test.go", 1, false)
	b.File(src, "myConfig.go", 1, false)
	b.File(deep, "Main%.go", 1, false)
	b.File(Root, "cat or nuf ig.txt", 1, false)
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"config": {
			"src/config", "src/config.go", "src/config_test.go", "src/myConfig.go", "src/config/Ärger",
			"src/config/Ärger/Main%25.go", "cat or nuf ig.txt",
		},
		"CONFIG.go":  {"src/config.go", "src/myConfig.go", "src/config_test.go", "src/config/Ärger/Main%25.go"},
		"cfig":       {"src/config", "src/config.go", "src/myConfig.go", "cat or nuf ig.txt", "src/config_test.go", "src/config/Ärger", "src/config/Ärger/Main%25.go"},
		"go src":     {"src/config.go", "src/myConfig.go", "src/config_test.go", "src/config/Ärger/Main%25.go"},
		"ärger main": {"src/config/Ärger/Main%25.go"},
		"gifnoc":     nil,
		" ":          nil,
		"":           nil,
	} {
		found, more, err := tree.Find(t.Context(), text)
		var got []string
		for _, e := range found {
			got = append(got, e.Path)
		}
		if !slices.Equal(got, want) || more || err != nil {
			t.Errorf("P19.8: %q finds %q, more %v, %v", text, got, more, err)
		}
	}
	if found, _, _ := tree.Find(t.Context(), "config"); !found[0].Folder || found[1].Folder {
		t.Errorf("P19.8: %+v", found[:2])
	}
}

// P19.8.
func TestFilesFoundAreBounded(t *testing.T) {
	b := NewBuilder("x")
	for i := range 100 {
		part := b.Folder(Root, fmt.Sprintf("part%d", i))
		for n := range 200 {
			b.File(part, fmt.Sprintf("file%d.go", i*200+n), 1, false)
		}
	}
	tree, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	found, more, err := tree.Find(t.Context(), "file")
	if len(found) != MaxFound || !more || err != nil || !strings.HasSuffix(found[0].Path, "/file0.go") {
		t.Errorf("P19.8: %d found, more %v, %v: %v", len(found), more, err, found)
	}
	if found, more, _ = tree.Find(t.Context(), "file12345.go"); len(found) != 1 || more {
		t.Errorf("P19.8: %d found, more %v", len(found), more)
	}
	gone := errors.New("nobody waits")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, _, err = tree.Find(ctx, "file"); !errors.Is(err, gone) {
		t.Errorf("P19.8: %v", err)
	}
}
