package follow

import (
	"math"

	"agentdungeon/server/price"
	"agentdungeon/server/shadow"
)

// setPrices sets the price of each request to a model: the price that the program has recorded, else the price in the
// list (P17.12). A price is set once, when the request is read; a later change of the list does not change it.
func setPrices(entries []shadow.Entry, list *price.List) {
	for i := range entries {
		if entries[i].Usage == nil {
			continue
		}
		u := *entries[i].Usage
		if u.Micros, u.Priced = list.Of(u.Model, u.Tokens()); u.USD > 0 && u.USD < maxUSD {
			u.Micros, u.Priced = int64(math.Round(u.USD*1e6)), true
		}
		if u.Window == 0 {
			u.Window = list.Window(u.Model)
		}
		entries[i].Usage = &u
	}
}

// maxUSD is the highest price of one request that is taken from a program's record. A higher one counts as a
// mistake.
const maxUSD = 100_000
