// Package price knows what requests to language models cost. It has an embedded list of models with their prices, and
// the date on which the prices were looked up. The prices of a file of the user take precedence (serve -prices).
//
// It computes with integers and keeps nothing between calls. server/follow asks it for the price of each request that a
// coding agent has made, and for the size of the model's context. A counted request keeps its price when the list
// changes.
package price

import (
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"

	"agentdungeon/server/jsonfile"
	"agentdungeon/shared/pattern"
	"agentdungeon/shared/world"
)

// Bounds of a file of prices.
const (
	MaxFile   = 1 << 20 // bytes of the file
	MaxModels = 1_000
	maxUSD    = 100_000 // dollars per million tokens
)

// rates are prices of a million tokens, in millionths of a dollar.
type rates struct{ input, output, cacheRead, cacheWrite, cacheLong int64 }

// model is an entry of a List: the prices of one model, or of all models whose names begin alike.
type model struct {
	name   string
	prefix bool // name matches every model that begins with it
	rates  rates
	over   int64 // requests with more input tokens than this have the prices in the field above; 0 for no such limit
	above  rates
	window int // tokens that the model's context holds; 0 if it is unknown
}

// List has the prices of models. The zero value has no prices. A List never changes.
type List struct {
	date   string
	models []model // later ones take precedence
}

//go:embed prices.json
var embedded []byte

// Default returns the embedded list.
func Default() List {
	l, err := List{}.With("prices.json", embedded)
	if err != nil {
		panic(err) // cannot happen: a test reads the embedded list
	}
	return l
}

// Date returns the day on which the prices were looked up, such as "2026-11-24". With replaces it by the day of the
// other file, if that file has one.
func (l List) Date() string { return l.date }

// With returns the list combined with the prices in a file. An entry of the file replaces an entry for the same model.
// Unknown fields are errors. An error names the file and the field, as in
//
//	prices.json: models[1].input: must be an amount in dollars
func (l List) With(name string, data []byte) (List, error) {
	r := jsonfile.New(name, MaxFile)
	f := r.Object(r.Read(data), "", "date", "models")
	out := List{date: l.date, models: append([]model(nil), l.models...)}
	if date := r.String(f["date"], "date", false); date != "" {
		if out.date = date; !dateForm.MatchString(date) {
			r.Fail("date", "must be a day such as 2026-11-24")
		}
	}
	for i, item := range r.List(f["models"], "models", 1, MaxModels) {
		out.models = append(out.models, readModel(r, item, jsonfile.Index("models", i)))
	}
	if err := r.Err(); err != nil {
		return List{}, err
	}
	return out, nil
}

var dateForm = pattern.New(`^\d{4}-\d\d-\d\d$`)

var rateFields = []string{"input", "output", "cacheRead", "cacheWrite", "cacheLong"}

func readModel(r *jsonfile.Reader, v any, at string) model {
	f := r.Object(v, at, append([]string{"model", "above", "window"}, rateFields...)...)
	m := model{rates: readRates(r, f, at)}
	m.name, m.prefix = strings.CutSuffix(r.Text(f["model"], at+".model", world.MaxTitle, true), "*")
	if f["window"] != nil {
		m.window = r.Integer(f["window"], at+".window", 1, 1<<30)
	}
	if f["above"] != nil {
		above := r.Object(f["above"], at+".above", append([]string{"tokens"}, rateFields...)...)
		m.over = int64(r.Integer(above["tokens"], at+".above.tokens", 1, 1<<30))
		m.above = readRates(r, above, at+".above")
	}
	return m
}

// readRates reads prices. The fields for input and output are required; a missing price of the cache is the price of
// input.
func readRates(r *jsonfile.Reader, f map[string]any, at string) rates {
	in := amount(r, f["input"], at+".input")
	cache := func(field string) int64 {
		if f[field] == nil {
			return in
		}
		return amount(r, f[field], at+"."+field)
	}
	return rates{in, amount(r, f["output"], at+".output"), cache("cacheRead"), cache("cacheWrite"), cache("cacheLong")}
}

var amountForm = pattern.New(`^(\d{1,6})(?:\.(\d{1,6}))?$`)

// amount reads an amount in dollars and returns it in millionths of a dollar.
func amount(r *jsonfile.Reader, v any, at string) int64 {
	n, _ := v.(json.Number)
	part := amountForm.FindStringSubmatch(n.String())
	if part == nil {
		r.Fail(at, "must be an amount in dollars for a million tokens, with at most six digits behind the point")
		return 0
	}
	whole, _ := strconv.ParseInt(part[1], 10, 64) // cannot fail: the expression allows at most six digits
	rest, _ := strconv.ParseInt((part[2] + "000000")[:6], 10, 64)
	if whole > maxUSD {
		r.Fail(at, "must be at most %d dollars", maxUSD)
	}
	return whole*1_000_000 + rest
}

// variant matches suffixes that programs add to the name of a model and that do not change the price: a date,
// "-latest", and the size of the context, as in "[1m]".
var variant = pattern.New(`^(?:[-@](?:\d{8}|\d{4}-\d\d-\d\d|latest))?(?:\[1m\])?$`)

// find returns the entry for a model: the entry for exactly this model or its variant, else the entry with the longest
// prefix of the name. If several entries fit equally, the last one counts. The part of a model's name before the last
// "/", as in "anthropic/claude-opus-5-5", names the provider and is ignored.
func (l List) find(name string) *model {
	name = name[strings.LastIndex(name, "/")+1:]
	var best *model
	for i := range l.models {
		m := &l.models[i]
		rest, ok := strings.CutPrefix(name, m.name)
		switch {
		case !ok || !m.prefix && !variant.MatchString(rest):
		case best == nil, !m.prefix && best.prefix, m.prefix == best.prefix && len(m.name) >= len(best.name):
			best = m
		}
	}
	return best
}

// Of returns the price of one request in millionths of a dollar, rounded half up. known is false if the list has no
// price for the model.
func (l List) Of(name string, t world.Tokens) (micros int64, known bool) {
	m := l.find(name)
	if m == nil {
		return 0, false
	}
	p := m.rates
	if m.over > 0 && t.Sum()-t.Output > m.over {
		p = m.above
	}
	const most = 1 << 40 // maximum number of tokens of each kind; at any price their product does not overflow
	var whole, rest int64
	for _, one := range [][2]int64{{t.Input, p.input}, {t.Output, p.output}, {t.CacheRead, p.cacheRead},
		{t.CacheWrite, p.cacheWrite}, {t.CacheLong, p.cacheLong}} {
		// The product is computed in two parts, because tokens times price would overflow.
		n := min(max(one[0], 0), most)
		whole += n * (one[1] / 1_000_000)
		rest += n * (one[1] % 1_000_000)
	}
	return whole + (rest+500_000)/1_000_000, true
}

// Window returns the number of tokens that a model's context holds, 0 if it is unknown.
func (l List) Window(name string) int {
	if m := l.find(name); m != nil {
		return m.window
	}
	return 0
}
