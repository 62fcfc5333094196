package client

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestPageHasAnIndex(t *testing.T) {
	text, err := fs.ReadFile(Page(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.ToLower(string(text)), "<!doctype html>") {
		t.Errorf("index.html is no page: %.80q", text)
	}
}

func TestPlaceholderOnlyWhereThePageIsMissing(t *testing.T) {
	placeholder := &fstest.MapFile{Data: []byte("run make build")}
	unbuilt := page{fstest.MapFS{"placeholder.html": placeholder}}
	if text, err := fs.ReadFile(unbuilt, "index.html"); err != nil || string(text) != "run make build" {
		t.Errorf("without a built page: %q, %v", text, err)
	}
	if _, err := fs.ReadFile(unbuilt, "other.html"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	built := page{fstest.MapFS{"placeholder.html": placeholder, "index.html": {Data: []byte("the page")}}}
	if text, err := fs.ReadFile(built, "index.html"); err != nil || string(text) != "the page" {
		t.Errorf("with a built page: %q, %v", text, err)
	}
}
