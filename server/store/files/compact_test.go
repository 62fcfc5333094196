package files_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"agentdungeon/server/store/files"
)

// The compact form of a world is that of json.Compact, which older versions used for the checksum.
func FuzzCompact(f *testing.F) {
	for _, s := range []string{
		`{}`, "[ 1 , -2.5e+3 ,\t\"a b\" ]\r\n", `{"a b" : " \" \\" , "c\\" : [ "\\\"" , { } , null ]}`,
		`"\\\\\" \u0020 "`, `"é 😀   <&> \u2028"`, " \n", `{"open": "`, `"\`, `["a" "b"]`, "\"\xff\"", "1 2", `{} {}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want bytes.Buffer
		wantErr := json.Compact(&want, raw)
		got, sum, err := files.CompactAndSum(raw)
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%q: %q, %v; json.Compact: %q, %v", raw, got, err, want.Bytes(), wantErr)
		}
		if now := files.SumOfCompact(raw); err == nil && now != sum {
			t.Fatalf("%q: the checksum without a compact form is %s, want %s", raw, now, sum)
		}
	})
}

// The checksum that needs no compact form is the same for texts that are longer than the parts that it hashes.
func TestSumOfCompactOfLongTexts(t *testing.T) {
	for _, n := range []int{0, 1, 65_533, 65_534, 65_535, 65_536, 200_000} {
		for _, end := range []string{``, `\"`, `\\`, `\\\"`} {
			text := strings.Repeat("a ", n/2) + strings.Repeat("b", n%2) + end
			raw := []byte(`{ "a" : "` + text + `" , "` + text + `" : [ 1 , 2 ] }`)
			_, want, err := files.CompactAndSum(raw)
			if got := files.SumOfCompact(raw); got != want || err != nil {
				t.Errorf("a text of %d bytes and %s: %s, want %s, %v", n, end, got, want, err)
			}
		}
	}
}

// The world of a file that EncodeCheckpoint has written is not copied to verify it.
func TestSplitCheckpointTakesTheWorldOutOfItsFile(t *testing.T) {
	data, err := files.EncodeCheckpoint(bigWorld(t, 10_000), 3)
	if err != nil {
		t.Fatal(err)
	}
	world, err := files.SplitCheckpoint(data)
	if err != nil || !json.Valid(world) {
		t.Fatalf("%.100s, %v", world, err)
	}
	at := bytes.Index(data, world)
	if at < 0 || &data[at] != &world[0] {
		t.Errorf("the world is a copy, or no part of the file: %.100s", world)
	}
}

// A world with space between its tokens is checked before it is made compact.
func TestEncodeCheckpointRefusesWhatIsNoJSON(t *testing.T) {
	for _, raw := range []string{``, ` `, `{`, `{"a":1 2}`, `{"a":12}}`, `{"a":"`, `{"a" 1}`} {
		c := bigWorld(t, 0)
		c.World = json.RawMessage(raw)
		if _, err := files.EncodeCheckpoint(c, 0); err == nil {
			t.Errorf("%q was taken for a world", raw)
		}
	}
}
