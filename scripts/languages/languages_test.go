package main

import (
	"bytes"
	"os"
	"testing"
)

func TestTablesAreUpToDate(t *testing.T) {
	text, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile("../../server/inspect/languages_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, committed) {
		t.Error("server/inspect/languages_gen.go is not what go-enry says: run make generate")
	}
}
