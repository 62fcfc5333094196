package price_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"agentdungeon/server/price"
	"agentdungeon/shared/world"
)

const own = `{"models": [
	{"model": "m", "input": 1, "output": 2.5, "cacheRead": 0.000001, "cacheWrite": 1.25, "cacheLong": 2, "window": 200000},
	{"model": "m-large", "input": 10, "output": 20, "above": {"tokens": 100, "input": 100, "output": 200}},
	{"model": "local-*", "input": 0, "output": 0}
]}`

// The price of a request comes from the model's own entry, else from the entry of the file with the longest prefix of
// the model's name. A model without an entry has no price, which is different from the price 0 (P17.12).
func TestPrices_P17_12(t *testing.T) {
	list, err := price.Default().With("own.json", []byte(own))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model  string
		tokens world.Tokens
		micros int64
		known  bool
	}{
		{"m", world.Tokens{Input: 1_000_000}, 1_000_000, true},
		{"m", world.Tokens{Output: 1}, 3, true}, // 2.5, rounded
		{"m", world.Tokens{Input: 1, Output: 2, CacheRead: 1_000_000, CacheWrite: 4, CacheLong: 5}, 1 + 5 + 1 + 5 + 10, true},
		{"m-20260101", world.Tokens{Input: 1}, 1, true},
		{"m-2026-01-01", world.Tokens{Input: 1}, 1, true},
		{"m[1m]", world.Tokens{Input: 1}, 1, true},
		{"some/proxy/m", world.Tokens{Input: 1}, 1, true},
		{"m-2", world.Tokens{Input: 1}, 0, false},
		{"m-fast", world.Tokens{Input: 1}, 0, false},
		{"", world.Tokens{Input: 1}, 0, false},
		{"m-large", world.Tokens{Input: 100, Output: 1}, 1_020, true},
		{"m-large", world.Tokens{Input: 50, CacheRead: 51}, 10_100, true},
		{"local-llama", world.Tokens{Input: 1_000_000}, 0, true},
		{"claude-opus-5-5", world.Tokens{Input: 1300, Output: 42, CacheRead: 11_000, CacheWrite: 2_000}, 18_240, true},
		{"claude-haiku-5-5", world.Tokens{Input: 1_000_000}, 500_000, true},
		{"claude-haiku-5-5", world.Tokens{Output: 1_000_000}, 500_000, true},
		{"claude-opus-4-5-20251101", world.Tokens{CacheLong: 1_000_000}, 10_000_000, true},
		{"claude-opus-9", world.Tokens{Input: 1}, 0, false},
	} {
		if micros, known := list.Of(c.model, c.tokens); micros != c.micros || known != c.known {
			t.Errorf("%s %+v costs %d (%t), want %d (%t)", c.model, c.tokens, micros, known, c.micros, c.known)
		}
	}
	if list.Window("m") != 200_000 || list.Window("m-large") != 0 || list.Window("none") != 0 {
		t.Error("the sizes of contexts are others than those of the file")
	}
	if list.Date() == "" {
		t.Error("a file without a date has taken away that of the built-in prices")
	}
	cheap, err := list.With("cheap.json", []byte(`{"date": "2027-01-01", "models": [{"model": "claude-opus-5-5", "input": 1, "output": 1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if micros, _ := cheap.Of("claude-opus-5-5", world.Tokens{Input: 1, CacheRead: 1}); micros != 2 || cheap.Date() != "2027-01-01" {
		t.Errorf("the file's price is not taken: %d", micros)
	}
	if micros, _ := list.Of("claude-opus-5-5", world.Tokens{Input: 1}); micros != 4 {
		t.Errorf("a file over a list has changed the list: %d", micros)
	}
}

// The price is exact for every number of tokens that the ledger accepts (P17.12).
func TestPricesAreExact_P17_12(t *testing.T) {
	list, err := price.List{}.With("own.json", []byte(`{"models": [
		{"model": "m", "input": 1.000001, "output": 99999.999999, "cacheRead": 0.1, "cacheWrite": 0.333333, "cacheLong": 7}]}`))
	if err != nil {
		t.Fatal(err)
	}
	rates := []int64{1_000_001, 99_999_999_999, 100_000, 333_333, 7_000_000}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		n := make([]int64, 5)
		sum := big.NewInt(500_000)
		for i := range n {
			n[i] = rnd.Int64N(int64(1) << (1 + rnd.IntN(40)))
			sum.Add(sum, new(big.Int).Mul(big.NewInt(n[i]), big.NewInt(rates[i])))
		}
		want := sum.Div(sum, big.NewInt(1_000_000))
		got, _ := list.Of("m", world.Tokens{Input: n[0], Output: n[1], CacheRead: n[2], CacheWrite: n[3], CacheLong: n[4]})
		if want.Cmp(big.NewInt(got)) != 0 {
			t.Fatalf("%v cost %d, want %s", n, got, want)
		}
	}
}

// The error about a mistake in a file of prices names the field.
func TestMistakesInPrices_P17_12(t *testing.T) {
	for file, want := range map[string]string{
		`{"models": []}`: "models",
		`{"models": [{"model": "m", "input": 1}]}`:                                                 "models[0].output",
		`{"models": [{"model": "m", "input": -1, "output": 1}]}`:                                   "models[0].input",
		`{"models": [{"model": "m", "input": 1e3, "output": 1}]}`:                                  "models[0].input",
		`{"models": [{"model": "m", "input": "1", "output": 1}]}`:                                  "models[0].input",
		`{"models": [{"model": "m", "input": 0.0000001, "output": 1}]}`:                            "models[0].input",
		`{"models": [{"model": "m", "input": 100001, "output": 1}]}`:                               "models[0].input",
		`{"models": [{"model": "", "input": 1, "output": 1}]}`:                                     "models[0].model",
		`{"models": [{"model": "m", "input": 1, "output": 1, "price": 2}]}`:                        "price",
		`{"models": [{"model": "m", "input": 1, "output": 1, "above": {"input": 1,"output": 1}}]}`: "models[0].above.tokens",
		`{"date": "today", "models": [{"model": "m", "input": 1, "output": 1}]}`:                   "date",
		`[`: "own.json",
	} {
		if _, err := (price.List{}).With("own.json", []byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}
