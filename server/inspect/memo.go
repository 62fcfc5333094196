package inspect

import "sync"

// Memo returns the result of make for a key. It calls make once for each key and Repo; other callers with the key wait
// for that call. Results are kept as long as the Repo, so the number of keys must not grow with the repository.
func Memo[K comparable, T any](r *Repo, key K, make func() T) T {
	once, _ := r.memo.LoadOrStore(key, sync.OnceValue(func() any { return make() }))
	return once.(func() any)().(T)
}
