package files_test

import (
	"bytes"
	"encoding/json"
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
		got, _, err := files.CompactAndSum(raw)
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%q: %q, %v; json.Compact: %q, %v", raw, got, err, want.Bytes(), wantErr)
		}
	})
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
