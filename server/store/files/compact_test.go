package files_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"agentdungeon/server/store/files"
)

// Of valid JSON squeeze leaves what json.Compact leaves.
func FuzzSqueeze(f *testing.F) {
	for _, s := range []string{
		`{}`, "[ 1 , -2.5e+3 ,\t\"a b\" ]\r\n", `{"a b" : " \" \\" , "c\\" : [ "\\\"" , { } , null ]}`,
		`"\\\\\" \u0020 "`, `"é 😀   "`, " \n", `{"open": "`, `"\`, `["a" "b"]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want bytes.Buffer
		err := json.Compact(&want, raw)
		got := files.Squeeze(bytes.Clone(raw))
		if err == nil && !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("squeeze %q: %q, json.Compact: %q", raw, got, want.Bytes())
		}
		if again := files.Squeeze(bytes.Clone(got)); !bytes.Equal(again, got) && err == nil {
			t.Fatalf("squeezing %q again changes it to %q", got, again)
		}
	})
}

// A world that comes with space in it is checked before the space is taken away.
func TestEncodeCheckpointRefusesWhatIsNoJSON(t *testing.T) {
	for _, raw := range []string{``, ` `, `{`, `{"a":1 2}`, `{"a":12}}`, `{"a":"`, `{"a" 1}`} {
		c := bigWorld(t, 0)
		c.World = json.RawMessage(raw)
		if _, err := files.EncodeCheckpoint(c, 0); err == nil {
			t.Errorf("%q was taken for a world", raw)
		}
	}
}
