package world

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"testing"
)

// filledWorld returns a world in which every text is a planted one, and every id is one that an erasure names.
func filledWorld() *World {
	w := new(World)
	fill(reflect.ValueOf(w).Elem(), "")
	return w
}

// Every text field of the world is erased together with the person that it names, or a golden file lists it. So a new
// field needs a decision; the flag -update writes the file (S1-19).
func TestEveryFieldOfTheWorldIsErasedOrKept(t *testing.T) {
	w := filledWorld()
	before := leaves(t, w)
	w.erasePerson("p1")
	after := leaves(t, w)
	var kept bytes.Buffer
	for _, path := range sorted(before) {
		if after[path] == before[path] {
			fmt.Fprintln(&kept, path)
		}
	}
	golden := "testdata/kept_world.txt"
	if *update {
		if err := os.WriteFile(golden, kept.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(want, kept.Bytes()) {
		t.Errorf("other text fields than in %s stay after a person's erasure (%v). Erase the new ones in erasePerson, "+
			"or accept them with: go test ./shared/world -run %s -update\n%s", golden, err, t.Name(), kept.String())
	}
}

// A clone shares no list or map with its world: a change of one is not seen in the other.
func TestCloneSharesNoList(t *testing.T) {
	w := filledWorld()
	before, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	empty(reflect.ValueOf(w.Clone()).Elem())
	if after, err := json.Marshal(w); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the world changed with its clone (%v), which lacks a field in Clone\nbefore %s\n after %s", err, before, after)
	}
}

// empty sets the elements of the lists that v itself holds to zero. It leaves out lists within elements, which events
// replace and never change, and the two types that a clone shares with its world.
func empty(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			v.Index(i).SetZero()
		}
	case reflect.Struct:
		for i := range v.NumField() {
			empty(v.Field(i))
		}
	case reflect.Pointer:
		switch v.Interface().(type) {
		case *Template, *Salvage:
		default:
			empty(v.Elem())
		}
	}
}
